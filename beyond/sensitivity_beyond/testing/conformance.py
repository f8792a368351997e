"""Is a query right by every route? For whoever adds one, to the package or outside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from itertools import chain, product
from typing import Any

from sensitivity_lab import definition
from sensitivity_lab.closed_form import closed_form
from sensitivity_lab.numbers.errors import Infeasible, NotProved
from sensitivity_lab.numbers.exact import brief
from sensitivity_lab.numbers.gap import Norm, all_rational
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import STANDARD, Relation
from sensitivity_lab.sensitivity import global_sensitivity, local_sensitivity
from sensitivity_lab.universe import Universe

ROUTES = ("walk", "sweep", "solver")
NEAR = 1e-9  # relative: two floats that are one number
MOST_LOCAL = 4  # datasets of a size, evenly spread, whose neighbours are asked about
MOVED = Fraction(7, 3)  # a population of no whole numbers, of another width and place
UNIVERSES = (
    Universe.value_range([-2, 0, 1, 3]),
    Universe.population([MOVED * value + Fraction(1, 2) for value in (-2, 1, 1, 3, 4)]),
)


def check_query(
    query: Query,
    *,
    universes: Iterable[Universe] = UNIVERSES,
    sizes: Iterable[int] = (1, 2, 3),
    relations: Iterable[Relation] | None = None,
    norm: Norm = 1,
) -> dict[str, int]:
    """Hold a query to the definition by every route that serves it; fail where one says otherwise.

    >>> from sensitivity_lab import MEDIAN
    >>> asked = check_query(MEDIAN, sizes=[2])
    >>> sorted(asked), asked["walk"] == asked["solver"]
    (['at least m', 'closed form', 'local', 'solver', 'sweep', 'walk'], True)

    For each universe, size and relation the walk, the sweep and the solver must give what
    `sensitivity_lab.definition` gives; each witness must be a neighbouring pair that far apart. One
    dataset's neighbours are asked about by the walk and by the solver. A closed form must have its
    text and source, and be attained by its witness, or be a bound. Floats may differ by a
    billionth. A route without a proof is left out.

    :param query: a `Query`; what is proved of it stands in its `proved`.
    :param universes: of numbers, and small: every pair of datasets is made.
    :param sizes: how many records the datasets have; those below `smallest_size` are left out.
    :param relations: by default the five at k = 1 and 2.
    :return: how often each route was compared.
    :raises AssertionError: naming the query, the question, the route and both numbers.
    :raises TypeError: for what is no `Query`.
    :raises ValueError: for relations that the definition does not know.

    Cost: as the definition, which is exponential in the records.
    """
    if not isinstance(query, Query):
        raise TypeError(f"query must be a Query, got {brief(query)}")
    asked: Counter[str] = Counter()
    given = [kind(k) for kind in STANDARD for k in (1, 2)] if relations is None else list(relations)
    for relation in given:
        if type(relation) not in STANDARD:
            raise ValueError(f"relations must be standard ones, got {brief(relation)}")
    least = query.smallest_size or 0
    asked_sizes = [size for size in sizes if size >= least]
    for universe in universes:
        answered = cache(query)  # of one universe: elsewhere 1 may be 1.0
        for size, relation in product(asked_sizes, given):
            _Question(query, answered, universe, size, relation, norm, asked).check()
    return dict(asked)


@dataclass(frozen=True)
class _Question:
    """One universe, size and relation, and the counts of what was compared."""

    query: Query
    answered: Callable[[Any], Any]
    universe: Universe
    size: int
    relation: Relation
    norm: Norm
    asked: Counter[str] = field(repr=False)

    def check(self) -> None:
        """Compare every route; nothing where nobody is a neighbour."""
        of_range, relation = self.universe.unlimited, self.relation
        records = self.universe.values if of_range else self.universe.sorted_records.tolist()
        pairs = definition.range_pairs if of_range else definition.population_pairs
        every = pairs(records, self.size, relation.kind, relation.k)
        least = self.query.smallest_size or 0
        widest = definition.greatest(self.answered, least, every, self.norm)
        if widest is None:
            return
        truth = widest.value
        for method in ROUTES:
            found = self._found(global_sensitivity, self.universe, size=self.size, method=method)
            self._compare(method, found, truth)
        datasets = list(self.universe.datasets(self.size))
        for dataset in datasets[:: -(-len(datasets) // MOST_LOCAL)]:
            ask = partial(self._found, local_sensitivity, dataset, self.universe)
            if (walked := ask(method="walk")) is not None:
                self._compare("local", ask(method="solver"), walked.value)
        if of_range and self.query.proved:
            self._check_closed_form(truth)

    def _found(self, ask: Callable[..., Any], *of_what: Any, **options: Any) -> Any:
        """What a route answers; None where it has no proof, or no neighbour."""
        try:
            return ask(self.query, *of_what, relation=self.relation, norm=self.norm, **options)
        except (Infeasible, NotProved):
            return None
        except ValueError as error:
            if "method='sweep' serves" in str(error):
                return None
            raise

    def _compare(self, route: str, found: Any, truth: Any) -> None:
        """Hold what a route answers, if it does, to the truth, and its witness to what it says."""
        if found is not None:
            self.asked[route] += 1
            self._same(route, found.value, truth)
            no_pair = f"the {route}'s witness {found.witness} is no pair at {found.value}"
            self._require(found.check(), no_pair)

    def _check_closed_form(self, truth: Any) -> None:
        values, size = self.universe.values, self.size
        ask = partial(self._found, closed_form, bounds=(values[0], values[-1]))
        forms = {"closed form": ask(size=size), "at least m": ask(min_size=size)}
        for route, form in forms.items():
            self.asked[route] += 1
            has_both = form.formula and form.source
            self._require(bool(has_both), f"the {route} has no text, or no source")
            if form.witness is not None:
                here, there = map(self.answered, form.witness)
                gap = definition.gap(here, there, self.norm)
                self._same(route, gap, form.value)
                are_neighbours = self.relation.are_neighbours(*form.witness)
                self._require(are_neighbours, f"{form.witness} are no neighbours")
        form, least = forms.values()
        if form.status == "exact" and form.witness and {*chain(*form.witness)} <= {*values}:
            self._same("closed form", form.value, truth)
        few = ask(size=range(size, size + self.relation.k + 2)).value  # both sizes lie in it
        words = f"sizes of at least m have {least.value}, and a few of them {few}"
        below = f"the closed form {form.value} is below {truth}"
        for value, lower, otherwise in ((form.value, truth, below), (least.value, few, words)):
            self._require(value >= lower or _near(value, lower), otherwise)

    def _same(self, route: str, value: Any, truth: Any) -> None:
        self._require(_near(value, truth), f"the {route} gives {value}, not {truth}")

    def _require(self, holds: bool, otherwise: str) -> None:
        if not holds:
            asked = f"{self.query.name}, {self.relation}, size {self.size}, {self.universe!r}"
            raise AssertionError(f"{asked}: {otherwise}")


def _near(value: Any, truth: Any) -> bool:
    """Whether two numbers are one: exactly where both are rational, else to a billionth."""
    if all_rational((value, truth)):
        return bool(value == truth)
    return abs(float(value) - float(truth)) <= NEAR * abs(float(truth))
