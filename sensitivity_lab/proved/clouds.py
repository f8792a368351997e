"""Which of many points lie furthest in a direction, and how far the sums of some can lie apart.

Two clouds of points are given, perhaps one and the same. Some points of the one, minus some of the
other, add up to a vector; here it is made as long as can be (thm-vector-sum).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import count as counter
from itertools import product

import numpy as np

from sensitivity_lab.errors import TooLarge
from sensitivity_lab.proved.points import ROOM, exact_sum, largest, weighed
from sensitivity_lab.text import number_text

Direction = tuple[int, ...]
Vector = tuple[int, ...]
Found = tuple[int, np.ndarray, np.ndarray]  # a length, or its square; places in either cloud

MOST_SIGNED = 500_000_000  # points × sign vectors in L1
FEW = 100  # points that are not pruned
MOST_HALVED = 8  # times that an arc is halved to prune
MOST_PROJECTED = 300_000_000  # points that are looked at on the way round
A_CORNER = 5_000  # of these stand for what each corner takes besides
EPSILON = 2.0**-46  # of a float projection, relative to the largest that there can be


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of d whole coordinates, in arrays of (m,); `copies` says that none ever runs out.

    >>> cloud = Cloud((np.array([0, 4, 3]), np.array([5, 0, 3])))
    >>> cloud.last((1, 1), 2), cloud.added(np.array([0, 2]), 2)
    (array([0, 2]), (3, 8))
    """

    columns: tuple[np.ndarray, ...]
    copies: bool = False

    def __len__(self) -> int:
        return len(self.columns[0])

    def taken(self, places: np.ndarray) -> Cloud:
        """Some of the points, at ascending places."""
        if len(places) == len(self):
            return self
        few = Cloud(tuple(column[places] for column in self.columns), self.copies)
        few.__dict__["most"] = self.most
        if "_floats" in self.__dict__:
            few.__dict__["_floats"] = [column[places] for column in self._floats]
        return few

    def different(self, count: int) -> int:
        """How many points `count` of the furthest are, of which each may come several times."""
        return min(count, 1) if self.copies else count

    def added(self, places: np.ndarray, count: int) -> Vector:
        """The sum of `count` points: those at some places, or that many copies of the one there."""
        times = count if self.copies else 1
        return tuple(times * exact_sum(column[places]) for column in self.columns)

    def last(self, direction: Direction, count: int) -> np.ndarray:
        """The places of the furthest in a direction; of equals those further round, then the last.

        Cost: O(m) arithmetic, on floats where 64 bits are too few, and a sort of what may be among
        the furthest.
        """
        return self._furthest(direction, self.different(count), last=True)

    def first(self, direction: Direction, count: int) -> np.ndarray:
        """The places of the least far in a direction: the first in the order of `last`."""
        return self._furthest(direction, self.different(count), last=False)

    def _furthest(self, direction: Direction, count: int, last: bool) -> np.ndarray:
        if not count:
            return np.zeros(0, dtype=np.intp)
        forward = direction if last else tuple(-part for part in direction)
        near = self._at_least(forward, count)
        columns = tuple(column[near] for column in self.columns)
        keys = [near, weighed(columns, direction)]
        if len(direction) == 2:
            x, y = direction
            keys.insert(1, weighed(columns, (-y, x)))
        order = near[_in_order(keys)]
        chosen: np.ndarray = order[len(order) - count :] if last else order[:count]
        return chosen

    def _at_least(self, direction: Direction, count: int) -> np.ndarray:
        """The places of all points that reach as far as the `count` furthest, and perhaps more."""
        far, slack = self.reach(direction)
        if count == len(far):
            return np.arange(count, dtype=np.intp)
        return np.flatnonzero(far >= np.partition(far, -count)[-count] - slack)

    def reach(self, direction: Direction) -> tuple[np.ndarray, float | int]:
        """How far each point lies in a direction, and by how much that may be wrong, twice over.

        In 64 bits nothing is wrong; else it is in floats of a unit of its own.
        """
        sizes = [most * abs(part) for most, part in zip(self.most, direction, strict=True)]
        if sum(sizes) < ROOM and max(map(abs, direction)) < ROOM and self._small:
            terms = zip(self.columns, direction, strict=True)
            whole = [
                column * np.int64(part) if part != 1 else column for column, part in terms if part
            ]
            return sum(whole[1:], whole[0]), 0
        unit = max(map(abs, direction))
        far = np.zeros(len(self), dtype=np.float64)
        for column, part in zip(self._floats, direction, strict=True):
            far += float(Fraction(part, unit)) * column
        return far, EPSILON * len(direction) ** 2

    def longest(self) -> tuple[int, int]:
        """The place of the first of the longest points, and the square of its length.

        >>> Cloud((np.array([1, -4, 3]), np.array([2, 0, -1]))).longest()
        (1, 16)
        """
        far = np.zeros(len(self), dtype=np.float64)
        for column in self._floats:
            far += column * column
        near = np.flatnonzero(far >= far.max() - EPSILON * len(self.columns) ** 2)
        points = zip(
            near.tolist(), *(column[near].tolist() for column in self.columns), strict=True
        )
        square, place = max((_dot(point, point), -place) for place, *point in points)
        return -place, square

    @cached_property
    def most(self) -> list[int]:
        """The largest magnitude in each coordinate, here or in the cloud that this is taken from."""
        return [largest(column) for column in self.columns]

    @property
    def _small(self) -> bool:
        return all(column.dtype != object for column in self.columns)

    @cached_property
    def _floats(self) -> list[np.ndarray]:
        """The coordinates over the largest magnitude of all, each within 2^-50."""
        bits = max(max(self.most).bit_length() - 60, 0)
        unit = float(max(max(self.most) >> bits, 1))
        return [(column >> bits).astype(np.float64) / unit for column in self.columns]


