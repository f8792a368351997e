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

DATA = Path(__file__).parents[1] / "data" / "open_questions.csv"
Records = tuple[int, ...]
Share = tuple[int, int, int]
Case = tuple[Any, ...]
Claim = Callable[[Any], Iterator[tuple[Case, Any, Any]]]
Pick = Callable[[int, int, int, int], bool]


@dataclass(frozen=True, repr=False)
class Searched:
    """How many worlds and cases a search went through, and the first case that refutes, if any.

    >>> Searched(2, 7, None)
    none found: 2 searched, 7 cases
    """

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

    >>> from sensitivity_lab import VARIANCE
    >>> search(falls(VARIANCE, left=1), [(0, 1, 2), (0, 1, 1, 1, 2)])
    refuted: 2 searched, 7 cases
      (0, 1, 1, 1, 2), case (5, 3)

    Cost: that of the claim, for each world. Two floats within one part in 10⁹ count as equal.
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
    """Return the stored results of a wider search, a row for each query.

    >>> print(*wider("falls").loc["median"])
    5784 88786 none

    `scripts/open_questions.py` writes them. Cost: reads one file.
    """
    table = pd.read_csv(DATA, dtype={"worlds": int, "cases": int})
    return table[table["question"] == question].drop(columns="question").set_index("query")


# --- worlds ----------------------------------------------------------------------------------


def small_populations(most_records: int, most_value: int) -> Iterator[Records]:
    """Yield every population of whole numbers from 0, fewest records first, then the narrowest.

    >>> list(small_populations(3, 1))
    [(0, 1), (0, 0, 1), (0, 1, 1)]

    Cost: C(m + v, m − 1) − m populations, for at most m records and v the largest value.
    """
    for size in range(2, most_records + 1):
        for top in range(1, most_value + 1):
            for inner in combinations_with_replacement(range(top + 1), size - 2):
                yield 0, *inner, top


def random_populations(count: int, seed: int = 0) -> Iterator[Records]:
    """Yield random populations of six to eight records, narrow and wide, some with a far record.

    >>> list(random_populations(1, seed=1))
    [(1, 1, 4, 7, 7, 7)]

    Cost: `count` sorts. One seed gives one list.
    """
    rng = random.Random(seed)
    for _ in range(count):
        size, widest = rng.randint(6, 8), rng.choice([1, 2, 3, 5, 10, 30, 1000])
        records = [rng.randint(0, widest) for _ in range(size)]
        if rng.random() < 0.3:
            records[0] = -rng.choice([1, 5, 20]) * widest
        yield tuple(sorted(records))


def random_datasets(count: int, least: int, top: int, seed: int = 0) -> Iterator[Records]:
    """Yield random datasets of `least` to five whole numbers between 0 and `top`.

    >>> list(random_datasets(2, least=2, top=9))
    [(0, 4, 6, 7, 8), (3, 4, 5, 7, 9)]

    Cost: `count` sorts. One seed gives one list.
    """
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
        if len(dataset) >= (query.smallest_size or 0) and dataset not in known:
            known[dataset] = query(dataset)
        found.append(known.get(dataset, 0))
    if any(isinstance(answer, float) for answer in found):
        return np.array(found, dtype=float), 1
    denominator = math.lcm(*(Fraction(answer).denominator for answer in found))
    return np.array([int(answer * denominator) for answer in found]), denominator


def widest(query: Query, records: Records, pick: Pick | None = None) -> dict[Share, Any]:
    """Return D(c, a, b) of a population for every share, over all layouts or those picked.

    >>> from sensitivity_lab import MEAN
    >>> widest(MEAN, (1, 2, 3, 10))[2, 1, 0]
    Fraction(17, 6)

    Cost: 2^m answers and 4^m gaps for m records. Source: def-share in book/proofs.md, on a
    population.
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
    """Claim: AddRemove(k) is at most AddRemove(k + 1), while at least `left` records would be left.

    >>> from sensitivity_lab import MEDIAN
    >>> search(falls(MEDIAN, left=1), small_populations(5, 2))
    none found: 30 searched, 116 cases

    With `both`, only where k + 1 records could also be added. The cases are (n, k), the worlds
    populations. Cost: `widest`, for each world. Source: questions 1 and 2 of
    book/open-questions.md.
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        d, m = widest(query, records), len(records)
        for n in range(left + 2, m + 1):
            for k in range(1, n - left):
                if n + k < m or not both:
                    yield (n, k), max(_one_sided(d, n, k, m)), max(_one_sided(d, n, k + 1, m))

    return claim


