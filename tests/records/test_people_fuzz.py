"""People, drawn at random: every method is held to sets of people and plain sums of their rows.

A row is (t, x, z): a text, a number, and a number that may be missing. A person is a tuple of rows, a
dataset a multiset of people; of the package nothing is asked but its public calls and its definition. Tables are of any
of the three libraries. Set PEOPLE_CASES for a longer run.
"""

import math
import os
import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle_rows import RELATIONS

import sensitivity_lab as sl
from sensitivity_lab import definition
from sensitivity_lab.definition import root

CASES = int(os.environ.get("PEOPLE_CASES", "28"))
MOST_DATASETS = 120
METHODS = ("auto", "walk", "sweep", "solver")
MISSING = -99
TEXTS, NUMBERS = ("a", "b", "c"), (-2, 0, 1, 1, 3, 7)
EDGES = (-1, 1, 3)

# -- what is asked of numbers; the definition's own words, where it has some --------------------------


def by_definition(name):
    answer, least = definition.QUERIES[name]
    return lambda x: answer(tuple(sorted(map(Fraction, x)))), least


def inner(x, cut=Fraction(1, 4)):
    off = math.floor(cut * len(x))
    return sorted(x)[off : len(x) - off], off


def winsorised(x):
    kept, off = inner(x)
    return mean([kept[0]] * off + kept + [kept[-1]] * off)


mean, (lower, upper) = by_definition("mean")[0], map(definition.quantile, ("1/4", "3/4"))
spread = by_definition("variance")
OF_NUMBERS = {  # the query, what it is, and how many rows it needs
    **{query.name: (query, *by_definition(query.name)) for query in (
        sl.SUM, sl.MEAN, sl.MEDIAN, sl.quantile(0.25), sl.MIN, sl.MAX, sl.VARIANCE, sl.variance(ddof=1), sl.count_distinct)},
    "std": (sl.STD, *spread),  # its square: the root is taken where gaps are measured
    "range": (sl.RANGE, lambda x: max(x) - min(x), 1),
    "iqr": (sl.INTERQUARTILE_RANGE, lambda x: upper(sorted(x)) - lower(sorted(x)), 1),
    "midhinge": (sl.MIDHINGE, lambda x: (upper(sorted(x)) + lower(sorted(x))) / 2, 1),
    "gini": (
        sl.GINI_MEAN_DIFFERENCE,
        lambda x: Fraction(sum(abs(p - q) for p, q in combinations(x, 2)), math.comb(len(x), 2)), 2,
    ),
    "trimmed": (sl.trimmed_mean(0.25), lambda x: mean(inner(x)[0]), 1),
    "winsorised": (sl.winsorised_mean(0.25), winsorised, 1),
    "histogram": (sl.histogram(EDGES), lambda x: definition.histogram(EDGES)(x), 0),
}  # fmt: skip
SOLVED_OF_ROWS = (
    "sum",
    "count_distinct",
    "histogram",
)  # over anybody; where people are named the sum


def xs(people):
    return [x for _, x, _ in flat(people)]


def flat(people):
    return [row for person in people for row in person]


def by_text(people, answer):
    rows = flat(people)
    return {t: answer([[row for row in rows if row[0] == t]]) for t in {row[0] for row in rows}}


def worth(person):
    """What a person's rows come to: of a table, or of a list."""
    rows = person if isinstance(person, (list, tuple)) else plain_rows(as_pandas(person))
    return sum(x + 2 * max(z, 0) for _, x, z in rows) - (len(rows) > 1)


class Asked(NamedTuple):
    query: Any
    plain: Any  # of a list of people
    least: int  # rows; of people where it is asked of a function of a person
    kind: str
    root: bool = False


def is_apt(row):
    return row.x > 0 or row["t"] == "b"


OTHERS = (
    Asked(sl.COUNT, lambda p: len(flat(p)), 0, "sum"),
    Asked(sl.COUNT.of("x"), lambda p: len(flat(p)), 0, "sum"),
    Asked(
        sl.count_where(is_apt), lambda p: sum(x > 0 or t == "b" for t, x, _ in flat(p)), 0, "sum"
    ),
    Asked(
        sl.count_distinct.of("t"), lambda p: len({t for t, _, _ in flat(p)}), 0, "count_distinct"
    ),
    Asked(sl.COUNT.by("t"), lambda p: by_text(p, lambda q: len(flat(q))), 0, "by"),
    Asked(sl.SUM.of("x").by("t"), lambda p: by_text(p, lambda q: sum(xs(q))), 0, "by"),
    Asked(sl.MEAN.of("x").by("t"), lambda p: by_text(p, lambda q: mean(xs(q))), 0, "by"),
    Asked(worth, lambda p: worth(flat(p)), 0, "own"),
)


