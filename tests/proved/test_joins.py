"""The rows of a join, held to nested loops over labelled rows; a cycle must be refused.

`JOIN_CASES=n` asks of n random joins instead of the usual number.
"""

import os
import pickle
import random
import time
from itertools import combinations, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import refused

import sensitivity_lab as sl
from sensitivity_lab.tabular.joined import Joined
from sensitivity_lab.tabular.rows import cells_of, rows_of, table

CASES = int(os.environ.get("JOIN_CASES", "300"))
ONE = [sl.Add(1), sl.Remove(1), sl.AddRemove(1), sl.SymmetricDifference(1)]
PATH = {"r": ["a", "b"], "s": ["b", "c"], "t": ["c", "d"]}
STAR = {"hub": ["a", "b", "c"], "r": ["a"], "s": ["b", "x"], "t": ["c"]}
AROUND = {"r": ["a", "b"], "s": ["b", "c"], "t": ["c", "a"]}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


# -- the other route: rows are dicts, a join is every combination of rows that agrees ------------


def agree(rows):
    """Whether rows have the same value wherever two of them have a column of one name."""
    for one, other in combinations(rows, 2):
        for column in one.keys() & other.keys():
            if one[column] is None or one[column] != other[column]:
                return False
    return True


def joined(schema, held):
    """How many combinations of one row of each table agree; `held` has (person, table, row)s."""
    of_each = [[row for _, name, row in held if name == table] for table in schema]
    return sum(agree(rows) for rows in product(*of_each))


def furthest(schema, held, spare, relation):
    """The most that the count moves when one person, with all their rows, joins or leaves."""
    inside, outside = {row[0] for row in held}, {row[0] for row in spare}
    here, found = joined(schema, held), [0]
    for removed, added in relation.moves:
        if added:
            found += [
                joined(schema, held + [row for row in spare if row[0] == person]) - here
                for person in outside
            ]
        if removed:
            found += [
                here - joined(schema, [row for row in held if row[0] != person])
                for person in inside
            ]
    return max(found)


def is_tree(schema):
    """Acyclic if and only if a heaviest spanning tree, by shared columns, has all there is to share.

    The package does not go this way, which is Kruskal's.
    """
    weights = sorted(
        ((len({*schema[x]} & {*schema[y]}), x, y) for x, y in combinations(schema, 2)), reverse=True
    )
    group = {name: name for name in schema}
    total = 0
    for weight, one, other in weights:
        if group[one] != group[other]:
            total += weight
            gone = group[other]
            group = {name: group[one] if of == gone else of for name, of in group.items()}
    columns = {column for of in schema.values() for column in of}
    return total == sum(sum(c in of for of in schema.values()) - 1 for c in columns)


def random_schema(rng):
    columns = "abcde"[: rng.randint(1, 5)]
    return {
        f"t{i}": rng.sample(columns, rng.randint(1, min(3, len(columns))))
        for i in range(rng.randint(1, 4))
    }


def random_rows(rng, schema, most):
    """Some (person, table, row)s; now and then a person has a second row, of the same table."""
    values = [0, 1, 2][: rng.randint(1, 3)] + [None] * (rng.random() < 0.3)
    rows = []
    for person in range(rng.randint(2, most)):
        table = rng.choice(list(schema))
        for _ in range(rng.choice([1, 1, 1, 2])):
            rows.append((person, table, {column: rng.choice(values) for column in schema[table]}))
    return rows


def universe_of(schema, rows, library=pd.DataFrame):
    """The people of some rows; a table without rows is there too."""
    tables = {}
    for name, columns in schema.items():
        mine = [(person, row) for person, table, row in rows if table == name]
        cells = {column: [row[column] for _, row in mine] for column in columns}
        cells["id"] = [person for person, _ in mine]
        if library is pd.DataFrame:
            cells = {c: pd.array(listed, dtype="Int64") for c, listed in cells.items()}
        tables[name] = library(cells)
    return sl.Universe.people(tables, id="id")


def local(schema, universe, people, relation, method="solver"):
    options = {"relation": relation, "method": method}
    return sl.local_sensitivity(sl.join_count(schema), people, universe, **options)