def _in_order(keys: list[np.ndarray]) -> np.ndarray:
    """An order by the last key, then by those before it."""
    if all(key.dtype != object for key in keys):
        return np.lexsort(keys)
    rows = list(zip(*(key.tolist() for key in reversed(keys)), strict=True))
    return np.array(sorted(range(len(rows)), key=rows.__getitem__), dtype=np.intp)


# -- finitely many directions are enough: L1, L∞ and a single column ---------------------------


def signs(columns: int) -> Iterator[Direction]:
    """The directions that an L1 length is the largest of, one of each two opposite ones.

    >>> list(signs(2))
    [(1, 1), (1, -1)]
    """
    return ((1, *rest) for rest in product((1, -1), repeat=columns - 1))


def axes(columns: int) -> Iterator[Direction]:
    """Those of an L∞ length.

    >>> list(axes(2))
    [(1, 0), (0, 1)]
    """
    return (tuple(int(i == j) for j in range(columns)) for i in range(columns))


@dataclass(eq=False)
class Ways:
    """The longest vector where finitely many directions measure it.

    >>> cloud = Cloud((np.array([0, 4, 3]), np.array([5, 0, 3])))
    >>> Ways(cloud, cloud, signed=True).furthest(1, 1)
    (9, array([1]), array([0]))
    """

    plus: Cloud
    minus: Cloud
    signed: bool  # as L1 is measured, else as L∞
    _known: dict[int, list[tuple[Ends, Ends]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.count * max(len(self.plus), len(self.minus)) > MOST_SIGNED:
            raise TooLarge(
                f"{number_text(self.count)} directions × {number_text(len(self.plus))} "
                f"records exceed the limit of {number_text(MOST_SIGNED)} for a sum of "
                f"{len(self.plus.columns)} columns in L1; ask of fewer columns, or in L∞"
            )

    @property
    def count(self) -> int:
        """How many directions there are, of two opposite ones one."""
        columns = len(self.plus.columns)
        return 2 ** (columns - 1) if self.signed else columns

    def furthest(self, a: int, b: int) -> Found:
        """The most that the sum of a points of `plus` exceeds one of b of `minus`, some way."""
        best: Found | None = None
        for upper, lower in self._ends(max(a, b)):
            for last in (True, False):
                length = upper.reach(a, last) + lower.reach(b, not last)
                if best is None or length > best[0]:
                    best = length, upper.places(a, last), lower.places(b, not last)
        assert best is not None
        return best

    def _ends(self, most: int) -> Iterator[tuple[Ends, Ends]]:
        """The ends of both clouds in each direction, kept where they are few."""
        held = _held(most)
        if held not in self._known:
            directions = (signs if self.signed else axes)(len(self.plus.columns))
            found = (self._ends_in(direction, held) for direction in directions)
            if held * self.count > 4_000_000:
                return found
            self._known[held] = list(found)
        return iter(self._known[held])

    def _ends_in(self, direction: Direction, most: int) -> tuple[Ends, Ends]:
        upper = Ends(self.plus, direction, most)
        same = self.plus is self.minus
        return upper, upper if same else Ends(self.minus, direction, most)


class Ends:
    """The first and the last points of a cloud in a direction, and the sums of how far they lie."""

    def __init__(self, cloud: Cloud, direction: Direction, most: int) -> None:
        most = min(most, len(cloud))
        self.copies = cloud.copies
        self.last = cloud.last(direction, most)[::-1]
        self.first = cloud.first(direction, most)
        self.sums = {
            last: _sums(weighed(tuple(column[places] for column in cloud.columns), forward))
            for last, places, forward in (
                (True, self.last, direction),
                (False, self.first, _back(direction)),
            )
        }

    def reach(self, count: int, last: bool) -> int:
        """How far `count` points reach together, forward, or backward from the first."""
        if self.copies:
            return count * int(self.sums[last][1]) if count else 0
        return int(self.sums[last][count])

    def places(self, count: int, last: bool) -> np.ndarray:
        """Where they are."""
        return (self.last if last else self.first)[: min(count, 1) if self.copies else count]


def _held(most: int) -> int:
    """How many of the furthest are found at once, so that it is seldom asked anew: 8, 128, 2048, …

    >>> _held(3), _held(9)
    (8, 128)
    """
    held = 8
    while held < most:
        held *= 16
    return held


def _sums(numbers: np.ndarray) -> np.ndarray:
    """The sums of the first 0, 1, 2, … numbers."""
    kind = np.int64 if largest(numbers) * len(numbers) < ROOM else object
    return np.concatenate([np.zeros(1, dtype=kind), np.cumsum(numbers.astype(kind), dtype=kind)])


# -- all the way round: L2 in the plane ----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Corner:
    """The furthest sum in a direction: of the points at some places of both clouds."""

    direction: Direction
    at: Vector
    upper: np.ndarray
    lower: np.ndarray


@dataclass(frozen=True, eq=False)
class Arc:
    """The directions from one corner round to another, and the points that can matter there."""

    start: Corner
    stop: Corner
    upper: np.ndarray
    lower: np.ndarray

    @property
    def bound(self) -> Fraction:
        """The square of how long a sum of these directions can be, at the most.

        All of them lie in a triangle: the two corners, and where their supporting lines meet.
        """
        (ux, uy), (vx, vy) = self.start.direction, self.stop.direction
        one, other = (
            _dot(self.start.direction, self.start.at),
            _dot(self.stop.direction, self.stop.at),
        )
        across = ux * vy - uy * vx
        x, y = one * vy - other * uy, ux * other - vx * one
        return Fraction(x * x + y * y, across * across)


@dataclass(eq=False)
class Round:
    """The longest sum of a points of `plus` minus b of `minus`, in the plane.

    >>> cloud = Cloud((np.array([0, 4, 3]), np.array([5, 0, 3])))
    >>> Round(cloud, cloud, 1, 1).longest()
    (41, array([1]), array([0]))
    """

    plus: Cloud
    minus: Cloud
    a: int
    b: int
    projected: int = 0

    def longest(self) -> Found:
        """The square of its length, and the places of its points. Cost: see `thm-vector-sum`."""
        order = counter()
        waiting: list[tuple[Fraction, int, Arc]] = []
        quarters = self.quarters()
        best = max((arc.start for arc in quarters), key=_square)
        for arc in quarters:
            heappush(waiting, (-arc.bound, next(order), arc))
        while waiting and -waiting[0][0] > _square(best):
            arc = self.needed(heappop(waiting)[2])
            for half in self.halves(arc):
                best = max(best, half.start, key=_square)
                heappush(waiting, (-half.bound, next(order), half))
        final = self._corner(best.direction, *self._everywhere())
        return _square(final), final.upper, final.lower

    def quarters(self) -> list[Arc]:
        """The four arcs between the axes."""
        everywhere = self._everywhere()
        corners = [self._corner(axis, *everywhere) for axis in ((1, 0), (0, 1), (-1, 0), (0, -1))]
        return [
            Arc(start, stop, *everywhere)
            for start, stop in zip(corners, corners[1:] + corners[:1], strict=True)
        ]

    def halves(self, arc: Arc) -> list[Arc]:
        """An arc up to the furthest sum across its corners, and from there; none, if there is none."""
        ahead = arc.stop.direction
        if _dot(ahead, arc.start.at) == _dot(ahead, arc.stop.at):
            return []
        middle = self._corner(_outward(arc), arc.upper, arc.lower)
        if _dot(middle.direction, middle.at) == _dot(middle.direction, arc.start.at):
            return []  # the two corners are the ends of an edge
        return [
            Arc(arc.start, middle, arc.upper, arc.lower),
            Arc(middle, arc.stop, arc.upper, arc.lower),
        ]

    def _everywhere(self) -> list[np.ndarray]:
        return [np.arange(len(cloud), dtype=np.intp) for cloud in (self.plus, self.minus)]

    def _corner(self, direction: Direction, upper: np.ndarray, lower: np.ndarray) -> Corner:
        """The furthest sum in a direction of points at some places."""
        self._count(len(upper) + len(lower) + A_CORNER)
        upper = upper[self.plus.taken(upper).last(direction, self.a)]
        lower = lower[self.minus.taken(lower).first(direction, self.b)]
        added, taken_off = self.plus.added(upper, self.a), self.minus.added(lower, self.b)
        at = tuple(x - y for x, y in zip(added, taken_off, strict=True))
        return Corner(direction, at, upper, lower)

    def needed(self, arc: Arc) -> Arc:
        """An arc with those points alone that may be among the furthest somewhere on it."""
        self._count(2 * (len(arc.upper) + len(arc.lower)))
        one, other = arc.start, arc.stop
        forward = one.direction, other.direction
        backward = _back(one.direction), _back(other.direction)
        upper = needed(self.plus, arc.upper, forward, (one.upper, other.upper))
        lower = needed(self.minus, arc.lower, backward, (one.lower, other.lower))
        return Arc(one, other, upper, lower)

    def _count(self, points: int) -> None:
        self.projected += points
        if self.projected > MOST_PROJECTED:
            raise TooLarge(
                f"the sums of {self.a} and {self.b} records have so many corners that over "
                f"{number_text(MOST_PROJECTED // A_CORNER)} of them may have to be looked at in L2; ask for a smaller k, "
                "or in L1 or L∞, which bound it"
            )


def needed(
    cloud: Cloud,
    places: np.ndarray,
    directions: tuple[Direction, Direction],
    furthest: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Of some places those whose points may be among the furthest between two directions.

    `furthest` are the places of the furthest in either. What reaches no further in the other
    direction than all of these is never needed; they are themselves (thm-vector-sum).
    """
    if not len(furthest[0]):
        return furthest[0]
    points = cloud.taken(places)
    kept = np.ones(len(places), dtype=bool)
    for direction, others in zip(reversed(directions), furthest, strict=True):
        far, slack = points.reach(direction)
        least = far[np.searchsorted(places, others)].min()
        kept &= far > least - 2 * slack if slack else far > least
    for others in furthest:
        kept[np.searchsorted(places, others)] = True
    return places[kept]


class InThePlane:
    """The longest sums of a points of one cloud minus b of another, for several a and b.

    >>> cloud = Cloud((np.array([0, 4, 3]), np.array([5, 0, 3])))
    >>> InThePlane(cloud, cloud).furthest(1, 0)
    (25, array([0]), array([], dtype=int64))
    """

    def __init__(self, plus: Cloud, minus: Cloud) -> None:
        self.plus, self.minus = plus, minus
        self._kept: dict[tuple[bool, int], tuple[np.ndarray, Cloud]] = {}

    def furthest(self, a: int, b: int) -> Found:
        """The square of the length, and the places in either cloud."""
        held = _held(max(a, b))
        upper, plus = self._few(True, held)
        lower, minus = (upper, plus) if self.plus is self.minus else self._few(False, held)
        square, one, other = Round(plus, minus, a, b).longest()
        return square, upper[one], lower[other]

    def _few(self, of_plus: bool, count: int) -> tuple[np.ndarray, Cloud]:
        """The points of a cloud that can be among the furthest, and their places."""
        cloud = self.plus if of_plus else self.minus
        if (of_plus, count) not in self._kept:
            places = pruned(cloud, cloud.different(count))
            self._kept[of_plus, count] = places, cloud.taken(places)
        return self._kept[of_plus, count]


def pruned(cloud: Cloud, count: int) -> np.ndarray:
    """The places, ascending, of the points that may be among the `count` furthest in the plane.

    They are at least twice as many as that, where there are so many points.

    >>> square = np.array([0, 0, 99, 99]), np.array([0, 99, 0, 99])
    >>> inside = np.arange(20, 80)
    >>> pruned(Cloud(tuple(np.concatenate([side, inside, inside]) for side in square)), 1)
    array([0, 1, 2, 3])

    Cost: O(m) for four directions, and for each that an arc with many points is halved at.
    """
    if len(cloud) <= max(FEW, 2 * count):
        return np.arange(len(cloud), dtype=np.intp)
    kept = np.zeros(len(cloud), dtype=bool)
    way = Round(cloud, cloud, count, 0)
    arcs = [(arc, 0) for arc in way.quarters()]
    while arcs:
        arc, halved = arcs.pop()
        arc = way.needed(arc)
        if len(arc.upper) <= max(FEW, 4 * count) or halved == MOST_HALVED:
            kept[arc.upper] = True
            continue
        halves = way.halves(arc)
        kept[arc.start.upper] = kept[arc.stop.upper] = True
        arcs += [(half, halved + 1) for half in halves]
    missing = min(2 * count, len(cloud)) - int(kept.sum(dtype=np.int64))
    if missing > 0:
        kept[np.flatnonzero(~kept)[:missing]] = True
    return np.flatnonzero(kept)


def _dot(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(one, other, strict=True))


def _square(corner: Corner) -> int:
    return _dot(corner.at, corner.at)


def _back(direction: Direction) -> Direction:
    return tuple(-part for part in direction)


def _outward(arc: Arc) -> Direction:
    """Across the line from one corner of an arc to the other, in small whole numbers."""
    (x, y), (z, w) = arc.start.at, arc.stop.at
    shared = math.gcd(z - x, w - y)
    return (w - y) // shared, (x - z) // shared