def drawn_query(rng, kind):
    chance = rng.random()
    if chance < 0.2:
        return OTHERS[-1] if isinstance(kind, Two) else rng.choice(OTHERS)
    names = list(OF_NUMBERS)
    if isinstance(kind, Anybody) and not kind.least and chance > 0.5:
        names = [*SOLVED_OF_ROWS]  # what needs a row is refused
    name = rng.choice(names)
    query, plain, least = OF_NUMBERS[name]
    if chance < (0.9 if isinstance(kind, Two) else 0.4) and name != "histogram":
        of_people = lambda p: plain([worth(person) for person in p])  # noqa: E731
        return Asked(query.of(worth), of_people, least, "person", name == "std")
    if chance < 0.6:
        low, high = sorted(rng.sample((-1, 0, 2, 5), 2))
        cut = lambda p: plain([min(high, max(low, x)) for x in xs(p)])  # noqa: E731
        return Asked(query.of("x").clipped(low, high), cut, least, name, name == "std")
    return Asked(query.of("x"), lambda p: plain(xs(p)), least, name, name == "std")


# -- how far the answers are apart -----------------------------------------------------------------


def entries(answer):
    return answer if isinstance(answer, dict) else dict(enumerate(answer))


def gap(asked, one, other, norm):
    """A Fraction; of roots a Decimal, as in L2."""
    if asked.root:
        return definition.gap(root(one), root(other), 1)
    if not isinstance(one, (dict, tuple)):
        return Fraction(abs(one - other))
    one, other = entries(one), entries(other)
    steps = [abs(Fraction(one.get(key, 0)) - other.get(key, 0)) for key in one | other]
    if norm == 2:
        return root(sum(step * step for step in steps))
    return Fraction(max(steps, default=0) if norm == math.inf else sum(steps))


def is_equal(value, want):
    if isinstance(value, Decimal) or isinstance(want, Decimal):
        return math.isclose(value, want, rel_tol=1e-12, abs_tol=1e-15)
    return Fraction(value) == want


# -- a world of people -------------------------------------------------------------------------


class Named:
    """People with ids, out of order, whose rows may be equal."""

    limited = True

    def __init__(self, rng):
        self.ids = rng.choice(([10, 2, 33, 4, 5], ["b", "a", "d", "e", "c"], [-1, 0.5, 3, 2, 9]))
        size = rng.randint(1, 5)
        ids = self.ids[:size] + [rng.choice(self.ids[:size]) for _ in range(rng.randint(0, 4))]
        rng.shuffle(ids)
        rows = [self.some_row(rng) for _ in ids]
        self.frame = pd.DataFrame({"who": ids, **columns_of(rows)})
        self.universe = sl.Universe.people(self.tables(rng), id="who")
        self.people = {
            who: tuple(sorted(row for one, row in zip(ids, rows, strict=True) if one == who))
            for who in ids
        }

    def some_row(self, rng):
        return some_row(rng)

    def tables(self, rng, frame=None):
        return in_a_library(rng, self.frame if frame is None else frame)

    @property
    def everybody(self):
        return list(self.people)

    def rows_of(self, names):
        return [self.people[name] for name in names]

    def given(self, names, rng):
        """A dataset as a caller gives it: ids, or tables in any order, of any library."""
        rows = self.frame[self.frame["who"].isin(names)].sample(frac=1, random_state=1)
        return rng.choice((list(names), self.tables(rng, rows)))

    def read(self, table):
        """The people of a table, each with all their rows; nobody is without."""
        table = as_pandas(table)
        found = Counter(table["who"])
        names = [who for who in self.people if who in found]
        for who in names:
            rows = table[table["who"] == who]
            assert sorted(plain_rows(rows)) == list(self.people[who])
        assert set(found) == set(names)
        return Counter(names)

    def is_solved(self, kind):
        return kind in ("sum", "person")


class Two(Named):
    """People with rows in one of two tables, or in both."""

    def some_row(self, rng):
        t, x, z = some_row(rng)
        return rng.choice((t, "visit")), x, z

    def tables(self, rng, frame=None):
        frame = self.frame if frame is None else frame
        parts = {"orders": frame[frame["t"] != "visit"], "visits": frame[frame["t"] == "visit"]}
        return {name: in_a_library(rng, part) for name, part in parts.items()}

    def is_solved(self, kind):
        return kind == "person"


class Anybody:
    """People who bring from so many to so many rows each, of a few kinds."""

    limited = False

    def __init__(self, rng):
        rows = [some_row(rng) for _ in range(rng.randint(1, 3))]
        self.most = rng.randint(0, 3)
        self.least = rng.randint(0, self.most)
        self.frame = pd.DataFrame(columns_of(rows))
        made = in_a_library(rng, self.frame)
        self.universe = sl.Universe.people(
            rng.choice((made, sl.Universe.value_range(made))),
            most_rows=self.most,
            least_rows=self.least,
        )
        kinds = list(dict.fromkeys(rows))
        self.everybody = [
            tuple(sorted(person))
            for n in range(self.least, self.most + 1)
            for person in combinations_with_replacement(kinds, n)
        ]

    def rows_of(self, people):
        return people

    def given(self, people, rng):
        return [[(t, x, None if z == MISSING else z) for t, x, z in rows] for rows in people]

    def read(self, table):
        """The people of a table by their numbers, and that some may bring nothing."""
        people = as_pandas(table).groupby("person")
        people = Counter(tuple(sorted(plain_rows(rows))) for _, rows in people)
        assert all(person in self.everybody for person in people)
        return people

    def is_solved(self, kind):
        of_rows = [name for name in OF_NUMBERS if name != "std"] if self.least else SOLVED_OF_ROWS
        return kind == "person" or kind in of_rows


