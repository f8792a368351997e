"""Records of every kind, drawn at random: every method is held to plain sums of rows,
and to the definition.

Of the package nothing is asked but its public calls. Set RECORDS_CASES for a longer run.
"""

import math
import os
import random
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, islice, product
from typing import Any, NamedTuple

import oracle_rows
import pandas as pd
import polars as pl
import pytest
from conftest import seeds
from worlds import MISSING, POOLS, Anybody, Named, Rows, Two, Values, exact

import sensitivity_lab as sl
from sensitivity_lab import definition
from sensitivity_lab.definition import root

CASES = int(os.environ.get("RECORDS_CASES", "1"))
MOST_DATASETS = 140
KINDS = (Anybody, Two, Named, Values, Rows)
METHODS = ("auto", "walk", "sweep", "solver")
EDGES = (-1, 1, 3)

# -- what is asked of numbers; the definition's own words, where it has some -----------------------


def by_definition(name):
    answer, least = definition.QUERIES[name]
    return lambda x: answer(tuple(sorted(x))), least


mean = by_definition("mean")[0]
spread = by_definition("variance")
OF_NUMBERS = {  # the query, what it is, and how many rows it needs
    **{query.name: (query, *by_definition(query.name)) for query in (
        sl.SUM, sl.MEAN, sl.MEDIAN, sl.quantile(0.25), sl.MIN, sl.MAX, sl.VARIANCE,
        sl.variance(ddof=1), sl.count_distinct)},
    "std": (sl.STD, *spread),  # its square: the root is taken where gaps are measured
    "range": (sl.RANGE, lambda x: max(x) - min(x), 1),
    "histogram": (sl.histogram(EDGES), lambda x: definition.histogram(EDGES)(x), 0),
}  # fmt: skip


def flat(people):
    return [row for person in people for row in person]


def xs(people):
    return [exact(x) for _, x, _ in flat(people)]


def by_text(people, answer):
    rows = flat(people)
    return {t: answer([[row for row in rows if row[0] == t]]) for t in {row[0] for row in rows}}


def worth(rows):
    """What some rows come to."""
    total = sum(exact(x) + (0 if z == MISSING else 2 * exact(z)) for _, x, z in rows)
    return total - (len(rows) > 1)


def keyed(rows):
    """A whole number for each text: of some rows it is 0, and one key is None."""
    keys = {t: None if t == "c" else t for t, _, _ in rows}
    return {
        key: sum(3 * (x > 0) - 1 for t, x, _ in rows if keys[t] == key) for key in keys.values()
    }


OWN = {  # functions of the rows of a dataset
    "worth": worth,
    "ratio": lambda rows: worth(rows) / Fraction(1 + len({t for t, _, _ in rows})),
    "vector": lambda rows: (len(rows), worth(rows), len(set(rows))),
    "float": lambda rows: sum(keyed(rows).values()) / 4,
    "floats": lambda rows: {key: n / 4 for key, n in keyed(rows).items()},
    "decimals": lambda rows: {key: Decimal(n) / 4 for key, n in keyed(rows).items()},
    "long": lambda rows: {key: n << 80 for key, n in keyed(rows).items()},
    "turned": keyed,
    "series": keyed,
    "frame": keyed,
    "arrow": keyed,
}


def in_a_form(name, answer):
    """An answer as a caller's function may return it."""
    if name == "turned":
        return dict(reversed(answer.items()))
    if name == "series":
        return pd.Series(answer, dtype="int64")
    if name in ("frame", "arrow"):
        columns = {"key": list(answer), "n": list(answer.values())}
        frame = pl.DataFrame(columns, schema={"key": pl.String, "n": pl.Int64})
        return frame if name == "frame" else frame.to_arrow()
    return answer


class Asked(NamedTuple):
    query: Any
    plain: Any  # of a list of people
    least: int  # rows; of people where it is asked of a function of a person
    kind: str
    root: bool = False


def own(kind, name):
    answer = OWN[name]
    query = sl.Query(name, lambda dataset: in_a_form(name, answer(kind.all(dataset))))
    return Asked(query, lambda p: answer(flat(p)), 0, "own")


