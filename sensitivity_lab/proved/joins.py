"""The rows of an acyclic join: what one row adds is a product of what its neighbours in the tree bring.

A counting query of a join of different tables is linear in each of them. So a person with rows in
one table moves the answer by the sum over these rows of the matches that each has in the other
tables, whoever else is in that table. In a join tree those matches are a product of numbers that
two passes through the tables find.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import ClassVar

import numpy as np

from sensitivity_lab.errors import NotProved
from sensitivity_lab.gap import Norm
from sensitivity_lab.proved.family import Family, Interval, Words
from sensitivity_lab.proved.pool import Pool, joined
from sensitivity_lab.proved.worst_pair import D
from sensitivity_lab.relations import Move
from sensitivity_lab.tabular.joined import Joined, Key, Part, picker
from sensitivity_lab.tabular.people import People
from sensitivity_lab.universe import Indices

Source = tuple[Callable[[Key], Key], Mapping[Key, int]]  # what a neighbour brings to a key
ONE_PERSON = ((0, 0), (0, 1), (1, 0))  # the moves that are solved: nobody, one joins, one leaves


@dataclass(frozen=True)
class JoinCount(Family):
    """How many rows a join has, asked of people with rows in one table each.

    >>> import pandas as pd
    >>> from sensitivity_lab import Universe
    >>> orders = pd.DataFrame({"who": ["a", "b"], "order": [1, 2]})
    >>> items = pd.DataFrame({"who": ["c", "d"], "order": [2, 2]})
    >>> shop = Universe.people({"orders": orders, "items": items}, id="who")
    >>> pool = Pool(shop, dataset=(0, 2, 3), most_added=1)
    >>> JoinCount(Joined((("orders", ("order",)), ("items", ("order",))))).on_dataset(pool, (0, 1), 1)
    [(0, 1, 2, 3)]

    Cost: O(d²·n) for n rows of the universe and tables with at most d neighbours in the tree.
    Source: the numbers that two passes find are the "botjoins" and "topjoins" of Tao, He,
    Machanavajjhala and Roy, "Computing local sensitivities of counting queries with joins",
    doi:10.1145/3318464.3389762.
    """

    of_numbers: ClassVar[bool] = False
    among_records: ClassVar[bool] = False

    join: Joined

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        raise NotProved("a join has no closed form: it is asked of tables")

    def words(self, norm: Norm) -> Words:
        raise NotProved("a join has no closed form: it is asked of tables")

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        people = pool.universe.source
        if move not in ONE_PERSON or not self._serves(people):
            return None
        if move == (0, 0):
            return [pool.dataset]
        rows = _Rows(self.join, people, pool.dataset)
        if move == (0, 1):
            return [joined(pool.own, np.array([rows.most(pool.spare)], dtype=np.intp))]
        return [joined(pool.own[pool.own != rows.most(pool.own)])]

    def _serves(self, people: object) -> bool:
        """Whether these are people with rows in one of the tables at most, and the tables a tree."""
        if not isinstance(people, People) or not self.join.acyclic:
            return False
        if not {*self.join.columns} <= {*people.natives}:
            return False
        brought = zip(*(people.rows[name] for name in self.join.columns), strict=True)
        return all(sum(len(rows) > 0 for rows in person) <= 1 for person in brought)


@dataclass(frozen=True, eq=False)
class _Rows:
    """All rows of the people, and the matches of each with the rows of one dataset."""

    join: Joined
    people: People
    dataset: Indices

    @cached_property
    def keys(self) -> dict[str, list[Key]]:
        """Of each table, what every row of the universe has in its links."""
        natives = self.people.natives
        return {name: self.join.keys(name, natives[name]) for name in self.join.columns}

    @cached_property
    def held(self) -> dict[str, list[Key]]:
        """Of each table, the keys of the dataset's rows; those with a value missing match none."""
        held = {}
        for name, keys in self.keys.items():
            rows = chain.from_iterable(self.people.rows[name][i].tolist() for i in self.dataset)
            held[name] = [key for key in map(keys.__getitem__, rows) if None not in key]
        return held

    @cached_property
    def around(self) -> dict[str, list[str]]:
        """The neighbours of each table in the tree."""
        neighbours: dict[str, list[str]] = {name: [] for name in self.join.columns}
        for name, onto in self.join.hung:
            neighbours[name].append(onto)
            neighbours[onto].append(name)
        return neighbours

    @cached_property
    def brought(self) -> Mapping[tuple[str, str], Mapping[Key, int]]:
        """By (from, to): for each key that two neighbours share, the matches on the first one's side.

        One pass up the tree, one down: a table passes on what all its other neighbours brought.
        """
        matches: dict[tuple[str, str], Mapping[Key, int]] = {}
        up = list(self.join.hung)
        for sender, to in [*up, *((onto, name) for name, onto in reversed(up))]:
            others = [other for other in self.around[sender] if other != to]
            shared = self.join.shared(sender, to)
            matches[sender, to] = self._passed_on(sender, others, shared, matches)
        return matches

    def _passed_on(
        self,
        sender: str,
        others: list[str],
        shared: Sequence[str],
        known: Mapping[tuple[str, str], Mapping[Key, int]],
    ) -> Mapping[Key, int]:
        links = self.join.links[sender]
        sources = [
            (picker(links, self.join.shared(sender, other)), known[other, sender])
            for other in others
        ]
        times: dict[Key, int] = {}
        for key in self.held[sender]:
            n = _product(key, sources)
            if n:
                times[key] = times.get(key, 0) + n
        return Part(links, times).summed(tuple(shared))

    def most(self, candidates: np.ndarray) -> int:
        """Of some people, given by their positions, the first whose rows have most matches."""
        best, most = int(candidates[0]), -1
        sources = {
            name: [
                (
                    picker(self.join.links[name], self.join.shared(name, other)),
                    self.brought[other, name],
                )
                for other in others
            ]
            for name, others in self.around.items()
        }
        for person in candidates.tolist():
            matches = 0
            for name, keys in self.keys.items():
                for row in self.people.rows[name][person].tolist():
                    matches += 0 if None in keys[row] else _product(keys[row], sources[name])
            if matches > most:
                best, most = person, matches
        return best


def _product(key: Key, sources: Sequence[Source]) -> int:
    """The product over some neighbours of the matches that they bring to a key."""
    n = 1
    for pick, brought in sources:
        n *= brought.get(pick(key), 0)
    return n