def feasible(relation, held, everybody):
    return any(
        removed <= len(held) and added <= len(everybody) - len(held)
        for removed, added in relation.moves
    )


@pytest.mark.parametrize("seed", range(10))
def test_solver_equals_nested_loops(seed):
    """Catches a wrong number passed on in the tree, a row lost to a missing value, and a wrong move.

    Tables may be empty, rows may be equal, hang loose, or match nothing.
    """
    rng, trees = random.Random(seed), 0
    while trees < CASES // 10:
        schema = random_schema(rng)
        rows = random_rows(rng, schema, most=9)
        people = sorted({row[0] for row in rows})
        inside = {p for p in people if rng.random() < 0.7}
        held = [row for row in rows if row[0] in inside]
        spare = [row for row in rows if row[0] not in inside]
        relation = rng.choice(ONE)
        if not feasible(relation, inside, people):
            continue
        universe = universe_of(schema, rows)
        if not is_tree(schema):
            with refused(sl.NotProved, "no proof for join_count"):
                local(schema, universe, sorted(inside), relation)
            continue
        trees += 1
        found = local(schema, universe, sorted(inside), relation)
        assert (found.value, found.method) == (furthest(schema, held, spare, relation), "solver")
        dataset, neighbour = found.witness
        query = sl.join_count(schema)
        assert query(dataset) == joined(schema, held)
        assert abs(query(dataset) - query(neighbour)) == found.value
        assert found.check()


def test_a_cycle_is_enumerated():
    """Catches a number that is passed on around a cycle, where rows need not agree."""
    rng = random.Random(4)
    for _ in range(20):
        rows = [
            (i, t, {c: rng.randint(0, 1) for c in AROUND[t]}) for i, t in enumerate("rrrsssttt")
        ]
        universe, held = universe_of(AROUND, rows), rows[1:]
        with refused(sl.NotProved, "no proof"):
            local(AROUND, universe, range(1, 9), sl.AddRemove(1))
        found = local(AROUND, universe, range(1, 9), sl.AddRemove(1), method="auto")
        assert found.value == furthest(AROUND, held, rows[:1], sl.AddRemove(1))


def test_cells_are_those_of_rows():
    """Catches a column that is read in one way as a column and in another in a row."""
    frame = pd.DataFrame({
        "whole": [1, 2], "missing": pd.array([1, None], dtype="Int64"), "text": ["a", None],
        "short": np.array([0.1, 2], dtype=np.float32), "float": [0.5, None],
    })  # fmt: skip
    for library in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        found = table(library, "table")
        by_column = [cells_of(found.get_column(name)) for name in found.columns]
        assert list(zip(*by_column, strict=True)) == [tuple(row) for row in rows_of(found)]
        assert {type(cell) for cell in by_column[0]} == {int}


def test_acyclic_is_what_a_spanning_tree_says():
    """Catches a cycle that is taken for a tree, or a tree that is enumerated."""
    rng = random.Random(3)
    told = set()
    for _ in range(2_000):
        schema = random_schema(rng)
        tree = Joined(tuple((name, tuple(columns)) for name, columns in schema.items())).acyclic
        assert tree == is_tree(schema), schema
        told.add((tree, len(schema)))
    assert {(True, 4), (False, 3), (False, 4)} <= told


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
@pytest.mark.parametrize("schema", [PATH, STAR, AROUND], ids=["path", "star", "around"])
def test_count_of_every_library_equals_nested_loops(schema, library):
    """Catches a cyclic join that is counted as a tree, and values that differ between libraries."""
    rng, query = random.Random(5), sl.join_count(schema)
    counts = set()
    for _ in range(60):
        held = [
            (0, t, {c: rng.randint(0, 1) for c in of}) for t, of in schema.items() for _ in "12345"
        ]
        frames = {
            table: library({c: [row[c] for _, t, row in held if t == table] for c in of})
            for table, of in schema.items()
        }
        assert query(frames) == joined(schema, held)
        counts.add(query(frames))
    assert len(counts) > 5