def is_apt(row):
    return row[1] > 0 or row[0] == "b"


def some_other(rng, kind):
    """What is counted, grouped, filled in, or a function of one's own."""
    t, x = kind.says("t", rng), kind.says("x", rng)
    of_x = lambda query: query if x is None else query.of(x)  # noqa: E731
    # ruff: disable[E501]
    others = [
        Asked(sl.COUNT, lambda p: len(flat(p)), 0, "sum"),
        Asked(sl.count_where(lambda row: is_apt(kind.row(row))), lambda p: sum(map(is_apt, flat(p))), 0, "sum"),
        Asked(sl.count_distinct.of(t), lambda p: len({t for t, _, _ in flat(p)}), 0, "count_distinct"),
        Asked(sl.COUNT.by(t), lambda p: by_text(p, lambda q: len(flat(q))), 0, "by"),
        Asked(of_x(sl.SUM).by(t), lambda p: by_text(p, lambda q: sum(xs(q))), 0, "by"),
        Asked(of_x(sl.MEAN).by(t), lambda p: by_text(p, lambda q: mean(xs(q))), 0, "by"),
        Asked(of_x(sl.COUNT), lambda p: len(flat(p)), 0, "sum"),
        Asked(of_x(sl.count_where(lambda x: x > 1)), lambda p: sum(x > 1 for x in xs(p)), 0, "sum"),
    ]  # fmt: skip
    # ruff: enable[E501]
    if not isinstance(kind, Values):
        filled = lambda p: [2 if z == MISSING else exact(z) for _, _, z in flat(p)]  # noqa: E731
        name = rng.choice(("sum", "mean", "max"))
        query, plain, least = OF_NUMBERS[name]
        known = sl.Query(
            "known", lambda x: sum(10 if n is None else n for n in x), takes_missing=True
        )
        cut = lambda p: sum(10 if z == MISSING else min(z, 2) for _, _, z in flat(p))  # noqa: E731
        others += [Asked(query.of("z", missing=2), lambda p: plain(filled(p)), least, name)] * 3
        if any(z != MISSING for _, _, z in flat(kind.rows_of(kind.everybody))):
            others += [Asked(known.of("z").clipped(0, 2), cut, 0, "own")] * 2
    return rng.choice(others)


def drawn_query(rng, kind):
    chance = rng.random()
    if chance < 0.2:
        return own(kind, rng.choice(list(OWN)))
    if chance < 0.3 and not isinstance(kind, (Rows, Values)):
        often = lambda rows: len(rows) > 1  # noqa: E731
        return rng.choice((
            Asked(sl.count_people, len, 0, "person"),
            Asked(sl.count_people_where(lambda person: often(kind.one(person))),
                lambda p: sum(map(often, p)), 0, "person"),
        ))  # fmt: skip
    if chance < 0.45 and not isinstance(kind, Two):
        return some_other(rng, kind)
    name = rng.choice(list(OF_NUMBERS))
    query, plain, least = OF_NUMBERS[name]
    if chance < (0.9 if isinstance(kind, Two) else 0.55) and name != "histogram":
        of_people = lambda p: plain([worth(person) for person in p])  # noqa: E731
        return Asked(
            query.of(lambda one: worth(kind.one(one))), of_people, least, "person", name == "std"
        )
    x = kind.says("x", rng)
    query = query if x is None else query.of(x)
    if chance < 0.75:
        low, high = sorted(rng.sample((-1, 0, Fraction(1, 3), 2, 5), 2))
        cut = lambda p: plain([min(high, max(low, x)) for x in xs(p)])  # noqa: E731
        return Asked(query.clipped(low, high), cut, least, name, name == "std")
    return Asked(query, lambda p: plain(xs(p)), least, name, name == "std")


# -- how far the answers are apart -----------------------------------------------------------------


def gap(asked, one, other, norm):
    """A Fraction; of roots a Decimal, as in L2."""
    if asked.root and norm:
        return definition.gap(root(one), root(other), 1)
    return oracle_rows.gap(one, other, norm)


