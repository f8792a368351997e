"""The covariance of two numbers of each record, as one record joins, leaves or changes.

A record that joins moves n times the covariance by n/(n + 1) times the product of its distances
from the two means. On a box these products have their largest and smallest at corners
(thm-covariance); of one dataset they are looked at record by record (thm-covariance-local).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from typing import ClassVar

import numpy as np

from sensitivity_lab.errors import TooLarge
from sensitivity_lab.gap import Norm, rational
from sensitivity_lab.proved.family import Interval, Words
from sensitivity_lab.proved.points import (
    ROOM,
    Box,
    Corner,
    Moved,
    OfColumns,
    Points,
    exact_sum,
    first_left,
    largest,
    runs_of,
)
from sensitivity_lab.proved.worst_pair import D, Values, WorstPair
from sensitivity_lab.relations import Move
from sensitivity_lab.text import number_text
from sensitivity_lab.universe import Universe

At = tuple[tuple[bool, bool], int]  # a corner, by whether it is right and top; and copies
MOST_POPULATION = 300  # records: of each two the best that they share takes O(m³)
MOST_PAIRS = 400_000_000  # of a record that leaves and one that joins
MOST_NEAR = 1_000_000  # of these, as near to the widest as floats can tell
BLOCK = 1 << 20  # pairs looked at together
SLACK = 2.0**-44  # of a rise in floats, relative to the largest products
CONDITIONS = (
    "k = 1; records take any x from Lx to Ux and any y from Ly to Uy, in any number of copies; "
    "the four corners occur"
)


@dataclass(frozen=True)
class Covariance(OfColumns):
    """The covariance of two columns, over n − ddof.

    >>> d = Covariance(("x", "y")).on_box(Box.of(((0, 10), (0, 2)), 2), norm=1)
    >>> d(4, 1, 1).gap, d(4, 1, 0).gap, d(4, 2, 2)
    (Fraction(16, 5), Fraction(16, 5), None)
    """

    falls: ClassVar[bool] = True

    ddof: int = 0

    @property
    def name(self) -> str:
        return f"covariance({self.named}{f', ddof={self.ddof}' if self.ddof else ''})"

    def serves(self, universe: Universe) -> bool:
        """People bring several rows each, which all count."""
        return not universe.holds_people

    def on_box(self, box: Box, norm: Norm) -> D:
        """D for records anywhere in a box, where either side has one of its own at most."""
        x, y = box.sides
        area = x.width * y.width  # R

        def d(c: int, a: int, b: int) -> WorstPair | None:
            if a > 1 or b > 1:
                return None
            gap, parts = _at_corners(c, a, b, self.ddof)
            shared, one, other = (
                tuple((box.corner(at), n) for at, n in side if n) for side in parts
            )
            corners = {corner: corner for corner, _ in (*shared, *one, *other)}
            return WorstPair(gap * area, shared, one, other, Values(corners))

        return d

    def on_points(self, points: Points, norm: Norm) -> D | None:
        """Of every two records the best that they can share, on a small population."""
        if norm == 0 or len(points) > MOST_POPULATION:
            return None
        swap = cache(lambda c: _widest_swap(points.whole, c))

        def d(c: int, a: int, b: int) -> WorstPair | None:
            nothing = a == b == 0 or (a == b == 1 and c == 0)
            if not nothing and not a == b == 1:
                return None
            gap, places = (0, np.arange(a + b, dtype=np.intp)) if nothing else swap(c)
            one, other = places[:a], places[a : a + b]
            shared = runs_of(places[2:]) if gap else first_left(places[: a + b], c)
            unit = points.unit * (c + 1) * max(c + 1 - self.ddof, 1)
            return WorstPair(Fraction(gap, unit), shared, runs_of(one), runs_of(other))

        return d

    def on_point_values(self, points: Points, norm: Norm) -> D | None:
        """As on a box, where all four corners are among the records."""
        box = Box(tuple(Interval(int(column.min()), int(column.max())) for column in points.whole))
        place_of: dict[Corner, int] = {}
        for corner in (box.corner(at) for at in product((False, True), repeat=2)):
            there = [column == end for column, end in zip(points.whole, corner, strict=True)]
            places = np.flatnonzero(there[0] & there[1])
            if not len(places):
                return None
            place_of[corner] = int(places[0])
        on_box, unit = self.on_box(box, norm), points.unit

        def d(c: int, a: int, b: int) -> WorstPair | None:
            pair = on_box(c, a, b)
            if pair is None:
                return None
            sides = (pair.common, pair.removed, pair.added)
            shared, one, other = (
                tuple((place_of[corner], n) for corner, n in side) for side in sides
            )
            return WorstPair(Fraction(rational(pair.gap), unit), shared, one, other)

        return d if norm else None

    def on_neighbours(self, own: Points, spare: Points, move: Move, norm: Norm) -> Moved | None:
        """Of every record that may leave or join, and of every such pair, how far it moves."""
        if norm == 0 or max(move) > 1:
            return None
        return Around.of(own, spare, self.ddof).furthest(move)

    def answers(self, points: Points, rows: np.ndarray) -> tuple[np.ndarray, int]:
        (x, y), n = points.whole, rows.shape[1]
        room = max(largest(x), 1) * max(largest(y), 1) * max(n, 1) ** 2
        kind = np.int64 if room < 2**59 else object
        x, y = (column.astype(kind)[rows] for column in (x, y))
        products, totals = (x * y).sum(axis=1, dtype=kind), x.sum(axis=1, dtype=kind)
        whole = n * products - totals * y.sum(axis=1, dtype=kind)
        return whole, points.unit * n * (n - self.ddof)

    def words(self, norm: Norm) -> Words:
        """The formulas for k = 1."""
        smaller = "R·e(n − 1) if n > d + 1, else R·e(n)"
        texts = {
            "Add": ("R·e(n)", "R·e(m)"),
            "Remove": ("R·e(n − 1)", "R·e(m)"),
            "Change": (
                "R·(n − 1)/(n·(n − d))",
                "R·(m − 1)/(m·(m − d)) if m > 1, else R/4",
            ),
            "any": (smaller, "R·e(m)"),
        }
        where = f"R = (Ux − Lx)·(Uy − Ly), d = {self.ddof}, e(c) = {self._step}"
        return Words("covariance", texts, CONDITIONS, where)

    @property
    def _step(self) -> str:
        """What one record more adds to c others on the unit square, in words."""
        if self.ddof < 2:
            return "c/((c + 1)·(c + 1 − d))"
        half = "⌊c/2⌋·⌈c/2⌉/c·(1/(c + 1) + 1/(c − d))"
        return f"max(c/(c + 1), {half})/(c + 1 − d)"


def _at_corners(c: int, a: int, b: int, ddof: int) -> tuple[Fraction, list[list[At]]]:
    """D on the unit square for a, b ≤ 1: the gap, and (corner, copies) of C, A and B.

    >>> _at_corners(3, 1, 0, 0)[0], _at_corners(3, 1, 0, 2)[0]
    (Fraction(3, 16), Fraction(5, 12))
    """
    if a == b == 0 or c == 0:
        return Fraction(0), [[((False, False), n)] for n in (c, a, b)]
    one = Fraction(c, c + 1)
    if a == b:
        sides = [[((True, True), c)], [((False, False), 1)], [((False, True), 1)]]
        return one / (c + 1 - ddof), sides
    gap, shared = one, [((False, False), c)]
    half = c // 2
    spread = Fraction(half * (c - half), c) * (Fraction(1, c + 1) + Fraction(1, c - ddof))
    if spread > gap:
        gap, shared = spread, [((True, False), half), ((False, True), c - half)]
    alone = [((True, True), 1)]
    sides = [shared, alone, []] if a else [_mirrored(shared), [], _mirrored(alone)]
    return gap / (c + 1 - ddof), sides


def _mirrored(side: list[At]) -> list[At]:
    """The same, left for right: every covariance changes its sign."""
    return [((not right, top), n) for (right, top), n in side]


def _widest_swap(columns: tuple[np.ndarray, ...], c: int) -> tuple[int, np.ndarray]:
    """The widest gap times n·(n − d) as one record comes for another, and the places of these and of C.

    >>> _widest_swap((np.array([0, 0, 5]), np.array([0, 3, 3])), 1)
    (15, array([0, 1, 2]))

    Cost: O(m³) for m records, and O(m²) memory.
    """
    room = 8 * max(c, 1) * max(map(largest, columns)) ** 2 < ROOM
    kind = np.int64 if room else object
    x, y = (column.astype(kind) for column in columns)
    best, places = -1, _places()
    products, others = x * y, np.arange(len(x), dtype=np.intp)
    for one in range(len(x)):
        across = np.multiply.outer(y[one] - y, x) + np.multiply.outer(x[one] - x, y)
        across[:, one] = across[others, others] = ROOM if room else 1 + 4 * int(abs(across).max())
        order = np.argsort(across, axis=1, kind="stable")[:, :c]
        shared = np.take_along_axis(across, order, 1).sum(axis=1, dtype=kind)
        gaps = c * (products[one] - products) - shared
        gaps[one] = -1
        other = int(gaps.argmax())
        if gaps[other] > best:
            best = int(gaps[other])
            places = np.concatenate([_places(one, other), order[other]])
    return best, places


# -- one dataset: record by record -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Side:
    """Some records: two numbers of each, as whole ones from about the means; and as floats.

    The floats are distances from the means, over the largest that there are.
    """

    x: np.ndarray
    y: np.ndarray
    u: np.ndarray
    v: np.ndarray

    def __len__(self) -> int:
        return len(self.x)

    def taken(self, places: np.ndarray) -> Side:
        """Some of them."""
        return Side(self.x[places], self.y[places], self.u[places], self.v[places])

    def mirrored(self) -> Side:
        """The same with y for −y: every covariance changes its sign."""
        return Side(self.x, -self.y, self.u, -self.v)


@dataclass(frozen=True, eq=False)
class Around:
    """One dataset's own n records and the spare ones, and how its covariance moves.

    All numbers are told from a whole one next to the mean, which moves no covariance.
    """

    own: Side
    spare: Side
    ddof: int
    unit: int  # what a product of two whole numbers is over

    @classmethod
    def of(cls, own: Points, spare: Points, ddof: int) -> Around:
        """The two sides of a dataset's points. Cost: a few passes over them."""
        columns = [
            _from_the_mean(mine, others)
            for mine, others in zip(own.whole, spare.whole, strict=True)
        ]
        (x, z, u, s), (y, w, v, t) = columns
        return cls(Side(x, y, u, v), Side(z, w, s, t), ddof, own.unit)

    @property
    def n(self) -> int:
        return len(self.own)

    @cached_property
    def sums(self) -> tuple[int, int, int]:
        """Σx, Σy and Σxy of the dataset's own."""
        x, y = self.own.x, self.own.y
        room = largest(x) * largest(y) < ROOM and x.dtype != object and y.dtype != object
        products = x * y if room else x.astype(object) * y.astype(object)
        return exact_sum(x), exact_sum(y), exact_sum(products)

    def furthest(self, move: Move) -> Moved:
        """The widest gap, and the places of who leaves and of who joins."""
        if move == (0, 0):
            return Fraction(0), _places(), _places()
        if move == (1, 1):
            pairs = [self._pair(mirror) for mirror in (False, True)]
        else:
            side = self.spare if move == (0, 1) else self.own
            pairs = [
                (_places(), _places(i)) if move == (0, 1) else (_places(i), _places())
                for i in self._ends(side)
            ]
        gaps = [self._gap(*pair) for pair in pairs]
        widest = gaps.index(max(gaps))
        return gaps[widest], *pairs[widest]

    def _gap(self, leaves: np.ndarray, joins: np.ndarray) -> Fraction:
        """How far the covariance moves as some records leave and others join."""
        n, (sx, sy, sxy) = self.n, self.sums
        before = Fraction(n * sxy - sx * sy, n * (n - self.ddof))
        for side, places, sign in ((self.own, leaves, -1), (self.spare, joins, 1)):
            for x, y in zip(side.x[places].tolist(), side.y[places].tolist(), strict=True):
                n, sx, sy, sxy = n + sign, sx + sign * x, sy + sign * y, sxy + sign * x * y
        after = Fraction(n * sxy - sx * sy, n * (n - self.ddof))
        return abs(after - before) / self.unit

    def _ends(self, side: Side) -> tuple[int, int]:
        """The places of the largest and of the smallest product of distances from the means.

        Floats find those that may be it; whole numbers, n·xy − y·Σx − x·Σy, decide.
        """
        far = side.u * side.v
        slack = SLACK * _farthest(side.u) * _farthest(side.v)
        low, high = (
            np.flatnonzero(far <= far.min() + slack),
            np.flatnonzero(far >= far.max() - slack),
        )
        n, (sx, sy, _) = self.n, self.sums

        def exactly(i: int) -> int:
            x, y = int(side.x[i]), int(side.y[i])
            return n * x * y - y * sx - x * sy

        return max(high.tolist(), key=exactly), min(low.tolist(), key=exactly)

    def _pair(self, mirror: bool) -> tuple[np.ndarray, np.ndarray]:
        """Who leaves and who joins so that the covariance rises most, or falls, mirrored."""
        own, spare = (side.mirrored() if mirror else side for side in (self.own, self.spare))
        leave, join = Swaps(own, spare, self.n).best()
        return _places(leave), _places(join)