def mixes(query: Query) -> Claim:
    """Claim: where k can be removed and k added, no mix beats the best pure move of at most k.

    >>> from sensitivity_lab import MEDIAN
    >>> search(mixes(MEDIAN), small_populations(5, 2))
    none found: 30 searched, 14 cases

    The cases are (n, k), the worlds populations. Cost: `widest`, for each world.
    Source: question 3 of book/open-questions.md.
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        d, m = widest(query, records), len(records)
        for n in range(1, m + 1):
            for k in range(2, min(n - (query.smallest_size or 0), m - n) + 1):
                pure = max(max(_one_sided(d, n, j, m)) for j in range(1, k + 1))
                mixed = max(
                    max(d[n - out, out, new], d[n - out, new, out])
                    for out in range(1, k)
                    for new in range(1, k - out + 1)
                )
                yield (n, k), mixed, pure

    return claim


def places(query: Query, shares: Callable[[int, int], bool], pick: Pick) -> Claim:
    """Claim: for the shares (a, b) that are asked about, a picked layout is as wide as any.

    >>> from sensitivity_lab import VARIANCE
    >>> runs = places(VARIANCE, lambda a, b: a >= b, lower_side_is_a_run)
    >>> search(runs, [(-46, -3, -2, -2, 2, 3, 3, 3)])
    refuted: 1 searched, 45 cases
      (-46, -3, -2, -2, 2, 3, 3, 3), case (4, 2, 2)

    The cases are (c, a, b), the worlds populations. Cost: `widest` twice, for each world.
    Source: questions 4 and 5 of book/open-questions.md.
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        best = widest(query, records, pick)
        for (c, a, b), gap in widest(query, records).items():
            if a and b and gap > 0 and shares(a, b):
                yield (c, a, b), gap, best.get((c, a, b), 0)

    return claim


def lower_side_is_a_run(shared: int, a: int, b: int, unused: int) -> bool:
    """Whether nothing lies between two records of the lower side but records of the lower side.

    >>> lower_side_is_a_run(shared=0b001, a=0b100, b=0b010, unused=0)
    True

    Sets of records are whole numbers: bit i says whether the i-th lowest is in it.
    Source: question 4 of book/open-questions.md.
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

    Source: question 5 of book/open-questions.md.
    """
    layout = shared, a, b, unused
    return shared_is_a_run(*layout) or higher_side_is_outside(*layout)


def half_and_some(size: int, ones: int, ddof: int) -> Fraction:
    """Return the widest variance of `size` records, up to `ones` of them 1 and the others 0.

    >>> half_and_some(4, ones=1, ddof=0)
    Fraction(3, 16)

    Source: v of thm-variance in book/proofs.md.
    """
    i = min(ones, size // 2)
    return Fraction(i * (size - i), size * (size - ddof))


def variance_gap(c: int, a: int, b: int, ddof: int) -> Fraction:
    """Return D(c, a, b) of the variance on the interval from 0 to 1.

    >>> variance_gap(3, 1, 0, ddof=0)
    Fraction(3, 16)

    Cost: (a + 1)(c + 1) fractions. Source: thm-variance in book/proofs.md.
    """
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
    """Guess the variance's sensitivity under SymmetricDifference(k), `least` records or more.

    >>> variance_guess(2, least=4, ddof=0)
    Fraction(2, 9)

    For values in [0, 1]; not proved. Cost: 2k fractions. Source: question 6 of
    book/open-questions.md.
    """
    return max(
        half_and_some(max(0, least - min(a, k - a)) + a + more, a, ddof)
        for a in range(1, k + 1)
        for more in (0, 1)
    )


def variance_sizes(ddof: int, further: int) -> Claim:
    """Claim: no share of a + b ≤ k, with `least` records on both sides, exceeds `variance_guess`.

    >>> search(variance_sizes(ddof=0, further=4), [(2, 4), (3, 4)])
    none found: 2 searched, 74 cases

    The worlds are pairs (k, least), the cases shares with up to `further` shared records more.
    Cost: `variance_gap`, for each share. Source: question 6 of book/open-questions.md.
    """

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
    """Claim: the standard deviation at distance t, on whole numbers 0..top, is met by tidy pairs.

    >>> search(std_at_distance(1, top=4), [(0, 1, 4), (0, 0, 2, 3)])
    none found: 2 searched, 2 cases

    A pair shares n − 1 records. It is tidy if those of the dataset are a run of it, without the
    record that changes, and those that are new are all equal. The worlds are datasets of n
    records. Cost: n·top standard deviations for each of C(n, t)·C(top + t, t) datasets.
    Source: question 7 of book/open-questions.md.
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
