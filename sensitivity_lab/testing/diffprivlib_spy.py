"""Watches diffprivlib: each mechanism tells its sensitivity, and gives its value back as it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from sensitivity_lab.testing.claimed import Claimed, Seen, replaced


@dataclass
class Mechanism:
    """One mechanism, and the values that it was to randomise."""

    made: Any
    d_in: Any
    values: list[Any] = field(default_factory=list)

    def claimed(self) -> Claimed:
        """Its own sensitivity, with its one value or all of them.

        Raises LookupError for a mechanism that has no such number, and for a distance beyond 1.
        """
        name = f"diffprivlib {type(self.made).__name__}"
        if not hasattr(self.made, "sensitivity"):
            raise LookupError(f"{name} states no sensitivity of a value: it has other parameters")
        if self.d_in != 1:
            raise LookupError(f"{name} states its sensitivity for neighbours, k=1, got {self.d_in}")
        values = tuple(map(_plain, self.values))
        value = values[0] if len(values) == 1 else values
        return Claimed(name, _plain(self.made.sensitivity), value)


@contextmanager
def diffprivlib_watched(seen: list[Seen], d_in: Any) -> Iterator[None]:
    """Freeze every mechanism of diffprivlib in a block, and write down what each is handed."""
    base = sys.modules["diffprivlib.mechanisms.base"].DPMechanism  # imported by whoever calls it
    of_mechanism: dict[int, Mechanism] = {}

    def frozen(mechanism: Any, value: Any = None) -> Any:
        if id(mechanism) not in of_mechanism:  # kept, so that no other has its id
            of_mechanism[id(mechanism)] = Mechanism(mechanism, d_in)
            seen.append(of_mechanism[id(mechanism)])
        handed, given_back = _without_noise(mechanism, value)
        of_mechanism[id(mechanism)].values.append(handed)
        return given_back

    with ExitStack() as patches:
        for kind in _with_own(base, "randomise"):
            patches.enter_context(replaced(kind, "randomise", _bound(frozen)))
        yield


def _bound(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is a method where a class holds it."""
    return lambda self, value=None: function(self, value)


def _with_own(base: type[Any], method: str) -> Iterator[type[Any]]:
    """The classes below a base that define a method themselves."""
    for kind in base.__subclasses__():
        if method in vars(kind):
            yield kind
        yield from _with_own(kind, method)


def _without_noise(mechanism: Any, value: Any) -> tuple[Any, Any]:
    """What a mechanism is handed, and what it gives back without noise: a best candidate."""
    utility = getattr(mechanism, "utility", None)
    if utility is None:
        return value, value
    best = max(range(len(utility)), key=lambda i: utility[i])
    candidates = getattr(mechanism, "candidates", None)
    return tuple(map(_plain, utility)), candidates[best] if candidates else best


def _plain(value: Any) -> Any:
    """A NumPy number as Python's own."""
    return value.item() if getattr(value, "shape", None) == () else value
