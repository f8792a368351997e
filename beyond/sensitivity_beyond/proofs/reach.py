"""The widest of many pairs, where a D knows beforehand how wide its gaps can be at most."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from sensitivity_lab.numbers.gap import Gap
from sensitivity_lab.proved.worst_pair import D, Parted, Share, WorstPair


@runtime_checkable
class Reaching(Protocol):
    """A D that knows beforehand, for little, how wide a share's gap can be at most: its *reach*."""

    def reaches(self, asked: Sequence[Share]) -> Sequence[float]:
        """At least D for each of some shares; at least 0."""

    def floor(self, gap: Gap) -> float:
        """A gap in the unit of the reaches, rounded down."""

    def __call__(self, c: int, a: int, b: int, floor: float = -math.inf) -> WorstPair | None:
        """D(c, a, b) where that is at least `floor`, else the gap of some layout."""


Watch = Callable[[Iterable[Any]], Iterable[Any]]  # hands on what it is given, and may show how far


def widest(d: D, asked: Iterable[Share], watch: Watch = iter) -> WorstPair | None:
    """The widest of several pairs: of equals the first,
    one that is attained before a bound (thm-share)."""
    asked = list(asked)
    reaching = d if isinstance(d, Reaching) else None
    reaches = reaching.reaches(asked) if reaching else [math.inf] * len(asked)
    best: tuple[Gap, bool, int] | None = None  # a gap, whether it is attained, minus its place
    found: WorstPair | None = None
    floor = -math.inf
    # The farthest reach comes first: what the floor leaves out is narrower than the best. Without
    # reaches the last share does, which is the largest: what is tabled for it serves the others.
    for i in watch(sorted(range(len(asked)), key=lambda i: (-reaches[i], -i))):
        if reaches[i] < floor:
            continue
        c, a, b, is_reversed = asked[i]
        pair = reaching(c, a, b, floor) if reaching else d(c, a, b)
        if pair is None:
            return None
        if best is None or (pair.gap, pair.attained, -i) > best:
            best = pair.gap, pair.attained, -i
            floor = reaching.floor(pair.gap) if reaching else floor
            found = pair.reversed() if is_reversed else pair
    return found


def with_records(d: D, records: Parted[Any]) -> D:
    """D whose pairs are told in other records."""

    def told(c: int, a: int, b: int) -> WorstPair | None:
        pair = d(c, a, b)
        return pair and replace(pair, records=records)

    return told