def in_a_library(rng, frame):
    """A table of pandas as one of any library."""
    of_pyarrow = lambda frame: pa.Table.from_pandas(frame, preserve_index=False)  # noqa: E731
    return rng.choice((lambda frame: frame, pl.from_pandas, of_pyarrow))(frame)


def as_pandas(given):
    """A table of any library, or several, as one of pandas."""
    if isinstance(given, dict):
        return pd.concat(map(as_pandas, given.values()))
    return given if isinstance(given, pd.DataFrame) else given.to_pandas()


def some_row(rng):
    return rng.choice(TEXTS), rng.choice(NUMBERS), rng.choice((0, 1, 4, MISSING))


def columns_of(rows):
    t, x, z = zip(*rows, strict=True)
    return {"t": t, "x": x, "z": [None if each == MISSING else each for each in z]}


def plain_rows(table):
    return [
        (t, int(x), MISSING if z is None or z != z else int(z))
        for t, x, z in zip(table["t"], table["x"], table["z"], strict=True)
    ]


# -- every method against it ---------------------------------------------------------------------


class World:
    """All datasets of some sizes, as labels of people, and who is next to whom, as the definition has it."""

    def __init__(self, rng):
        self.kind = rng.choice((Named, Anybody, Anybody, Two))(rng)
        self.asked, self.norm = drawn_query(rng, self.kind), rng.choice((1, 1, 2, math.inf))
        self.relation, self.k = rng.choice(RELATIONS), rng.choice((1, 1, 2, 3))
        people, low = len(self.kind.everybody), rng.randint(0, 3)
        most = people if self.kind.limited else low + 2
        low = min(low, most)
        self.size = rng.choice((low, low, range(low, most + 1)))
        if isinstance(self.size, int):
            most = min(low + self.k, people) if self.kind.limited else low + self.k
        of, pairs_of, choose = combinations, definition.population_pairs, math.comb
        if not self.kind.limited:
            of, pairs_of = combinations_with_replacement, definition.range_pairs
            choose = lambda p, n: math.comb(p + n - 1, n)  # noqa: E731
        self.is_small = sum(choose(people, n) for n in range(most + 1)) <= MOST_DATASETS
        if self.is_small:
            self.datasets = [d for n in range(most + 1) for d in of(range(people), n)]
            every = pairs_of(range(people), self.size, self.relation, self.k)
            self.pairs = {pair for pair in every if min(map(len, pair)) >= self.asked.least}

    def named(self, labels):
        return [self.kind.everybody[label] for label in labels]

    def want(self, here=None):
        """The widest gap; None where nothing is feasible, or a dataset has no answer."""
        pairs = [pair for pair in self.pairs if here in (None, pair[0])]
        if not pairs or (type(self.kind) is Two and self.asked.kind not in ("person", "own")):
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
        """Whether a witness, read person by person, is a pair that is so far apart."""
        options = [self.with_idle(self.kind.read(table)) for table in witness]
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


COUNTED = Counter()


@pytest.mark.parametrize("seed", range(4))
def test_people_at_random(seed):
    """Catches any number of people that is wrong, refused without need, or answered without right."""
    rng, done = random.Random(f"people {seed}"), 0
    while done < -(-CASES // 4):
        world = World(rng)
        if not world.is_small:
            continue
        done += 1
        hold(world, world.want(), "global")
        if isinstance(world.size, int):
            here = rng.choice([d for d in world.datasets if len(d) == world.size])
            hold(world, world.want(here), "local", here, world.kind.given(world.named(here), rng))
    print(dict(COUNTED))  # with pytest -s
    assert any("solver" in case for case in COUNTED)


def hold(world, want, kind, here=None, given=None):
    """Ask every method."""
    relation, universe = getattr(sl, world.relation)(world.k), world.kind.universe
    ask, query = {"relation": relation, "norm": world.norm}, world.asked.query
    for method in ("auto", "walk", "solver") if here is not None else METHODS:
        told = (world.asked, world.kind.frame, world.kind.everybody, world.size, ask, method, here)
        try:
            if here is None:
                found = sl.global_sensitivity(
                    query, universe, size=world.size, method=method, **ask
                )
            else:
                found = sl.local_sensitivity(query, given, universe, method=method, **ask)
        except (ValueError, TypeError) as error:
            is_unproved = isinstance(error, sl.NotProved) and method == "solver"
            is_unserved = method == "sweep" and "method='sweep' serves" in str(error)
            assert want is None or is_unproved or is_unserved, told
            if want is not None and is_unproved and here is None:
                assert not world.kind.is_solved(world.asked.kind), told
            COUNTED["not served" if is_unproved or is_unserved else "refused"] += 1
            continue
        assert want is not None, told
        assert is_equal(found.value, want), (*told, found.value, want)
        assert found.check(), told
        assert world.is_pair(found.witness, want, here), told
        COUNTED[f"{kind}, {found.method}, {type(world.kind).__name__}"] += 1
