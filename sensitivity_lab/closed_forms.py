"""Formulas for sensitivities on an interval of values, with conditions, status and proof.

On an interval [L, U] every sensitivity here is a maximum of one function. A dataset and its
neighbour share c records; a further a records belong to the one, b to the other. D(c, a, b) is
the most that the query's answer on the first exceeds its answer on the second. Each query below
gives D in closed form, with the records that attain it; a relation and a size say which
(c, a, b) there are. Where a docstring names a theorem, as in (thm-mean), that is its label on the
book's page of proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sensitivity_lab.enumeration import Gap
from sensitivity_lab.exact import (
    Exact,
    RootGap,
    checked_bounds,
    checked_norm,
    simplest,
    whole_number,
)
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import STANDARD, Relation, SymmetricDifference, check_relation
from sensitivity_lab.results import presented
from sensitivity_lab.universe import Dataset
from sensitivity_lab.wording import CONDITIONS, formula_text

Piece = tuple[Exact, int]  # a value, and how many records have it
MOST_SHOWN = 1_000_000  # records in a witness


@dataclass(frozen=True)
class Extreme:
    """The widest gap for some (c, a, b): the records in common, and those on either side.

    >>> Extreme(3, common=((0, 2),), higher=((9, 1),), lower=((0, 1),)).gap
    3

    Records are (value, copies). Source: def-share on the book's page of proofs.
    """

    gap: Gap
    common: tuple[Piece, ...] = ()
    higher: tuple[Piece, ...] = ()
    lower: tuple[Piece, ...] = ()
    attained: bool = True  # some pair of datasets has this gap
    shown: bool = True  # the records above are such a pair


@dataclass(frozen=True)
class ClosedForm:
    """A sensitivity by formula.

    >>> from sensitivity_lab import COUNT, Add
    >>> closed_form(COUNT, bounds=(0, 1), size=4, relation=Add(2))
    ClosedForm(value=2, status='exact', formula='k', conditions='none', source='Proofs: count',
        witness=((0, 0, 0, 0), (0, 0, 0, 0, 0, 0)))

    `status` is "exact" (some pair of datasets attains the value under the `conditions`) or
    "upper bound" (no pair exceeds it). `formula` uses R = U − L, k, the size n or the smallest
    size m; `source` names the proof. `witness` is a pair that attains the value, or None where
    none is known, the pair depends on more than the bounds, or has over a million records.
    """

    value: Any
    status: str
    formula: str
    conditions: str
    source: str
    witness: tuple[Dataset, Dataset] | None

    def __float__(self) -> float:
        return float(self.value)


def closed_form(
    query: Query,
    *,
    bounds: tuple[Any, Any],
    relation: Relation,
    size: int | range | None = None,
    min_size: int | None = None,
    norm: float = 1,
    values: int | None = None,
) -> ClosedForm:
    """Return the sensitivity of a standard query on all datasets with values in `bounds`.

    >>> from sensitivity_lab import MEAN, SUM, AddRemove
    >>> closed_form(SUM, bounds=(0, 12), size=4, relation=AddRemove(1)).value
    12
    >>> found = closed_form(MEAN, bounds=(0, 12), min_size=4, relation=SymmetricDifference(1))
    >>> found.value, found.status, found.formula
    (Fraction(12, 5), 'exact', 'R·max(k/(m + k), ⌈k/2⌉/(max(0, m − ⌊k/2⌋) + ⌈k/2⌉))')

    Give `size` where the dataset's size is known (its neighbour has what the relation gives; a
    range holds both sizes), or `min_size` where all that is known is that both datasets have at
    least so many records. `values` is how many values the bounds hold, for `count_distinct`;
    None stands for a real interval.

    Cost: O(k²) arithmetic, whatever the size; O(k³) for variance, std and `count_distinct` under
    `SymmetricDifference`. A range costs this for each of its sizes.
    Raises ValueError for bounds out of order, for a size below what the query is defined on,
    and for a query with no closed form; TypeError for what is not a standard query.
    Source: the theorem that the result's `source` names, and thm-share, thm-sizes and thm-steps,
    on the book's page of proofs.
    """
    low, high = checked_bounds(bounds)
    family = _checked_family(query)
    check_relation(relation)
    if type(relation) not in STANDARD:
        raise ValueError(f"relation must be a standard one for a closed form, got {relation}")
    checked_norm(norm)
    if values is not None:
        whole_number(values, "values", 1)
    extremes = EXTREMES[family](query.family[1:], low, high, norm, values)
    text, where, proof = formula_text(query, relation, pinned=size is not None, norm=norm)
    text = f"{text}; {where}" if where else text
    if family in SPREADS and size is None and _is_group_mix(relation):
        return _by_steps(query, (low, high), relation, min_size, text, proof)
    if family == "quantile" and size is None:
        shares = list(_periodic_shares(query, relation, _checked_min_size(query, min_size)))
    else:
        shares = list(_shares(query, relation, size, min_size))
    found = [(extremes(c, a, b), swapped) for c, a, b, swapped in shares]
    widest, swapped = _widest(found)
    return ClosedForm(
        value=presented(widest.gap),
        status="exact" if widest.attained else "upper bound",
        formula=text,
        conditions=CONDITIONS.get(family, CONDITIONS["any"]),
        source=proof,
        witness=_pair(widest, swapped),
    )


def _widest(found: list[tuple[Extreme, bool]]) -> tuple[Extreme, bool]:
    """The widest gap, and whether its sides are swapped; of equals, one that is attained."""
    widest, swapped = found[0]
    for extreme, is_swapped in found:
        wider = extreme.gap > widest.gap
        if wider or (extreme.gap == widest.gap and extreme.attained > widest.attained):
            widest, swapped = extreme, is_swapped
    return widest, swapped


def _pair(extreme: Extreme, swapped: bool) -> tuple[Dataset, Dataset] | None:
    if not (extreme.attained and extreme.shown):
        return None
    if sum(copies for _, copies in (*extreme.common, *extreme.higher, *extreme.lower)) > MOST_SHOWN:
        return None
    higher = _records(extreme.common, extreme.higher)
    lower = _records(extreme.common, extreme.lower)
    return (lower, higher) if swapped else (higher, lower)


def _records(*groups: Iterable[Piece]) -> Dataset:
    pieces = sorted((simplest(Fraction(value)), copies) for g in groups for value, copies in g)
    return tuple(value for value, copies in pieces for _ in range(copies))


# --- which (c, a, b) there are -------------------------------------------------------------

Share = tuple[int, int, int, bool]  # c, a, b, and whether the dataset is the lower side


def _shares(
    query: Query, relation: Relation, size: int | range | None, min_size: int | None
) -> Iterator[Share]:
    """Every (c, a, b) of a relation, from either side; of sizes without end, those that suffice."""
    if (size is None) == (min_size is None):
        raise ValueError(f"give either size or min_size, got size={size!r}, min_size={min_size!r}")
    if size is None:
        least, most = _checked_min_size(query, min_size), math.inf
        asked = _from_least(relation, least, falling=query.family[0] in FALLING)
    else:
        if not isinstance(size, range):
            whole_number(size, "size", query.smallest_size)
            sizes, least, most = range(size, size + 1), query.smallest_size, math.inf
        elif size:
            sizes, least, most = size, max(min(size), query.smallest_size), max(size)
        else:
            raise ValueError(f"size must name at least one size, got {size}")
        asked = [(n, *move) for n in sizes for move in relation.moves]
    shares = [
        share
        for n, removed, added in asked
        if n >= least and removed <= n and least <= n - removed + added <= most
        for share in ((n - removed, removed, added, False), (n - removed, added, removed, True))
    ]
    if not shares:
        raise ValueError(
            f"no direction of {relation} is feasible at size={size}: {query.name} needs at least "
            f"{query.smallest_size} records"
        )
    return iter(shares)


def _from_least(relation: Relation, least: int, falling: bool) -> list[tuple[int, int, int]]:
    """Sizes of at least m, each with a move, that hold the widest gap of any (thm-sizes).

    They are m to m + 2k + 1; for each move the two smallest, where D is `FALLING`.
    """
    if not falling:
        sizes = range(least, least + 2 * relation.k + 2)
        return [(n, *move) for n in sizes for move in relation.moves]
    asked = [
        (max(least + max(removed - added, 0), removed) + more, removed, added)
        for removed, added in relation.moves
        for more in (0, 1)
    ]
    return sorted(asked, key=lambda place: place[0])


def _periodic_shares(query: Query, relation: Relation, least: int) -> Iterator[Share]:
    """For a quantile with sizes unbounded above: one size that brings out every move's worst.

    Where q(N − 1) is whole for the higher side, the widest gap of a move is R·min(1, δ) with
    δ = qa + (1 − q)b, and no size has a wider one (thm-quantile).
    """
    q = Fraction(query.family[1])
    room = (1 - q) * q.denominator or 1  # records above the quantile in each period
    periods = max(-(-(least + 2 * relation.k) // q.denominator), math.ceil(relation.k / room))
    whole = 1 + q.denominator * periods
    for removed, added in relation.moves:
        for a, b, swapped in ((removed, added, False), (added, removed, True)):
            yield whole - a, a, b, swapped


def _is_group_mix(relation: Relation) -> bool:
    return isinstance(relation, SymmetricDifference) and relation.k > 1


def _by_steps(
    query: Query,
    bounds: tuple[Exact, Exact],
    relation: Relation,
    min_size: int | None,
    text: str,
    proof: str,
) -> ClosedForm:
    """k single steps, adding first, stay within the sizes: at most k times one step (thm-steps)."""
    least = _checked_min_size(query, min_size)
    kind, ddof = query.family
    width = Fraction(bounds[1] - bounds[0])
    low, high = bounds
    one_step = EXTREMES["variance"]((ddof,), low, high, 1, None)
    step = max(
        one_step(c, a, b).gap for c, a, b, _ in _shares(query, SymmetricDifference(1), None, least)
    )
    all_of_it = width**2 * (Fraction(1, 4) if ddof == 0 else _half_and_half(least, ddof))
    if kind == "variance":
        value: Any = presented(min(relation.k * step, all_of_it))
    else:
        value = float(RootGap(min(relation.k**2 * step, all_of_it), 0))
    return ClosedForm(value, "upper bound", text, CONDITIONS["any"], proof, None)


# --- D(c, a, b), query by query ------------------------------------------------------------

D = Callable[[int, int, int], Extreme]


def _count(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The difference of the sizes (thm-count)."""

    def d(c: int, a: int, b: int) -> Extreme:
        return Extreme(abs(a - b), ((low, c),), ((low, a),), ((low, b),))

    return d


