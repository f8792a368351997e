"""Worlds to search: small populations in order, random ones, and random datasets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations_with_replacement

Records = tuple[int, ...]


def small_populations(most_records: int, most_value: int) -> Iterator[Records]:
    """Yield every population of whole numbers from 0, fewest records first, then the narrowest.

    >>> list(small_populations(3, 1))
    [(0, 1), (0, 0, 1), (0, 1, 1)]
    """
    for size in range(2, most_records + 1):
        for top in range(1, most_value + 1):
            for inner in combinations_with_replacement(range(top + 1), size - 2):
                yield 0, *inner, top


def random_populations(count: int, seed: int = 0) -> Iterator[Records]:
    """Yield random populations of six to eight records, narrow and wide, some with a far record.

    >>> list(random_populations(1, seed=1))
    [(1, 1, 4, 7, 7, 7)]
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
    """
    rng = random.Random(seed)
    for _ in range(count):
        yield tuple(sorted(rng.randint(0, top) for _ in range(rng.randint(least, 5))))
