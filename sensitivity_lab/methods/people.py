"""A query of a column over anybody, solved: it is asked of rows, which people bring in any mix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product

from sensitivity_lab.methods.image import Image, told
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.worst_pair import AtPositions, D, Parts, WorstPair
from sensitivity_lab.tabular.people import AnyPeople
from sensitivity_lab.universe import Universe


def gaps_of_people(problem: Problem, of_numbers: Callable[[Problem], D | None]) -> D | None:
    """Return D for a problem whose query is of a column over anybody, or None without a proof.

    >>> from sensitivity_lab import Change, count_distinct
    >>> from sensitivity_lab.methods.solver import widest_gaps
    >>> readers = Universe.people(Universe.product(book=["Emma", "Ivanhoe"]), most_rows=3)
    >>> problem = Problem(count_distinct.of("book"), readers, 1, Change(1), norm=1)
    >>> gaps_of_people(problem, widest_gaps)(1, 1, 0).gap
    2

    `of_numbers` returns D for the rows' numbers. A column that has none in some row is left to
    those who ask people for it.
    Raises ValueError, as people who bring nothing do, for a query that needs a row.
    """
    query, people = problem.query, problem.universe
    if not isinstance(people.source, AnyPeople) or query.inner is None or query.proved is None:
        return None
    if query.smallest_size:
        query.called(people.source.given([]))
    rows = people.source.kinds
    try:
        query.called(rows.frame.to_native())
    except ValueError:
        return None
    image = Image.of(Universe(rows, True, None), query)
    d = of_numbers(replace(problem, query=image.asked, universe=image.numbers))
    return brought(d, image, people) if d and query.proved.falls else None


def brought(d: D, image: Image, people: Universe) -> D:
    """D of anybody, from that of the numbers of the rows that they bring (thm-people-rows)."""
    most = len(people.values[-1])
    position_of = {person: i for i, person in enumerate(people.values)}
    rows = image.universe.values

    def of_people(c: int, a: int, b: int) -> WorstPair | None:
        """Whoever brings rows brings all they may; of shared rows there is one at the most."""
        shares = product({0, min(1, most * c)}, {0, most * a}, {0, most * b})
        pairs = [pair for share in shares if (pair := d(*share))]
        best = image.lifted(max(pairs, key=lambda pair: pair.gap))
        sides = zip((best.common, best.removed, best.added), (c, a, b), strict=True)
        parts = [
            tuple(
                (position_of[tuple(rows[i] for i in hand)], times)
                for hand, times in dealt(part, many, most).items()
            )
            for part, many in sides
        ]
        return told(best, parts, AtPositions(people))

    return of_people


def dealt(rows: Parts, people: int, most: int) -> Counter[tuple[int, ...]]:
    """Rows dealt to so many people, to each as many as they may bring while there are any.

    >>> dealt([(4, 5), (2, 1)], people=4, most=2)
    Counter({(4, 4): 2, (2, 4): 1, (): 1})
    """
    hands: Counter[tuple[int, ...]] = Counter()
    hand: list[int] = []
    for row, copies in rows:
        fill = min(copies, most - len(hand)) if hand else 0
        hand += [row] * fill
        if len(hand) == most:
            hands[tuple(sorted(hand))] += 1
            hand = []
        if copies > fill:
            hands[(row,) * most] += (copies - fill) // most
            hand = [row] * ((copies - fill) % most)
    hands[tuple(sorted(hand))] += 1 if hand else 0
    hands[()] += people - hands.total()
    return +hands
