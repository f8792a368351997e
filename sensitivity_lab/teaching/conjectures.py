"""What enumeration suggests and nobody has proved, each as a claim that a search can refute.

A claim takes a world (a population, a dataset, a pair of numbers) and yields its cases, each with a
left and a right side; it says that no left side exceeds its right one. `search` goes through worlds
until one does. Variances and quantiles are compared exactly, standard deviations as floats.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sensitivity_lab.queries import Query

DATA = Path(__file__).parent / "data" / "open_questions.csv"
Records = tuple[int, ...]
Share = tuple[int, int, int]
Case = tuple[Any, ...]
Claim = Callable[[Any], Iterator[tuple[Case, Any, Any]]]
Pick = Callable[[int, int, int, int], bool]


@dataclass(frozen=True, repr=False)
class Searched:
    """How many worlds and cases a search went through, and the first case that refutes, if any."""

    worlds: int
    cases: int
    counterexample: tuple[Any, Case] | None

    def __repr__(self) -> str:
        """Say it in a line, and the counterexample in a second one."""
        tried = f"{self.worlds:,} searched, {self.cases:,} cases"
        if self.counterexample is None:
            return f"none found: {tried}"
        world, case = self.counterexample
        return f"refuted: {tried}\n  {world}, case {case}"


def search(claim: Claim, worlds: Iterable[Any]) -> Searched:
    """Hold a claim to every case of every world, up to the first that refutes it.

    Cost: that of the claim, for each world.

    >>> from sensitivity_lab import VARIANCE
    >>> search(falls(VARIANCE, left=1), [(0, 1, 2), (0, 1, 1, 1, 2)])
    refuted: 2 searched, 7 cases
      (0, 1, 1, 1, 2), case (5, 3)
    """
    visited = cases = 0
    for world in worlds:
        visited += 1
        for case, left, right in claim(world):
            cases += 1
            if left > right and not (isinstance(left, float) and math.isclose(left, right)):
                return Searched(visited, cases, (world, case))
    return Searched(visited, cases, None)


def wider(question: str) -> pd.DataFrame:
    """The stored results of a wider search: `scripts/open_questions.py` writes them."""
    table = pd.read_csv(DATA, dtype={"worlds": int, "cases": int})
    return table[table["question"] == question].drop(columns="question").set_index("query")


# --- worlds ----------------------------------------------------------------------------------


def small_populations(most_records: int, most_value: int) -> Iterator[Records]:
    """Every population of whole numbers from 0, fewest records first, then the narrowest.

    >>> list(small_populations(3, 1))
    [(0, 1), (0, 0, 1), (0, 1, 1)]
    """
    for size in range(2, most_records + 1):
        for top in range(1, most_value + 1):
            for inner in combinations_with_replacement(range(top + 1), size - 2):
                yield 0, *inner, top


def random_populations(count: int, seed: int = 0) -> Iterator[Records]:
    """Random populations of six to eight records; some narrow, some wide, some with a far record."""
    rng = random.Random(seed)
    for _ in range(count):
        size, widest = rng.randint(6, 8), rng.choice([1, 2, 3, 5, 10, 30, 1000])
        records = [rng.randint(0, widest) for _ in range(size)]
        if rng.random() < 0.3:
            records[0] = -rng.choice([1, 5, 20]) * widest
        yield tuple(sorted(records))


def random_datasets(count: int, least: int, top: int, seed: int = 0) -> Iterator[Records]:
    """Random datasets of `least` to five whole numbers between 0 and `top`."""
    rng = random.Random(seed)
    for _ in range(count):
        yield tuple(sorted(rng.randint(0, top) for _ in range(rng.randint(least, 5))))


# --- every layout of a population ------------------------------------------------------------


@cache
def _picked(size: int, pick: Pick | None) -> tuple[np.ndarray, np.ndarray, dict[Share, slice]]:
    """The layouts of so many records that are picked: their two sides, and where each share's are.

    A set of records is a whole number: bit i says whether the i-th lowest record is in it.
    """
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
        if len(dataset) >= query.smallest_size and dataset not in known:
            known[dataset] = query(dataset)
        found.append(known.get(dataset, 0))
    if any(isinstance(answer, float) for answer in found):
        return np.array(found, dtype=float), 1
    denominator = math.lcm(*(Fraction(answer).denominator for answer in found))
    return np.array([int(answer * denominator) for answer in found]), denominator


def widest(query: Query, records: Records, pick: Pick | None = None) -> dict[Share, Any]:
    """Return D(c, a, b) of a population for every share, over all layouts or those picked.

    Cost: 2^m answers and 4^m gaps for m records. Source: def-share, on a population.

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
        if share[0] + min(share[1:]) >= query.smallest_size
    }


def _is_run(mask: int, among: int) -> bool:
    """Whether none of `among` lies between two records of the mask but records of the mask."""
    lowest = mask & -mask
    return not mask or not among & ~mask & (1 << mask.bit_length()) - lowest


# --- the claims ------------------------------------------------------------------------------


def _one_sided(d: dict[Share, Any], n: int, k: int, records: int) -> list[Any]:
    """The gaps of AddRemove(k) at size n: removals, and additions where records are left."""
    moves = [(n - k, k, 0), (n - k, 0, k)] if k <= n else []
    moves += [(n, k, 0), (n, 0, k)] if n + k <= records else []
    return [d[move] for move in moves if move in d]


