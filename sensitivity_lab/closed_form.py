"""Formulas for sensitivities on an interval of values, with conditions, status and proof.

On an interval [L, U] every sensitivity here is a maximum of one function, D(c, a, b): the most
that two datasets' answers differ if they share c records, a further a belong to the one and b to
the other. `extremes` gives each query's D in closed form; a relation and a size say which
(c, a, b) there are. Where a docstring names a theorem, as in (thm-share), that is its label on
the book's page of proofs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sensitivity_lab.errors import Infeasible, NotProved
from sensitivity_lab.exact import (
    Exact,
    RootGap,
    brief,
    checked_bounds,
    checked_norm,
    simplest,
    whole_number,
)
from sensitivity_lab.problem import require_few_moves
from sensitivity_lab.proved.extremes import (
    EXTREMES,
    FALLING,
    SPREADS,
    Extreme,
    Piece,
    half_and_half,
)
from sensitivity_lab.proved.wording import CONDITIONS, formula_text
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import STANDARD, Relation, SymmetricDifference, check_relation
from sensitivity_lab.results import html_table, presented
from sensitivity_lab.text import fields_repr, value_text
from sensitivity_lab.universe import Dataset

MOST_SHOWN = 1_000_000  # records in a witness


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

    def __repr__(self) -> str:
        return fields_repr(self)

    def _repr_html_(self) -> str:
        return html_table(
            {
                "sensitivity": f"{value_text(self.value)} ({self.status})",
                "formula": self.formula,
                "conditions": self.conditions,
                "source": self.source,
            }
        )


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
        raise NotProved(f"relation must be a standard one for a closed form, got {brief(relation)}")
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
        raise ValueError(
            f"give either size or min_size, got size={brief(size)}, min_size={brief(min_size)}"
        )
    if size is None:
        least, most = _checked_min_size(query, min_size), math.inf
        asked = _from_least(relation, least, falling=query.family[0] in FALLING)
    else:
        if not isinstance(size, range):
            whole_number(size, "size", query.smallest_size or 0)
            sizes, least, most = range(size, size + 1), query.smallest_size or 0, math.inf
        elif size:
            require_few_moves(size, relation)
            sizes, least, most = size, max(min(size), query.smallest_size or 0), max(size)
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
        raise Infeasible(
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
    one_step = EXTREMES[kind]((ddof,), *bounds, 1, None)
    step = max(
        one_step(c, a, b).gap for c, a, b, _ in _shares(query, SymmetricDifference(1), None, least)
    )
    all_of_it = width**2 * (Fraction(1, 4) if ddof == 0 else half_and_half(least, ddof))
    if isinstance(step, RootGap):
        steps = RootGap(relation.k**2 * step.larger, relation.k**2 * step.smaller)
        value = presented(min(steps, RootGap(all_of_it, 0)))
    else:
        value = presented(min(relation.k * step, all_of_it))
    return ClosedForm(value, "upper bound", text, CONDITIONS["any"], proof, None)


# --- checks --------------------------------------------------------------------------------


def _checked_family(query: Any) -> str:
    if not isinstance(query, Query) or not query.family:
        raise TypeError(
            f"query must be a standard query, got {brief(query)}: no formula is known for it"
        )
    family: str = query.family[0]
    return family


def _checked_min_size(query: Query, min_size: int | None) -> int:
    return whole_number(min_size, "min_size", query.smallest_size or 0)