def _count_where(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The predicate's records are not known, so there is a value but no witness (thm-count)."""

    def d(c: int, a: int, b: int) -> Extreme:
        return Extreme(a, shown=False)

    return d


def _sum(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """All a at the top, all b at the bottom; the shared records cancel (thm-sum)."""

    def d(c: int, a: int, b: int) -> Extreme:
        return Extreme(a * high - b * low, ((low, c),), ((high, a),), ((low, b),))

    return d


def _mean(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The shared records weigh 1/(c + a) − 1/(c + b): at the top if a < b, else at the bottom.

    The proof is thm-mean.
    """

    def d(c: int, a: int, b: int) -> Extreme:
        most = max(a, b)
        gap = Fraction(most, c + most) * (high - low) if most else Fraction(0)
        return Extreme(gap, ((high if a < b else low, c),), ((high, a),), ((low, b),))

    return d


def _quantile(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The shared records sit at both ends, l of them at the bottom (thm-quantile).

    With t = q(c + a − 1) − l + 1 the gap is R·(clip(t) − clip(t − δ)), δ = qa + (1 − q)b and
    clip to [0, 1]: a trapezium in t, symmetric about (1 + δ)/2, so the nearest l is best.
    """
    q = Fraction(options[0])

    def d(c: int, a: int, b: int) -> Extreme:
        delta = q * a + (1 - q) * b
        start = q * (c + a - 1) + 1
        best = min(max(round(start - (1 + delta) / 2), 0), c)
        share = _clip(start - best) - _clip(start - best - delta)
        return Extreme(
            (high - low) * share, ((low, best), (high, c - best)), ((high, a),), ((low, b),)
        )

    return d


def _clip(x: Fraction) -> Fraction:
    return min(max(x, Fraction(0)), Fraction(1))


def _half_and_half(size: int, ddof: int) -> Fraction:
    """The largest variance of `size` records on [0, 1]: half at either end."""
    return Fraction((size // 2) * (size - size // 2), size * (size - ddof))


def _variance(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """Either the lower side is constant (a ≥ b), or its own records sit at the shared mean.

    The proof is thm-variance.
    """
    (ddof,) = options
    width = Fraction(high - low)

    def d(c: int, a: int, b: int) -> Extreme:
        if a >= b:
            i = min(a, (c + a) // 2)
            gap = width**2 * Fraction(i * (c + a - i), (c + a) * (c + a - ddof))
            return Extreme(gap, ((low, c),), ((high, i), (low, a - i)), ((low, b),))
        gap, i, j = max(_spread_out(c, a, b, ddof))
        middle = low + width * Fraction(j, c) if c else low
        common = ((high, j), (low, c - j))
        return Extreme(width**2 * gap, common, ((high, i), (low, a - i)), ((middle, b),))

    return d


def _spread_out(c: int, a: int, b: int, ddof: int) -> Iterator[tuple[Fraction, int, int]]:
    """On [0, 1] with a < b: gaps for i of the a, and j of the c, at 1, the rest at 0.

    For each i the gap is a quadratic in j, so its vertex and its ends hold the maximum.
    """
    upper, lower = (c + a) * (c + a - ddof), c * (c + b - ddof)
    for i in range(a + 1):
        ends = {0, c}
        curvature = Fraction(1, lower) - Fraction(1, upper) if c else Fraction(0)
        if curvature < 0:
            slope = Fraction(c + a - 2 * i, upper) - Fraction(c, lower)
            vertex = math.floor(-slope / (2 * curvature))
            ends |= {min(max(vertex + step, 0), c) for step in (0, 1)}
        for j in ends:
            lower_variance = Fraction(j * (c - j), lower) if c else Fraction(0)
            yield Fraction((i + j) * (c + a - i - j), upper) - lower_variance, i, j


def _std(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The root of the variance's gap if the lower side is constant or has all the extra (thm-std).

    Otherwise √x − √y ≤ √(x − y) makes the root an upper bound.
    """
    (ddof,) = options
    variance = _variance(options, low, high, norm, values)
    width = Fraction(high - low)

    def d(c: int, a: int, b: int) -> Extreme:
        if a == 0 and b > 0:
            squares = Fraction((c // 2) * (c - c // 2), c) * width**2
            gap = RootGap(squares / (c - ddof), squares / (c + b - ddof))
            middle = low + width * Fraction(c // 2, c)
            return Extreme(gap, ((high, c // 2), (low, c - c // 2)), (), ((middle, b),))
        found = variance(c, a, b)
        shared = {value for value, copies in found.common if copies}
        constant = a >= b or len(shared) < 2  # then the lower side does not vary at all
        gap = RootGap(found.gap, 0)
        return Extreme(gap, found.common, found.higher, found.lower, attained=constant)

    return d


def _histogram(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    places, uncounted = _places(options, low, high)
    return bins_gap(places, uncounted, norm)


def bins_gap(places: list[Exact], uncounted: Exact | None, norm: float) -> D:
    """All a in one place, all b in another: two bins, or a bin and outside, if both are there.

    >>> bins_gap([1, 6], None, norm=1)(c=2, a=3, b=1).gap
    4

    `places` has a value for every bin that can be reached; `uncounted` is in no bin.
    Cost: O(1) for each (c, a, b). Source: thm-histogram on the book's page of proofs.
    """

    def length(a: int, b: int) -> Gap:
        if norm == 2:
            return RootGap(a * a + b * b, 0)
        return a + b if norm == 1 else max(a, b)

    def d(c: int, a: int, b: int) -> Extreme:
        if len(places) > 1:
            one, other, gap = places[0], places[1], length(a, b)
        elif places and uncounted is not None:
            one, other, gap = places[0], uncounted, length(max(a, b), 0)
            one, other = (one, other) if a >= b else (other, one)
        elif places:
            one = other = places[0]
            gap = length(abs(a - b), 0)
        else:
            assert uncounted is not None
            one = other = uncounted
            gap = length(0, 0)
        return Extreme(gap, ((one, c),), ((one, a),), ((other, b),))

    return d


def _places(edges: tuple[Exact, ...], low: Exact, high: Exact) -> tuple[list[Exact], Exact | None]:
    """A value within the bounds for every bin they reach, and one that no bin counts, if any."""
    places = []
    for i, (left, right) in enumerate(pairwise(edges)):
        value = max(left, low)
        last = i == len(edges) - 2
        if value <= high and (value < right or (last and value == right)):
            places.append(value)
    outside = [value for value in (low, high) if not edges[0] <= value <= edges[-1]]
    return places, outside[0] if outside else None


def _count_distinct(options: Any, low: Exact, high: Exact, norm: float, values: int | None) -> D:
    """The a bring new values; the shared records and the b are all alike (thm-count-distinct)."""
    values = 1 if low == high else values
    most = math.inf if values is None else values

    def d(c: int, a: int, b: int) -> Extreme:
        if c:
            gap = min(a, most - 1)
        else:
            gap = min(a, most) - (1 if b else 0)
        new = tuple((low + Fraction(high - low) * Fraction(i + 1, a), 1) for i in range(a))
        return Extreme(int(gap), ((low, c),), new, ((low, b),), shown=values is None)

    return d


EXTREMES: dict[str, Callable[[Any, Exact, Exact, float, int | None], D]] = {
    "count": _count,
    "count_where": _count_where,
    "count_distinct": _count_distinct,
    "sum": _sum,
    "mean": _mean,
    "quantile": _quantile,
    "variance": _variance,
    "std": _std,
    "histogram": _histogram,
}
SPREADS = ("variance", "std")
FALLING = ("count", "count_where", "count_distinct", "sum", "mean", "histogram")  # D, in c ≥ 1


# --- checks --------------------------------------------------------------------------------


def _checked_family(query: Any) -> str:
    if not isinstance(query, Query) or not query.family:
        raise TypeError(
            f"query must be a standard query, got {query!r}: no formula is known for it"
        )
    family: str = query.family[0]
    return family


def _checked_min_size(query: Query, min_size: int | None) -> int:
    return whole_number(min_size, "min_size", query.smallest_size)