def falls(query: Query, left: int = 2, both: bool = False) -> Claim:
    """AddRemove(k) is at most AddRemove(k + 1), while at least `left` records would be left.

    With `both`, only where k + 1 records could also be added.
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        d, m = widest(query, records), len(records)
        for n in range(left + 2, m + 1):
            for k in range(1, n - left):
                if n + k < m or not both:
                    yield (n, k), max(_one_sided(d, n, k, m)), max(_one_sided(d, n, k + 1, m))

    return claim


def mixes(query: Query) -> Claim:
    """Where k can be removed and k added, no mix of at most k beats a pure move of at most k."""

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        d, m = widest(query, records), len(records)
        for n in range(1, m + 1):
            for k in range(2, min(n - query.smallest_size, m - n) + 1):
                pure = max(max(_one_sided(d, n, j, m)) for j in range(1, k + 1))
                mixed = max(
                    max(d[n - out, out, new], d[n - out, new, out])
                    for out in range(1, k)
                    for new in range(1, k - out + 1)
                )
                yield (n, k), mixed, pure

    return claim


def places(query: Query, shares: Callable[[int, int], bool], pick: Pick) -> Claim:
    """For the shares (a, b) that are asked about, a picked layout is as wide as any."""

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        best = widest(query, records, pick)
        for (c, a, b), gap in widest(query, records).items():
            if a and b and gap > 0 and shares(a, b):
                yield (c, a, b), gap, best.get((c, a, b), 0)

    return claim


def lower_side_is_a_run(shared: int, a: int, b: int, unused: int) -> bool:
    """Nothing lies between two records of the lower side but records of the lower side."""
    return _is_run(shared | b, shared | a | b | unused)


def shared_is_a_run(shared: int, a: int, b: int, unused: int) -> bool:
    """B is a run of the records; of the others, C is a run, and A the outermost of the rest."""
    others = shared | a | unused
    return _is_run(b, others) and _is_run(shared, others) and _is_run(unused, a | unused)


def higher_side_is_outside(shared: int, a: int, b: int, unused: int) -> bool:
    """B is a run of the records; of the others, C and A are the outermost, and A outside of C."""
    others = shared | a | unused
    return _is_run(b, others) and _is_run(unused, others) and _is_run(shared, shared | a)


def either_place(shared: int, a: int, b: int, unused: int) -> bool:
    """One of the two."""
    layout = shared, a, b, unused
    return shared_is_a_run(*layout) or higher_side_is_outside(*layout)


def half_and_some(size: int, ones: int, ddof: int) -> Fraction:
    """The variance of `size` records of which up to `ones` are 1 and the others 0: v of thm-variance."""
    i = min(ones, size // 2)
    return Fraction(i * (size - i), size * (size - ddof))


def variance_gap(c: int, a: int, b: int, ddof: int) -> Fraction:
    """D(c, a, b) of the variance on the interval from 0 to 1 (thm-variance)."""
    if a >= b or c == 0:
        return half_and_some(c + a, a if a >= b else c + a, ddof)
    higher, lower = c + a, c + b
    return max(
        Fraction((i + j) * (higher - i - j), higher * (higher - ddof))
        - Fraction(j * (c - j), c * (lower - ddof))
        for i in range(a + 1)
        for j in range(c + 1)
    )


def variance_guess(k: int, least: int, ddof: int) -> Fraction:
    """A guess: the variance under SymmetricDifference(k), at least `least` records, on [0, 1]."""
    return max(
        half_and_some(max(0, least - min(a, k - a)) + a + more, a, ddof)
        for a in range(1, k + 1)
        for more in (0, 1)
    )


def variance_sizes(ddof: int, further: int) -> Claim:
    """No share of a + b <= k, `least` records or more on both sides, exceeds `variance_guess`."""

    def claim(world: tuple[int, int]) -> Iterator[tuple[Case, Any, Any]]:
        k, least = world
        guess = variance_guess(k, least, ddof)
        for a in range(k + 1):
            for b in range(k - a + 1):
                fewest = max(0, least - min(a, b))
                for c in range(fewest, least + further + 1):
                    if a + b:
                        yield (c, a, b), variance_gap(c, a, b, ddof), guess

    return claim


def std_at_distance(t: int, top: int) -> Claim:
    """The standard deviation at distance t, on whole numbers 0..top, is attained by tidy pairs.

    A pair shares n − 1 records. It is tidy if those of the dataset are a run of it, without the
    record that changes, and those that are new are all equal.
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        best = {False: 0.0, True: 0.0}
        for kept in set(combinations(records, len(records) - t)):
            for new in combinations_with_replacement(range(top + 1), t):
                for tidy, gap in _last_changes(records, kept, new, top):
                    best[tidy] = max(best[tidy], gap)
        yield (t,), max(best.values()), best[True]

    return claim


def _last_changes(
    records: Records, kept: Records, new: Records, top: int
) -> Iterator[tuple[bool, float]]:
    """Each last change of one record: whether the pair is tidy, and how far the answer moves."""
    everyone = (*kept, *new)
    before = float(np.std(everyone))
    for i, old in enumerate(everyone):
        stay = everyone[:i] + everyone[i + 1 :]
        after = np.std([(*stay, value) for value in range(top + 1)], axis=1)
        mine, others = list(kept), list(new)
        dataset = list(records)
        if i < len(kept):
            mine.remove(old)
            dataset.remove(old)
        else:
            others.remove(old)
        runs = range(len(dataset) - len(mine) + 1)
        tidy = len(set(others)) <= 1 and any(dataset[j : j + len(mine)] == mine for j in runs)
        yield tidy, float(np.abs(after - before).max())