def test_larger_cycles_are_counted():
    """Catches a core of which two tables are joined in the wrong columns."""
    rng = random.Random(6)
    schemas = [
        {"r": ["a", "b"], "s": ["b", "c"], "t": ["c", "d"], "u": ["d", "a"], "v": ["a", "z"]},
        {"r": ["a", "b"], "s": ["b", "c"], "t": ["c", "a"], "u": ["d", "e"], "v": ["e", "f"], "w": ["f", "d"]},
        {"r": ["a", "b", "c"], "s": ["b", "c", "d"], "t": ["c", "d", "a"], "u": ["a", "b", "d"]},
    ]  # fmt: skip
    for schema in schemas:
        for _ in range(20):
            held = [
                (0, t, {c: rng.randint(0, 1) for c in of})
                for t, of in schema.items()
                for _ in "1234"
            ]
            frames = {t: pd.DataFrame([row for _, name, row in held if name == t]) for t in schema}
            assert sl.join_count(schema)(frames) == joined(schema, held)


def test_auto_solves_what_is_too_large_to_walk():
    """Catches a solver that is never asked, and one that takes as long as a walk would."""
    n = 3_000
    rng = random.Random(1)
    rows = [
        (i, name, {c: rng.randint(0, 40) for c in PATH[name]})
        for i, name in enumerate(name for name in PATH for _ in range(n))
    ]
    universe = universe_of(PATH, rows)
    dataset = [i for i in range(3 * n) if i % 3]
    start = time.perf_counter()
    found = sl.local_sensitivity(
        sl.join_count(PATH), dataset, universe, relation=sl.SymmetricDifference(1)
    )
    assert found.method == "solver"
    assert time.perf_counter() - start < 60
    assert found.value == by_degrees({row[0]: row for row in rows}, set(dataset))


def by_degrees(rows, inside):
    """The most matches of one row of a path of three, from how often each value comes."""
    sides = {name: {} for name in "rst"}
    for i in inside:
        _, name, row = rows[i]
        column = {"r": "b", "s": "b", "t": "c"}[name]
        sides[name].setdefault(row[column], []).append(row)
    r, s, t = sides["r"], sides["s"], sides["t"]
    right = {b: sum(len(t.get(row["c"], ())) for row in held) for b, held in s.items()}
    left = {}
    for b, held in s.items():
        for row in held:
            left[row["c"]] = left.get(row["c"], 0) + len(r.get(b, ()))
    most = 0
    for _, name, row in rows.values():
        of = {
            "r": lambda row: right.get(row["b"], 0),
            "s": lambda row: len(r.get(row["b"], ())) * len(t.get(row["c"], ())),
            "t": lambda row: left.get(row["c"], 0),
        }
        most = max(most, of[name](row))
    return most


def test_ties_empty_tables_and_rows_that_hang_loose():
    """Catches a witness that depends on chance, and a table without rows that breaks the tree."""
    rows = [(0, "r", {"a": 0, "b": 0}), (1, "r", {"a": 1, "b": 0}), (2, "s", {"b": 0, "c": 0})]
    universe = universe_of(PATH, rows)
    found = local(PATH, universe, [0, 1, 2], sl.Remove(1))
    assert found.value == 0  # nothing matches: t is empty
    two = {"r": PATH["r"], "s": PATH["s"]}
    universe = universe_of(two, rows)
    assert local(two, universe, [0, 1, 2], sl.Remove(1)).value == 2
    found = local(two, universe, [2], sl.Add(1))
    assert found.value == 1
    assert found.witness[1]["r"]["id"].tolist() == [0]  # of two alike the first
    assert local(two, universe, [], sl.Add(1)).value == 0


def test_a_person_may_bring_many_rows_of_one_table():
    """Catches a person who is counted as one row, and one in two tables who is called solved."""
    rows = [(0, "r", {"a": i, "b": 0}) for i in range(40)] + [(1, "s", {"b": 0, "c": 0})]
    two = {"r": PATH["r"], "s": PATH["s"]}
    assert local(two, universe_of(two, rows), [0, 1], sl.Remove(1)).value == 40
    both = [*rows, (1, "r", {"a": 0, "b": 0})]
    with refused(sl.NotProved, "no proof"):
        local(two, universe_of(two, both), [0, 1], sl.Remove(1))
    assert local(two, universe_of(two, both), [0, 1], sl.Remove(1), method="auto").value == 41