@dataclass(frozen=True, eq=False)
class Swaps:
    """All pairs of one of n own records and a spare one, by how the covariance rises.

    With the distances u, v from the means, n times the covariance rises by
    (1 − 1/n)·u'v' − (1 + 1/n)·uv + (u'v + uv')/n as u', v' comes for u, v.
    """

    own: Side
    spare: Side
    n: int

    def best(self) -> tuple[int, int]:
        """The places of the first pair with the largest rise.

        Cost: O(n + m) for n own records and m spare ones, and one look at each pair of those that
        may be in the widest. Raises TooLarge for over 400 million such pairs.
        """
        if not _slack(self.own, self.spare):
            return 0, 0  # one of the two numbers is the same everywhere
        leaves, joins = self._few()
        own, spare = self.own.taken(leaves), self.spare.taken(joins)
        if len(own) * len(spare) > MOST_PAIRS:
            raise TooLarge(
                f"{number_text(len(own))} records that may leave × {number_text(len(spare))} that "
                f"may join exceed the limit of {number_text(MOST_PAIRS)} pairs; ask of fewer records"
            )
        near = _near_pairs(own, spare, self.n)
        sx, sy = exact_sum(self.own.x), exact_sum(self.own.y)
        mine = list(zip(own.x.tolist(), own.y.tolist(), strict=True))
        others = list(zip(spare.x.tolist(), spare.y.tolist(), strict=True))

        def rise(pair: tuple[int, int]) -> int:
            (x, y), (z, w) = mine[pair[0]], others[pair[1]]
            grown = self.n * (z * w - x * y) - sx * (w - y) - sy * (z - x)
            return int(grown - (z - x) * (w - y))

        i, j = max(near, key=rise)
        return int(leaves[i]), int(joins[j])

    def _few(self) -> tuple[np.ndarray, np.ndarray]:
        """The places of the records, equal ones once, that may be in a widest pair.

        Who leaves and who joins are told apart but for the last term, which is small: a bound of it
        leaves few.
        """
        n, own, spare = self.n, self.own, self.spare
        mine, theirs = -(1 + 1 / n) * own.u * own.v, (1 - 1 / n) * spare.u * spare.v
        at_least = self._reached(int(mine.argmax())) - _slack(own, spare)
        far = [_farthest(numbers) for numbers in (own.u, own.v, spare.u, spare.v)]
        across = (far[2] * np.abs(own.v) + far[3] * np.abs(own.u)) / n
        leaves = np.flatnonzero(mine + theirs.max() + across >= at_least)
        across = (far[0] * np.abs(spare.v) + far[1] * np.abs(spare.u)) / n
        joins = np.flatnonzero(theirs + mine.max() + across >= at_least)
        return leaves[_different(own.taken(leaves))], joins[_different(spare.taken(joins))]

    def _reached(self, leave: int) -> float:
        """A rise that some pair has: the best for one record, then the best for its other."""
        one = np.array([leave], dtype=np.intp)
        for _ in range(2):
            join = int(_rises(self.own.taken(one), self.spare, self.n)[0].argmax())
            other = np.array([join], dtype=np.intp)
            found = _rises(self.own, self.spare.taken(other), self.n)[:, 0]
            one = np.array([int(found.argmax())], dtype=np.intp)
        return float(found.max())


