"""Formulas for sensitivities on an interval of values, with conditions, status and proof.

On an interval [L, U] every sensitivity here is a maximum of one function, the D(c, a, b) of
`proved/family.py`: `Query.proved` gives each query's in closed form; a relation and a size say
which (c, a, b) there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sensitivity_lab.did_you_mean import SaysWhich
from sensitivity_lab.extension import Asked, OfResult
from sensitivity_lab.numbers.errors import Infeasible, NotProved
from sensitivity_lab.numbers.exact import (
    AsNumber,
    brief,
    by_name,
    checked_bounds,
    proper_norm,
    whole_number,
)
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.numbers.text import fields_repr, value_text
from sensitivity_lab.problem import require_few_moves
from sensitivity_lab.proved.family import ANY_COPIES, Family, Interval
from sensitivity_lab.proved.worst_pair import Share, WorstPair, shares, widest
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Relation, check_relation
from sensitivity_lab.results import html_table, presented
from sensitivity_lab.universe import Dataset

MOST_SHOWN = 1_000_000  # records in a witness


@dataclass(frozen=True, eq=False)
class ClosedForm(AsNumber, OfResult, SaysWhich):
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

    value: Fraction | float
    status: str
    formula: str
    conditions: str
    source: str
    witness: tuple[Dataset, Dataset] | None

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


@by_name
def closed_form(
    query: Query,
    *,
    bounds: tuple[Any, Any],
    relation: Relation,
    size: int | range | None = None,
    min_size: int | None = None,
    norm: Norm = 1,
    values: int | None = None,
) -> ClosedForm:
    """Return the sensitivity of a standard query on all datasets with values in `bounds`.

    >>> from sensitivity_lab import MEAN, SUM, AddRemove, SymmetricDifference
    >>> closed_form(SUM, bounds=(0, 12), size=4, relation=AddRemove(1)).value
    12
    >>> form = closed_form(MEAN, bounds=(0, 12), min_size=4, relation=SymmetricDifference(1))
    >>> form.value, form.status, form.formula
    (Fraction(12, 5), 'exact', 'R·max(k/(m + k), ⌈k/2⌉/(max(0, m − ⌊k/2⌋) + ⌈k/2⌉))')

    Of a clipped query the bounds are those of the numbers before they are cut, as in its witness.

    Give `size` where the dataset's size is known (its neighbour has what the relation gives; a
    range holds both sizes), or `min_size` where all that is known is that both datasets have at
    least so many records. `values` is how many values the bounds hold, for `count_distinct`;
    None stands for a real interval.

    Cost: O(k²) arithmetic, whatever the size; O(k³) for variance, std and `count_distinct` under
    `SymmetricDifference`. A range costs this for each of its sizes.
    Raises ValueError for bounds out of order, for a size below what the query is defined on,
    and for a query with no closed form; TypeError for what is not a standard query.
    Source: the theorem that the result's `source` names, and thm-share, thm-sizes, thm-sizes-mixed
    and thm-steps, on the book's page of proofs.
    """
    low, high = checked_bounds(bounds)
    proved: Family | None = query.proved if isinstance(query, Query) else None
    if proved is None:
        raise TypeError(f"query must be a standard query, got {brief(query)}: no formula is known")
    interval = Interval(*query.bounds_of(low, high), values)
    check_relation(relation)
    if not relation.is_standard:
        raise NotProved(f"relation must be a standard one for a closed form, got {brief(relation)}")
    proper_norm(norm)
    if values is not None:
        whole_number(values, "values", 1)
        if isinstance(query.function, Asked) and query.function.cuts:
            raise ValueError(f"values must be None where a cut may leave fewer, got {values=}")
        if values > 1 and not interval.width:
            raise ValueError(f"values must be 1 where both bounds are {brief(low)}, got {values=}")
    if (size is None) == (min_size is None):
        raise ValueError(
            f"give either size or min_size, got size={brief(size)}, min_size={brief(min_size)}"
        )
    bound = None
    if size is None:
        least = whole_number(min_size, "min_size", query.smallest_size or 0)
        asked = proved.shares_from(relation, least)
        bound = proved.bound_from(interval, relation, least)
    else:
        asked = _feasible_shares(query, relation, size)
    # The value is the widest D over the shares that relation and sizes allow (thm-share).
    d = proved.on_interval(interval, norm)
    worst = widest(d, asked) if bound is None else WorstPair(bound, attained=False)
    assert worst is not None
    words = proved.words_within(interval, norm)
    text, attained = words.text(relation, pinned=size is not None), worst.attained and worst.shown
    pair = worst.pair() if attained and worst.size <= MOST_SHOWN else None
    if pair and not interval.width:  # the bounds may lie beyond those that numbers are cut to
        pair = (low,) * len(pair[0]), (low,) * len(pair[1])
    return ClosedForm(
        value=presented(worst.gap),
        status="exact" if worst.attained else "upper bound",
        formula=f"{text}; {words.where}" if words.where else text,
        conditions=words.conditions if bound is None else ANY_COPIES,
        source=f"Proofs: {words.proof}",
        witness=pair,
    )


def _feasible_shares(query: Query, relation: Relation, size: int | range) -> Iterator[Share]:
    """Every (c, a, b) of a size, or of a range in which both sizes lie."""
    least = query.smallest_size or 0
    if not isinstance(size, range):
        size = whole_number(size, "size", least)
        sizes, others = range(size, size + 1), range(size + relation.k + 1)
    elif size:
        require_few_moves(size, relation)
        sizes = others = size
    else:
        raise ValueError(f"size must name at least one size, got {size}")
    # A move counts if both sizes are asked about, and the query is defined on both.
    moves = [
        (n, removed, added)
        for n in sizes
        for removed, added in relation.moves
        if removed <= n and min(n, other := n - removed + added) >= least and other in others
    ]
    if not moves:
        raise Infeasible(
            f"no direction of {relation} is feasible at size={size}: {query.name} needs at least "
            f"{query.smallest_size} records"
        )
    return shares(moves)