@pytest.mark.parametrize("relation", [sl.Change(1), sl.Add(2), sl.SymmetricDifference(2)], ids=str)
def test_more_than_one_person_is_enumerated(relation):
    """Catches a solver that answers for two people, whose rows may match each other."""
    rows = [(0, "r", {"a": 0, "b": 0}), (1, "r", {"a": 1, "b": 0}), (2, "s", {"b": 0, "c": 0})]
    two = {"r": PATH["r"], "s": PATH["s"]}
    universe = universe_of(two, [*rows, (3, "s", {"b": 0, "c": 1})])
    with refused(sl.NotProved, "no proof"):
        local(two, universe, [0, 2], relation)
    assert local(two, universe, [0, 2], relation, method="auto").method == "walk"


def test_global_sensitivity_is_enumerated():
    """Catches a global question that is put to a proof about one dataset."""
    rows = [(0, "r", {"a": 0, "b": 0}), (1, "r", {"a": 1, "b": 0}), (2, "s", {"b": 0, "c": 0})]
    two = {"r": PATH["r"], "s": PATH["s"]}
    universe, query = universe_of(two, rows), sl.join_count(two)
    options = {"size": range(4), "relation": sl.SymmetricDifference(1)}
    assert sl.global_sensitivity(query, universe, **options).value == 2
    with refused(sl.NotProved, "no proof"):
        sl.global_sensitivity(query, universe, **options, method="solver")
    with refused(TypeError, "standard query"):
        sl.closed_form(query, bounds=(0, 1), relation=sl.Add(1), size=2)
    table = sl.compare([query], {"rows": universe}, relations=[sl.Add(1)], size=2)
    assert table["closed_form"].isna().all()


def test_a_query_is_named_compared_and_written():
    """Catches two joins that cannot be told apart, and one that cannot be sent or written down."""
    query = sl.join_count(PATH)
    assert query.name == "join_count(r(a, b), s(b, c), t(c, d))"
    assert (
        pickle.loads(pickle.dumps(query))
        == query
        == sl.join_count({k: (*v,) for k, v in PATH.items()})
    )
    assert query != sl.join_count({**PATH, "t": ["c"]})
    rows = [(0, "r", {"a": 0, "b": 0}), (1, "s", {"b": 0, "c": 0}), (2, "t", {"c": 0, "d": 0})]
    found = local(PATH, universe_of(PATH, rows), [0, 1, 2], sl.Remove(1))
    assert f"query = sl.join_count({PATH!r})" in found.snippet()


@pytest.mark.parametrize(
    ("schema", "error", "words"),
    [
        ([("r", ["a"])], TypeError, ["schema must be a dict"]),
        ({}, ValueError, ["at least one table"]),
        ({"r": "ab"}, TypeError, ["columns of r must be a list"]),
        ({"r": []}, ValueError, ["r must have at least one column"]),
        ({"r": ["a", "a"]}, ValueError, ["must be different", "a, a"]),
        ({"r": [1]}, TypeError, ["must be text", "1"]),
        ({1: ["a"]}, TypeError, ["must be text", "1"]),
    ],
)
def test_schemas_that_are_none(schema, error, words):
    """Catches a schema that is taken and fails later, far from where it was written."""
    with refused(error, *words):
        sl.join_count(schema)


def test_datasets_that_lack_something():
    """Catches a KeyError, and a table that is counted as empty because its name is misspelt."""
    query = sl.join_count({"r": ["a"], "s": ["a"]})
    frame = pd.DataFrame({"a": [1]})
    with refused(ValueError, "must have the table 's'", "got the tables r, t"):
        query({"r": frame, "t": frame})
    with refused(ValueError, "table s must have the column 'a'", "b"):
        query({"r": frame, "s": pd.DataFrame({"b": [1]})})
    with refused(ValueError, "must be a dict of tables"):
        query(frame)
    with refused(ValueError, "table s must be a pandas or polars DataFrame"):
        query({"r": frame, "s": [1]})
