"""Watches OpenDP: a measurement's map and scale tell its claim, its twin at scale 0 the value."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from sensitivity_lab.testing.claimed import Claimed, Seen, replaced

MAKERS = ("make_laplace", "make_geometric", "make_gaussian", "make_noise")
TWIN = "_sensitivity_lab_twin"  # an attribute of measurements that are made while a call is watched
PURE, CONCENTRATED = "MaxDivergence", "ZeroConcentratedDivergence"


@dataclass(frozen=True)
class Twin:
    """What is known of a measurement: its noise, and itself at scale 0, before it is processed on."""

    kind: str
    scale: float
    measured: Any  # the measurement whose map is asked
    frozen: Any
    released: Any  # `frozen`, with what processes its answer


@dataclass(frozen=True)
class Invoked:
    """One measurement that was asked, and what it answered without noise."""

    twin: Twin
    d_in: Any
    value: Any

    def claimed(self) -> Claimed:
        """What the scale and the map say of the sensitivity.

        Laplace and geometric noise lose ε = Δ/scale, Gaussian noise ρ = (Δ/scale)²/2.
        Raises LookupError where the loss is measured in neither.
        """
        measurement, name = self.twin.measured, f"OpenDP {self.twin.kind}"
        loss, measure = measurement.map(self.d_in), str(measurement.output_measure)
        if measure == PURE:
            sensitivity = loss * self.twin.scale
        elif measure == CONCENTRATED:
            sensitivity = math.sqrt(2 * loss) * self.twin.scale
        else:
            raise LookupError(f"{name} has a loss in {measure}; known are {PURE}, {CONCENTRATED}")
        return Claimed(name, sensitivity, self.value)


@contextmanager
def opendp_watched(seen: list[Seen], d_in: Any) -> Iterator[None]:
    """Freeze every measurement that a block makes, and write down which are asked."""
    measurements, combinators, core = (
        sys.modules[f"opendp.{name}"] for name in ("measurements", "combinators", "core")
    )

    def invoked(measurement: Any, arg: Any) -> Any:
        twin = getattr(measurement, TWIN, None)
        if twin is None:
            raise LookupError(
                "an OpenDP measurement was asked whose noise is not known: make it in the call, by "
                f"one of {', '.join(MAKERS)}, without composition; got {measurement}"
            )
        value = plainly(twin.frozen, arg)
        seen.append(Invoked(twin, d_in, value))
        return value if twin.released is twin.frozen else plainly(twin.released, arg)

    plainly = core.measurement_invoke
    with ExitStack() as patches:
        for name in MAKERS:
            if hasattr(measurements, name):
                made = _twinned(getattr(measurements, name))
                patches.enter_context(replaced(measurements, name, made))
        before, after = combinators.make_chain_mt, combinators.make_chain_pm
        patches.enter_context(replaced(combinators, "make_chain_mt", _chained_before(before)))
        patches.enter_context(replaced(combinators, "make_chain_pm", _chained_after(after)))
        patches.enter_context(replaced(core, "measurement_invoke", invoked))
        yield


def _twinned(make: Callable[..., Any]) -> Callable[..., Any]:
    """A constructor that also makes the measurement at scale 0."""

    @wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(make).bind(*args, **kwargs)
        measurement = make(*given.args, **given.kwargs)
        scale = float(given.arguments["scale"])
        given.arguments["scale"] = 0.0
        frozen = make(*given.args, **given.kwargs)
        kind = make.__name__.removeprefix("make_")
        return _with_twin(measurement, Twin(kind, scale, measurement, frozen, frozen))

    return made


def _chained_before(chain: Callable[..., Any]) -> Callable[..., Any]:
    """Chaining a transformation before a measurement, and before its twin."""

    @wraps(chain)
    def chained(measurement1: Any, transformation0: Any) -> Any:
        whole = chain(measurement1, transformation0)
        twin = getattr(measurement1, TWIN, None)
        if twin is None:
            return whole
        frozen = chain(twin.frozen, transformation0)
        same = twin.released is twin.frozen
        released = frozen if same else chain(twin.released, transformation0)
        return _with_twin(whole, replace(twin, measured=whole, frozen=frozen, released=released))

    return chained


def _chained_after(chain: Callable[..., Any]) -> Callable[..., Any]:
    """Chaining a step after a measurement, which does not change what its sampler is handed."""

    @wraps(chain)
    def chained(postprocess1: Any, measurement0: Any) -> Any:
        whole = chain(postprocess1, measurement0)
        twin = getattr(measurement0, TWIN, None)
        if twin is None:
            return whole
        return _with_twin(whole, replace(twin, released=chain(postprocess1, twin.released)))

    return chained


def _with_twin(measurement: Any, twin: Twin) -> Any:
    setattr(measurement, TWIN, twin)
    return measurement