def is_equal(value, want):
    if isinstance(value, Decimal) or isinstance(want, Decimal):
        return math.isclose(value, want, rel_tol=1e-12, abs_tol=1e-15)
    return Fraction(value) == want


# -- every method against it ---------------------------------------------------------------------


class World:
    """All datasets of some sizes, as labels, and who is next to whom, by the definition."""

    def __init__(self, rng, kind, ask=drawn_query):
        self.kind = kind(rng)
        if kind in (Named, Anybody) and rng.random() < 0.4:
            self.kind.bound(rng)
        self.asked, self.norm = ask(rng, self.kind), rng.choice((0, 1, 1, 1, 2, math.inf))
        self.relation, self.k = rng.choice(oracle_rows.RELATIONS), rng.choice((1, 1, 2, 3))
        everybody, limited = self.kind.everybody, self.kind.limited
        self.labels = sorted(map(everybody.index, everybody))  # equal records have one
        self.labels = self.labels if limited else list(dict.fromkeys(self.labels))
        low = min(rng.randint(0, 3), len(everybody)) if limited else rng.randint(0, 3)
        most = len(everybody) if limited else low + 2
        self.size = rng.choice((low, low, range(low, most + 1)))
        if isinstance(self.size, int):
            most = min(low + self.k, len(everybody)) if limited else low + self.k
        of = combinations if limited else combinations_with_replacement
        every = (dataset for n in range(most + 1) for dataset in of(self.labels, n))
        drawn = list(islice(every, MOST_DATASETS + 1))
        self.is_small, self.datasets = len(drawn) <= MOST_DATASETS, set(drawn)
        if self.is_small:
            self.pairs = {
                pair for pair in self.related() if min(map(len, pair)) >= self.asked.least
            }

    def related(self):
        """All pairs of neighbours."""
        pairs_of = definition.population_pairs if self.kind.limited else definition.range_pairs
        return pairs_of(self.labels, self.size, self.relation, self.k)

    @property
    def must_be_solved(self):
        """Whether a solver must serve the question."""
        return self.norm and self.kind.is_solved(self.asked.kind)

    @property
    def must_be_solved_at_one(self):
        """The same of one dataset, by group."""
        by_rows = self.asked.kind == "by" and isinstance(self.kind, Rows)
        return by_rows or (self.norm and self.asked.kind == "vector")

    def named(self, labels):
        return [self.kind.everybody[label] for label in labels]

    def want(self, here=None):
        """The widest gap; None where nothing is feasible, or a dataset has no answer."""
        pairs = [pair for pair in self.pairs if here in (None, pair[0])]
        if not pairs or (isinstance(self.kind, Two) and self.asked.kind not in ("person", "own")):
            return None
        met = {side for pair in pairs for side in pair}
        if here is None:
            sizes = set(map(len, met))
            met = [dataset for dataset in self.datasets if len(dataset) in sizes]
        people = {dataset: self.kind.rows_of(self.named(dataset)) for dataset in met}
        if self.asked.kind != "person" and any(
            len(flat(rows)) < self.asked.least for rows in people.values()
        ):
            return None
        answers = {dataset: self.asked.plain(rows) for dataset, rows in people.items()}
        return max(gap(self.asked, answers[x], answers[y], self.norm) for x, y in pairs)

    def is_pair(self, witness, want, here=None):
        """Whether a witness, read record by record, is a pair that is so far apart."""
        options = [self.with_idle(self.kind.read(side)) for side in witness]
        return any(
            pair in self.pairs and here in (None, pair[0]) and is_equal(want, self.gap_of(*pair))
            for pair in product(*options)
        )

    def with_idle(self, side):
        """The labels of the people of a table, and as many as may be besides who are in none."""
        idle = 0 if self.kind.limited or self.kind.least else 8
        label = self.kind.everybody.index
        return [tuple(sorted(map(label, [*side.elements(), *[()] * i]))) for i in range(idle + 1)]

    def gap_of(self, x, y):
        answers = (self.asked.plain(self.kind.rows_of(self.named(side))) for side in (x, y))
        return gap(self.asked, *answers, self.norm)


