"""What a library hands to its samplers: the sensitivity that it claims, and the value without noise."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NamedTuple

from sensitivity_lab.exact import brief, name_of, whole_number
from sensitivity_lab.queries import Query
from sensitivity_lab.testing.claimed import Claimed, Seen
from sensitivity_lab.testing.diffprivlib_spy import diffprivlib_watched
from sensitivity_lab.testing.opendp_spy import opendp_watched
from sensitivity_lab.universe import Universe, check_universe

WATCHED = {"diffprivlib": diffprivlib_watched, "opendp": opendp_watched}
KNOWN = "the mechanisms of diffprivlib, and OpenDP's laplace, geometric, gaussian and noise"


class Spied(NamedTuple):
    """A function without its noise, and what its library claims of it, for `assert_sensitivity`.

    >>> Spied(Query("count", len), lambda k, size: k).claim(k=2, size=5)
    2
    """

    function: Query
    claim: Callable[..., Any]


def claims_of(call: Callable[[], Any], *, d_in: Any = 1) -> tuple[Claimed, ...]:
    """Run a call with its noise frozen; return what it hands to each sampler, in order.

    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib")
    >>> def release():
    ...     ages = dp.vector_domain(dp.atom_domain(bounds=(0, 100), T=int)), dp.symmetric_distance()
    ...     return (ages >> dp.t.then_sum() >> dp.m.then_laplace(scale=200.0))([30, 45])
    >>> claims_of(release)
    (Claimed(mechanism='OpenDP laplace', sensitivity=100.0, value=75),)

    In diffprivlib every mechanism that the call uses is watched: it states its sensitivity, and
    gives its value back unchanged. Several values that one mechanism is given are a tuple, to which
    its sensitivity then belongs. An exponential mechanism is given the utilities of its candidates,
    and chooses a best one.

    In OpenDP every measurement is watched that the call makes (with `laplace`, `geometric`,
    `gaussian` or `noise`) and invokes. Its map gives the loss at `d_in`, and its scale the
    sensitivity that has this loss: ε × scale, or scale × √(2ρ) for Gaussian noise. The value is what
    the same measurement releases at scale 0. For floats OpenDP's maps, and so the sensitivity, allow
    a little for rounding.

    :param call: a function of no arguments. Its other effects stay.
    :param d_in: how far apart two inputs are, in the unit of an OpenDP measurement's input metric.
    :return: what was handed over, one entry for each mechanism or measurement.
    :raises LookupError: if the call uses no sampler that is known, or a measurement that was made
        outside of the call, by another constructor or by composition.
    :raises TypeError: for what is not callable, and whatever the call raises.

    Cost: one call; OpenDP makes each measurement twice. The libraries' functions are replaced
    while it runs, for all threads.
    """
    if not callable(call):
        raise TypeError(f"call must be a function of no arguments, got {brief(call)}")
    seen: list[Seen] = []
    with ExitStack() as watches:
        for library, watched in WATCHED.items():
            if library in sys.modules:
                watches.enter_context(watched(seen, d_in))
        call()
    if not seen:
        raise LookupError(f"call used no sampler that is known: {KNOWN}; import the library first")
    return tuple(each.claimed() for each in seen)


def spied(run: Callable[[Any], Any], universe: Universe, *, which: int | None = None) -> Spied:
    """Return a library's function without its noise, and the sensitivity that it claims.

    >>> import opendp.prelude as dp
    >>> from sensitivity_lab import SymmetricDifference
    >>> from sensitivity_lab.testing import assert_sensitivity
    >>> dp.enable_features("contrib")
    >>> def release(dataset):
    ...     ages = dp.vector_domain(dp.atom_domain(bounds=(0, 3), T=int)), dp.symmetric_distance()
    ...     return (ages >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0))(list(dataset))
    >>> ages = Universe.value_range([0, 3])
    >>> function, claim = spied(release, ages)
    >>> assert_sensitivity(function, claim, ages, sizes_within=range(4),
    ...                    relations=[SymmetricDifference(1), SymmetricDifference(2)]).headline
    'exact'

    The claim is a function of k and size: what `claims_of` finds on the first dataset of that size,
    at a `d_in` of k. For diffprivlib k must be 1, since it states its sensitivities for neighbours.
    If the library states another sensitivity on another dataset of that size, the function refuses
    the dataset: noise whose scale depends on the data has no global sensitivity to be held to.

    :param run: a function of a dataset, as `assert_sensitivity` gives it, that makes the release.
    :param universe: the records that a dataset can have.
    :param which: which of the claims, from 0; needed where the call makes several.
    :return: the pair of function and claim. Missing records are given to `run` as None.
    :raises TypeError: for what is not callable or no universe.

    What `claims_of` raises, and a LookupError for several claims without `which`, comes when the
    pair is used: an audit says of it that the function or the claim failed. Cost: as `claims_of`,
    for each dataset.
    """
    check_universe(universe)
    if not callable(run):
        raise TypeError(f"run must be a function of a dataset, got {brief(run)}")
    spy = Spy(run, universe, None if which is None else whole_number(which, "which", 0))
    function = Query(name_of(run), spy.function, takes_missing=universe.has_missing)
    return Spied(function, spy.claim)


class Spy:
    """Asks a library about datasets, and remembers what it claimed at each size."""

    def __init__(self, run: Callable[[Any], Any], universe: Universe, which: int | None) -> None:
        self.run, self.universe, self.which = run, universe, which
        self.stated: dict[tuple[int, Any], Any] = {}

    def claim(self, k: int, size: int) -> Any:
        """What the library claims at a distance of k, of datasets of a size."""
        if (size, k) not in self.stated:
            first = next(iter(self.universe.datasets(size)))
            self.stated[size, k] = self._of(first, k).sensitivity
        return self.stated[size, k]

    def function(self, dataset: Any) -> Any:
        """What the library would randomise, of a dataset."""
        claimed = self._of(dataset, 1)
        if not self.universe.holds_people:  # else rows do not tell how many people there are
            self._require_same(claimed, dataset)
        return claimed.value

    def _require_same(self, claimed: Claimed, dataset: Any) -> None:
        """Refuse a sensitivity that is not one number at each size."""
        stated = self.claim(k=1, size=len(dataset))
        if claimed.sensitivity != stated:
            raise ValueError(
                f"{claimed.mechanism} must be handed one sensitivity for all datasets of size "
                f"{len(dataset)}, got {stated} and, on {brief(dataset)}, {claimed.sensitivity}"
            )

    def _of(self, dataset: Any, k: int) -> Claimed:
        claims = claims_of(lambda: self.run(dataset), d_in=k)
        if self.which is None and len(claims) > 1:
            names = ", ".join(f"{i}: {claim.mechanism}" for i, claim in enumerate(claims))
            raise LookupError(f"{len(claims)} samplers were asked ({names}): say which=")
        return claims[self.which or 0]
