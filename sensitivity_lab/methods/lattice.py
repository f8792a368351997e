"""All datasets of some values in levels, one for each size, and the passes between levels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np


class Lattice:
    """All datasets of positions among some values, ranked within each size.

            W, for the values 10, 20, 30        the level of 2 records, and its deletions
                      s = 0  1  2  3            rank  dataset   without 1st  without 2nd
            no value      1  0  0  0            0     10 20     20: rank 1   10: rank 0
            10            1  1  0  0            1     10 30     30: rank 2   10: rank 0
            10, 20        1  2  1  0            2     20 30     30: rank 2   20: rank 1
            10, 20, 30    1  3  3  1
            the dataset (1, 2) of positions has rank W[1][1] + W[2][2] = 1 + 1 = 2

    Source: the combinatorial number system, here with copies: Knuth (2011), The Art of Computer
        Programming 4A, section 7.2.1.3.
    """

    chunk = 1 << 17  # rows handled at once, and
    cells = 1 << 22  # records in them: these bound the memory

    def __init__(self, copies: Sequence[int], largest: int) -> None:
        self.below = _counts_below(copies, largest)
        self.small: dict[int, list[np.ndarray]] = {}  # the deletions of small levels

    def count(self, size: int) -> int:
        """How many datasets the level has."""
        return int(self.below[-1, size])

    def chunks(self, size: int) -> Iterator[slice]:
        """The ranks of the level, in runs that fit in memory."""
        rows = min(self.chunk, max(1, self.cells // max(1, size)))
        for start in range(0, self.count(size), rows):
            yield slice(start, min(start + rows, self.count(size)))

    def rows(self, size: int, ranks: np.ndarray) -> np.ndarray:
        """The datasets of the given ranks: (N,) int64 in, (N, size) value positions out."""
        left = ranks.copy()
        rows = np.empty((len(left), size), dtype=np.int64)
        for i in range(size - 1, -1, -1):
            column = self.below[:, i + 1]
            rows[:, i] = np.searchsorted(column, left, side="right") - 1
            left -= column[rows[:, i]]
        return rows

    def deletions(self, size: int, chunk: slice) -> Iterable[np.ndarray]:
        """For each position, the ranks of the chunk's datasets without the record there."""
        if self.count(size) * size > self.chunk:
            return self._deletions(size, chunk)
        if size not in self.small:
            self.small[size] = list(self._deletions(size, chunk))
        return self.small[size]

    def _deletions(self, size: int, chunk: slice) -> Iterator[np.ndarray]:
        rows = self.rows(size, np.arange(chunk.start, chunk.stop, dtype=np.int64))
        after = sum(
            (self.below[rows[:, i], i] for i in range(1, size)), np.zeros(len(rows), dtype=np.int64)
        )
        before = np.zeros(len(rows), dtype=np.int64)
        for i in range(size):
            yield before + after
            before += self.below[rows[:, i], i + 1]
            if i + 1 < size:
                after -= self.below[rows[:, i + 1], i + 1]

    def shrink(self, size: int, high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each dataset one record smaller, the extremes over all that extend it by one."""
        smaller_high = np.full(self.count(size - 1), _least(high.dtype), dtype=high.dtype)
        smaller_low = np.full(self.count(size - 1), _most(low.dtype), dtype=low.dtype)
        for chunk in self.chunks(size):
            for ranks in self.deletions(size, chunk):
                np.maximum.at(smaller_high, ranks, high[chunk])
                np.minimum.at(smaller_low, ranks, low[chunk])
        return smaller_high, smaller_low

    def grow(self, size: int, high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each dataset of `size`, the extremes over all that it extends by one record."""
        larger_high = np.full(self.count(size), _least(high.dtype), dtype=high.dtype)
        larger_low = np.full(self.count(size), _most(low.dtype), dtype=low.dtype)
        for chunk in self.chunks(size):
            for ranks in self.deletions(size, chunk):
                np.maximum(larger_high[chunk], high[ranks], out=larger_high[chunk])
                np.minimum(larger_low[chunk], low[ranks], out=larger_low[chunk])
        return larger_high, larger_low


def lattice_of(copies: Sequence[int], largest: int) -> Lattice:
    """The lattice of some copies; of the small ones, the last few are kept."""
    if len(copies) * largest > 10_000:
        return Lattice(copies, largest)
    return _kept_lattice(tuple(copies), largest)


@lru_cache(maxsize=16)
def _kept_lattice(copies: tuple[int, ...], largest: int) -> Lattice:
    return Lattice(copies, largest)


def _counts_below(copies: Sequence[int], largest: int) -> np.ndarray:
    """W[v][s]: how many datasets of s records the v smallest values make; capped at 2^62."""
    table = [[1] + [0] * largest]
    for limit in copies:
        last = table[-1]
        row, window = [], 0
        for size in range(largest + 1):
            window += last[size] - (last[size - limit - 1] if size > limit else 0)
            row.append(window)
        table.append(row)
    return np.array([[min(n, 2**62) for n in row] for row in table], dtype=np.int64)


def _least(dtype: np.dtype[Any]) -> float:
    return np.iinfo(dtype).min if dtype.kind == "i" else -math.inf


def _most(dtype: np.dtype[Any]) -> float:
    return np.iinfo(dtype).max if dtype.kind == "i" else math.inf