@pytest.mark.parametrize("seed", seeds(3))
def test_records_at_random(seed):
    """Catches a wrong number, a refusal without need, an answer without right, a false witness."""
    rng = random.Random(f"records {seed}")
    for kind in KINDS:
        done = 0
        while done < CASES * kind.cases:
            world = World(rng, kind)
            want = world.want() if world.is_small else None
            if want is None and (not world.is_small or rng.random() < 0.7):
                continue  # most of what is refused
            done += 1
            hold(world, want)
            if isinstance(world.size, int):
                here = rng.choice(sorted(d for d in world.datasets if len(d) == world.size))
                given = world.kind.given(world.named(here), rng)
                hold(world, world.want(here), here, given)


def hold(world, want, here=None, given=None):
    """Ask every method."""
    universe, query = world.kind.universe, world.asked.query
    ask = {"relation": getattr(sl, world.relation)(world.k), "norm": world.norm}
    methods = METHODS if here is None else ("auto", "walk", "solver")
    for method in ("auto", "solver") if world.asked.kind == "vector" else methods:
        told = (world.asked, universe, world.kind.everybody, world.size, ask, method, here)
        try:
            if here is None:
                found = sl.global_sensitivity(
                    query, universe, size=world.size, method=method, **ask
                )
            else:
                found = sl.local_sensitivity(query, given, universe, method=method, **ask)
        except (ValueError, TypeError) as error:
            is_unproved = isinstance(error, sl.NotProved) and method == "solver"
            is_unserved = method == "sweep" and "method='sweep'" in str(error)
            assert want is None or is_unproved or is_unserved, told
            if want is not None and is_unproved:
                must = world.must_be_solved if here is None else world.must_be_solved_at_one
                assert not must, told
            continue
        assert want is not None, told
        assert is_equal(found.value, want), (*told, found.value, want)
        assert (found.query, found.universe, found.check()) == (query, universe, True), told
        assert world.is_pair(found.witness, want, here), told
        assert world.norm or len(found.keys) in (0, found.value), told


@pytest.mark.parametrize("kind", POOLS)
def test_datasets_and_neighbours_are_listed(kind):
    """Catches a dataset listed twice, left out, or with more copies than there are."""
    shown = lambda some: tuple(sorted(map(repr, some)))  # noqa: E731  None and sets have no order
    records = [*POOLS[kind], POOLS[kind][0], POOLS[kind][-1]]
    universe, relation = sl.Universe.population(records), sl.SymmetricDifference(1)
    for size in range(4):
        every = {shown(chosen) for chosen in combinations(records, size)}
        assert sorted(map(shown, universe.datasets(size))) == sorted(every)
        assert universe.count(size) == len(every)
    pairs = definition.population_pairs(range(len(records)), 2, "SymmetricDifference", 1)
    dataset = records[:2]
    neighbours = {shown(records[i] for i in y) for x, y in pairs if x == (0, 1)}
    listed = list(relation.neighbours(dataset, universe))
    assert sorted(map(shown, listed)) == sorted(neighbours)
    assert relation.count_neighbours(dataset, universe) == len(neighbours)
    assert all(relation.are_neighbours(dataset, near) for near in listed)
    assert not relation.are_neighbours(dataset, [*dataset, *records[:2]])


def test_numbers_are_still_numbers():
    """Catches Decimals, Fractions and truth values taken for records of another kind."""
    for numbers in ([Decimal("0.5"), 2], [True, False], [Fraction(1, 2), 1], [1, None]):
        assert sl.Universe.population(numbers).numeric
    for records in (["1", "2"], [(1,), (2,)], [1j, 2j], [None, "a"]):
        assert not sl.Universe.population(records).numeric


def test_a_clip_whose_low_end_is_no_float_still_cuts():
    """Catches a column of floats that is cut at the high end alone: 1/3 is no float."""
    universe = sl.Universe.value_range(pd.DataFrame({"a": [0.0, 0.5, 2.0]}))
    for low, high in ((Fraction(1, 3), 1), (Fraction(1, 3), Fraction(2, 3))):
        ask = {"size": 1, "relation": sl.Change(1)}
        found = sl.global_sensitivity(sl.SUM.of("a").clipped(low, high), universe, **ask)
        assert found.value == high - low
