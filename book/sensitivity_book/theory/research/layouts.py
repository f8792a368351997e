"""Every layout of a population: which records two datasets share, and which one has alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from sensitivity_book.theory.research.worlds import Records
from sensitivity_lab import Query
from sensitivity_lab.numbers import Gap, gap_between

Share = tuple[int, int, int]
Sides = tuple[Records, Records, Records]  # C, A and B
Pick = Callable[[int, int, int, int], bool]


@cache
def _picked(size: int, pick: Pick | None) -> tuple[np.ndarray, np.ndarray, dict[Share, slice]]:
    """The layouts of so many records that are picked:
    their two sides, and where each share's are."""
    found = []
    for higher in range(1 << size):
        for lower in range(1 << size):
            shared, a, b = higher & lower, higher & ~lower, lower & ~higher
            unused = (1 << size) - 1 & ~(higher | lower)
            if pick is None or pick(shared, a, b, unused):
                share = shared.bit_count(), a.bit_count(), b.bit_count()
                found.append((share, higher, lower))
    found.sort()
    places: dict[Share, list[int]] = {}
    for place, (share, _, _) in enumerate(found):
        places.setdefault(share, []).append(place)
    sides = np.array([row[1:] for row in found]).T
    return *sides, {share: slice(at[0], at[-1] + 1) for share, at in places.items()}


def _answers(query: Query, records: Records) -> tuple[np.ndarray, int]:
    """The answer on each subset of the records, over one denominator; 0 where there is none."""
    known: dict[Records, Any] = {}
    found = []
    for mask in range(1 << len(records)):
        dataset = tuple(v for i, v in enumerate(records) if mask >> i & 1)
        if len(dataset) >= (query.smallest_size or 0) and dataset not in known:
            known[dataset] = query(dataset)
        found.append(known.get(dataset, 0))
    if any(isinstance(answer, float) for answer in found):
        return np.array(found, dtype=float), 1
    denominator = math.lcm(*(Fraction(answer).denominator for answer in found))
    return np.array([int(answer * denominator) for answer in found], dtype=np.int64), denominator


def widest(query: Query, records: Records, pick: Pick | None = None) -> dict[Share, Any]:
    """Return D(c, a, b) of a population for every share, over all layouts or those picked.

    >>> from sensitivity_lab import MEAN
    >>> widest(MEAN, (1, 2, 3, 10))[2, 1, 0]
    Fraction(17, 6)
    """
    answers, denominator = _answers(query, records)
    higher, lower, shares = _picked(len(records), pick)
    gaps = answers[higher] - answers[lower]
    exact = answers.dtype != float
    return {
        share: Fraction(int(gaps[at].max()), denominator) if exact else float(gaps[at].max())
        for share, at in shares.items()
        if share[0] + min(share[1:]) >= (query.smallest_size or 0)
    }


def widest_of_share(
    query: Query, records: Records, share: Share, pick: Pick | None = None
) -> tuple[Any, Sides]:
    """Return D(c, a, b) of one share exactly, with C, A and B; over all layouts or those picked.

    >>> from sensitivity_lab import MEAN
    >>> widest_of_share(MEAN, (1, 2, 3, 10), (2, 1, 0))
    (Fraction(17, 6), ((1, 2), (10,), ()))
    """
    c, a, b = share
    everyone = (1 << len(records)) - 1
    between = gap_between(1, query.root)
    best: tuple[Gap, Sides] | None = None
    answer = cache(query.function)
    for shared in _subsets(everyone, c):
        for higher in _subsets(everyone & ~shared, a):
            for lower in _subsets(everyone & ~shared & ~higher, b):
                unused = everyone & ~(shared | higher | lower)
                if pick is not None and not pick(shared, higher, lower, unused):
                    continue
                own = _of(records, shared), _of(records, higher), _of(records, lower)
                one, other = (answer(_of(records, shared | mask)) for mask in (higher, lower))
                if one > other and (best is None or between(one, other) > best[0]):
                    best = between(one, other), own
    if best is None:
        raise ValueError(f"no layout of {share} has a positive gap, got {records}")
    return best


def _subsets(mask: int, count: int) -> Iterator[int]:
    """Each subset with so many of a mask's bits."""
    bits = [1 << i for i in range(mask.bit_length()) if mask >> i & 1]
    yield from map(sum, combinations(bits, count))


def _of(records: Records, mask: int) -> Records:
    return tuple(v for i, v in enumerate(records) if mask >> i & 1)


def _is_run(mask: int, among: int) -> bool:
    """Whether none of `among` lies between two records of the mask but records of the mask."""
    lowest = mask & -mask
    return not mask or not among & ~mask & (1 << mask.bit_length()) - lowest


def lower_side_is_a_run(shared: int, a: int, b: int, unused: int) -> bool:
    """Whether nothing lies between two records of the lower side but records of the lower side.

    >>> lower_side_is_a_run(shared=0b001, a=0b100, b=0b010, unused=0)
    True
    """
    return _is_run(shared | b, shared | a | b | unused)


def shared_is_a_run(shared: int, a: int, b: int, unused: int) -> bool:
    """Whether B is a run; of the other records, C is a run, and A the outermost of the rest.

    >>> shared_is_a_run(shared=0b0010, a=0b0001, b=0b1000, unused=0b0100)
    True

    Sets as in `lower_side_is_a_run`. Source: question 5 of book/open-questions.md; thm-mixes in
    book/proofs.md has it for a > b.
    """
    others = shared | a | unused
    return _is_run(b, others) and _is_run(shared, others) and _is_run(unused, a | unused)


def higher_side_is_outside(shared: int, a: int, b: int, unused: int) -> bool:
    """Whether B is a run; of the other records, C and A are the outermost, and A outside of C.

    >>> higher_side_is_outside(shared=0b0010, a=0b0001, b=0b1000, unused=0b0100)
    True

    Sets as in `lower_side_is_a_run`. Source: question 5 of book/open-questions.md; thm-mixes in
    book/proofs.md has it for the variance and a < b.
    """
    others = shared | a | unused
    return _is_run(b, others) and _is_run(unused, others) and _is_run(shared, shared | a)


def either_place(shared: int, a: int, b: int, unused: int) -> bool:
    """Whether it is `shared_is_a_run` or `higher_side_is_outside`.

    >>> either_place(shared=0b0001, a=0b0010, b=0b1000, unused=0b0100)
    True
    """
    layout = shared, a, b, unused
    return shared_is_a_run(*layout) or higher_side_is_outside(*layout)