def _rises(own: Side, spare: Side, n: int) -> np.ndarray:
    """How n times the covariance rises for each pair, (own, spare), in floats."""
    leave = -(1 + 1 / n) * own.u * own.v
    join = (1 - 1 / n) * spare.u * spare.v
    across = np.multiply.outer(own.v, spare.u) + np.multiply.outer(own.u, spare.v)
    rises: np.ndarray = across / n + leave[:, np.newaxis] + join
    return rises


def _near_pairs(own: Side, spare: Side, n: int) -> Iterator[tuple[int, int]]:
    """The pairs whose rise is as near to the largest as floats can tell.

    Raises TooLarge for over a million.
    """
    slack = _slack(own, spare)
    step = max(BLOCK // len(spare), 1)
    best, found = -np.inf, np.zeros((0, 3), dtype=np.float64)
    for start in range(0, len(own), step):
        rows = np.arange(start, min(start + step, len(own)), dtype=np.intp)
        rises = _rises(own.taken(rows), spare, n)
        best = max(best, float(rises.max()))
        i, j = np.nonzero(rises >= best - slack)
        found = np.concatenate([found, np.stack([rises[i, j], rows[i], j], axis=1)])
        found = found[found[:, 0] >= best - slack]
        if len(found) > MOST_NEAR:
            raise TooLarge(
                f"over {number_text(MOST_NEAR)} pairs of a record that leaves and one that joins "
                "move the covariance alike; ask of fewer records"
            )
    return zip(
        found[:, 1].astype(np.intp).tolist(), found[:, 2].astype(np.intp).tolist(), strict=True
    )


def _slack(own: Side, spare: Side) -> float:
    """By how much two rises in floats may be wrong together, and no less than that."""
    u, v, s, t = (_farthest(numbers) for numbers in (own.u, own.v, spare.u, spare.v))
    return SLACK * (u + s) * (v + t)


def _farthest(numbers: np.ndarray) -> float:
    return float(np.abs(numbers).max(initial=0))


def _from_the_mean(
    mine: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Own and spare numbers from a whole one next to the mean of the own; then as floats.

    >>> _from_the_mean(np.array([10, 13]), np.array([15]))
    (array([-2,  1]), array([3]), array([-0.42857143,  0.42857143]), array([1.]))
    """
    n, total = len(mine), exact_sum(mine)
    middle = round(Fraction(total, n))
    sides = [_minus(numbers, middle) for numbers in (mine, others)]
    most = max(map(largest, sides))
    bits = max(most.bit_length() - 1000, 0)  # floats end at 2^1024
    mean = float(Fraction(total - n * middle, n << bits))
    floats = [(numbers >> bits if bits else numbers).astype(np.float64) - mean for numbers in sides]
    unit = max(map(_farthest, floats)) or 1.0
    return sides[0], sides[1], floats[0] / unit, floats[1] / unit


def _minus(numbers: np.ndarray, middle: int) -> np.ndarray:
    """Whole numbers minus one, exactly."""
    if numbers.dtype != object and max(largest(numbers), abs(middle)) < 2**61:
        return numbers - np.int64(middle)
    return numbers.astype(object) - middle


def _different(side: Side) -> np.ndarray:
    """The places of the first of each of some equal records, ascending."""
    first: dict[tuple[int, int], int] = {}
    for place, pair in enumerate(zip(side.x.tolist(), side.y.tolist(), strict=True)):
        first.setdefault(pair, place)
    return np.array(list(first.values()), dtype=np.intp)


def _places(*places: int) -> np.ndarray:
    return np.array(places, dtype=np.intp)
