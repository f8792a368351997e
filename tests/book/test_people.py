"""Tables with IDs: what happens to them is held against plain enumerations and stated laws."""

import math
from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sensitivity_book.people.joins import join, join_bound, join_private, join_stability
from sensitivity_book.people.tables import (
    AddMaxRows,
    AddOneRow,
    AddRowsWithID,
    Table,
    all_tables,
    counts_by,
    flat_map,
    id_distance,
    row_distance,
)
from sensitivity_book.people.truncation import (
    DropExcess,
    DropNonUnique,
    MaxGroupsPerID,
    MaxRowsPerGroupPerID,
    MaxRowsPerID,
    truncate,
)
from sensitivity_book.pictures.tables import show_change
from sensitivity_book.stored_figures import library_figures

import sensitivity_lab as sl

E, UNIQUE = DropExcess, DropNonUnique()
JOINS = [
    (E(1), E(1)),
    (E(2), E(2)),
    (UNIQUE, UNIQUE),
    (UNIQUE, E(2)),
    (E(2), UNIQUE),
    (E(1), E(2)),
]

rows = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=6)
tables = rows.map(lambda found: Table(("name", "group"), found))


def exact(function, inputs, change, moved=row_distance):
    """The plain way: every pair that the change allows."""
    answers = [(table, function(table)) for table in inputs]
    return max(
        moved(at_x, at_y)
        for (x, at_x), (y, at_y) in combinations_with_replacement(answers, 2)
        if change.metric(x, y) <= change.distance
    )


# --- tables and distances ----------------------------------------------------------------


@given(rows)
def test_a_table_is_a_multiset(found):
    """Catches a table that remembers the order of its rows, or loses a copy of one."""
    table = Table(("name", "group"), found)
    assert table == Table(("name", "group"), found[::-1])
    assert Counter(table.rows) == Counter(found)


@given(tables)
def test_groups_hold_every_row_once(table):
    """Catches a grouping that drops, doubles or misplaces a row."""
    groups = table.groups("group")
    assert sorted(row for held in groups.values() for row in held) == list(table.rows)
    assert all(row[1] == key[0] for key, held in groups.items() for row in held)


def test_all_tables_are_all_and_different():
    """Catches a table that is missing or given twice: C(4 + 3, 3) of them."""
    found = all_tables({"name": "ab", "group": [1, 2]}, 3)
    assert len(found) == len(set(found)) == math.comb(7, 3)


@given(tables, tables, tables)
def test_distances_are_metrics(x, y, z):
    """Catches a distance that is not symmetric, or that a detour shortens."""
    for metric in (row_distance, id_distance("name")):
        assert metric(x, y) == metric(y, x)
        assert (metric(x, y) == 0) == (x == y)
        assert metric(x, z) <= metric(x, y) + metric(y, z)


def test_an_id_that_changes_leaves_and_comes_back():
    """Catches an ID distance that takes any change of an ID for an arrival, or counts rows."""
    one, two = Table(("name",), [("a",)]), Table(("name",), [("a",), ("a",), ("b",)])
    assert id_distance("name")(one, two) == 3
    assert id_distance("name")(Table(("name",)), two) == 2


def test_an_id_spans_several_tables():
    """Catches rows that are taken for another table's, and an ID that is counted per table."""
    empty, full = Table(("name",)), Table(("name",), [("a",)])
    distance = id_distance("name")
    assert distance((empty, empty), (full, full)) == 1
    assert distance((empty, full), (full, empty)) == 2


# --- flat maps and public joins ----------------------------------------------------------


@pytest.mark.parametrize("max_rows", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_flat_map_multiplies(max_rows, n):
    """Catches a flat map that keeps more than `max_rows`, and a stability that is not linear."""

    def spread(table):
        return flat_map(table, lambda g: [(i,) for i in range(int(g))], ("i",), max_rows=max_rows)

    assert exact(spread, all_tables({"g": "0123"}, 3), AddMaxRows(n)) == n * max_rows


@pytest.mark.parametrize("multiplicity", [0, 1, 2, 3])
def test_a_public_join_multiplies_by_the_public_tables_rows(multiplicity):
    """Catches a join that loses matches, and one whose stability the private rows decide."""
    public = Table(("key", "place"), [(1, i) for i in range(multiplicity)])
    private = all_tables({"name": "ab", "key": [1, 2]}, 2)
    for n in (1, 2):
        moved = exact(lambda x: join(x, public, "key"), private, AddMaxRows(n))
        assert moved == n * multiplicity


@given(rows, rows)
def test_join_agrees_with_pandas(left, right):
    """Catches a wrong pairing, a lost copy, or columns in another order."""
    one, two = Table(("name", "group"), left), Table(("owner", "group"), right)
    joined = join(one, two, "group")
    frames = (pd.DataFrame(t.rows, columns=list(t.columns), dtype=object) for t in (one, two))
    merged = next(frames).merge(next(frames), on="group")
    assert joined.columns == tuple(merged.columns)
    assert list(joined.rows) == sorted(merged.itertuples(index=False, name=None))


# --- truncation --------------------------------------------------------------------------


@pytest.mark.parametrize("truncation", [E(1), E(2), E(3), UNIQUE])
def test_one_row_moves_as_many_kept_rows_as_the_truncation_says(truncation):
    """Catches `moved` or `most` that is not attained, or that is too small."""
    small = all_tables({"key": [1], "name": "abcd"}, 4)
    cut = {table: truncate(table, truncation, "key") for table in small}
    assert exact(cut.get, small, AddOneRow()) == truncation.moved
    assert max(len(table.rows) for table in cut.values()) == truncation.most
    assert exact(cut.get, small, AddRowsWithID("key")) == truncation.most


@given(tables)
def test_truncation_looks_at_one_key_alone(table):
    """Catches a truncation in which one person's rows decide what another keeps."""
    kept = truncate(table, E(2), "name")
    for name, held in table.groups("name").items():
        alone = truncate(Table(table.columns, held), E(2), "name")
        assert kept.groups("name")[name] == alone.rows


@given(tables)
def test_bounds_per_id_hold_and_drop_no_more_than_they_must(table):
    """Catches a bound that is exceeded, and one that cuts rows which it could keep."""
    by_rows = Counter(r[0] for r in MaxRowsPerID("name", 2)(table).rows)
    assert by_rows == {k: min(n, 2) for k, n in Counter(r[0] for r in table.rows).items()}
    grouped = MaxGroupsPerID("name", "group", 2)(table)
    pairs = Counter(name for name, _ in set(table.rows))
    assert Counter(name for name, _ in set(grouped.rows)) == {
        k: min(n, 2) for k, n in pairs.items()
    }
    assert all(table.rows.count(row) == grouped.rows.count(row) for row in grouped.rows)
    in_group = Counter(MaxRowsPerGroupPerID("name", "group", 1)(table).rows)
    assert in_group == dict.fromkeys(table.rows, 1)


@pytest.mark.parametrize(("g", "r"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)])
def test_a_person_contributes_groups_times_rows(g, r):
    """Catches bounds under which a person moves more counts, or fewer, than the theorem says."""
    people = all_tables({"name": "ab", "group": "xyz"}, 4)

    def counts(table):
        grouped = MaxGroupsPerID("name", "group", g)(table)
        return counts_by(MaxRowsPerGroupPerID("name", "group", r)(grouped), "group", "xyz")

    change = AddRowsWithID("name")
    assert (
        exact(counts, people, change, lambda x, y: sum(map(abs, map(int.__sub__, x, y)))) == g * r
    )
    assert exact(counts, people, change, math.dist) == pytest.approx(r * math.sqrt(g), rel=1e-12)


def test_transformations_keep_the_protected_change():
    """Catches a flat map or a join on the ID that lets one person touch another's rows."""
    left = all_tables({"name": "ab", "group": "xy"}, 2)
    right = all_tables({"name": "ab", "place": [1]}, 2)
    person = AddRowsWithID("name")
    twice = exact(
        lambda t: flat_map(t, lambda *row: [row] * 2, t.columns, max_rows=2),
        left,
        person,
        person.metric,
    )
    joined = exact(lambda both: join(*both, "name"), product(left, right), person, person.metric)
    assert twice == joined == 1


# --- private joins -----------------------------------------------------------------------


@cache
def neighbours(values, keys):
    """Each table with up to as many rows on a key as there are values, and those a row away."""
    found = [
        table.rows
        for table in all_tables({"key": range(keys), "value": values}, keys * len(values))
        if all(len(held) <= len(values) for held in table.groups("key").values())
    ]
    apart = [Table(("key", "value"), rows) for rows in found]
    return {x.rows: [y.rows for y in apart if row_distance(x, y) <= 1] for x in apart}


def plain_join_stability(left, right, rows_left, rows_right, of):
    """Every pair of pairs of tables, with two keys and two values."""
    near = neighbours("ab", 2)
    joined = {
        (users, items): join_private(
            Table(("key", "user"), users), Table(("key", "item"), items), "key", left, right
        )
        for users, items in product(near, repeat=2)
    }
    moved = {"rows": row_distance, "count": lambda x, y: abs(len(x.rows) - len(y.rows))}[of]
    return max(
        moved(before, joined[u, i])
        for (users, items), before in joined.items()
        for u in (near[users] if rows_left else [users])
        for i in (near[items] if rows_right else [items])
    )


@pytest.mark.parametrize("of", ["rows", "count"])
@pytest.mark.parametrize("allowed", [(1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize(("left", "right"), [(E(1), E(1)), (E(1), UNIQUE), (UNIQUE, UNIQUE)])
def test_keys_one_by_one_agree_with_all_tables(left, right, allowed, of):
    """Catches a wrong sum over keys: the plain enumeration visits whole pairs of tables."""
    found = join_stability(
        left, right, rows_left=allowed[0], rows_right=allowed[1], values="ab", keys=2, of=of
    )
    assert found.value == plain_join_stability(left, right, *allowed, of)


@pytest.mark.parametrize("of", ["rows", "count"])
@pytest.mark.parametrize("allowed", [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize(("left", "right"), JOINS)
def test_the_formulas_are_attained_and_the_witness_shows_it(left, right, allowed, of):
    """Catches a wrong formula for rows or counts, and tables that do not give the value."""
    d_left, d_right = allowed
    found = join_stability(
        left, right, rows_left=d_left, rows_right=d_right, keys=max(1, sum(allowed)), of=of
    )
    before, after = (
        join_private(*side, "key", left, right) for side in (found.before, found.after)
    )
    assert row_distance(found.before[0], found.after[0]) <= d_left
    assert row_distance(found.before[1], found.after[1]) <= d_right
    if of == "rows":
        assert found.value == row_distance(before, after)
        assert found.value == join_bound(left, right, rows_left=d_left, rows_right=d_right)
    else:
        assert found.value == abs(len(before.rows) - len(after.rows))
        assert found.value == d_left * right.most + d_right * left.most


def test_one_key_is_not_enough_for_both_changes():
    """Catches an allowance that is spent on a key twice: one key gives 6, two keys give 8."""
    found = [
        join_stability(E(2), E(2), rows_left=1, rows_right=1, keys=keys).value for keys in (1, 2)
    ]
    assert found == [6, 8]


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (2, 2)])
def test_the_product_belongs_to_a_whole_key(a, b):
    """Catches the product of the bounds for a key that arrives with its rows in both tables."""
    left = all_tables({"key": [1, 2], "user": "ab"}, 2)
    right = all_tables({"key": [1, 2], "item": "ab"}, 2)
    change = AddRowsWithID("key")
    report = sl.audit_map(
        lambda both: join_private(*both, "key", E(a), E(b)),
        a * b,
        list(product(left, right)),
        distances=[change.distance],
        input_metric=change.metric,
        output_metric=row_distance,
    )
    assert report.rows[0].verdict == "exact"


@settings(max_examples=200)
@given(st.sampled_from(JOINS), st.tuples(rows, rows), st.tuples(rows, rows))
def test_no_pair_of_tables_exceeds_the_bound(truncations, before, after):
    """Catches a bound that larger, stranger tables than the enumerated ones break."""
    sides = [
        [Table(("key", column), found) for column, found in zip("lr", side, strict=True)]
        for side in (before, after)
    ]
    apart = [row_distance(x, y) for x, y in zip(*sides, strict=True)]
    x, y = (join_private(*side, "key", *truncations) for side in sides)
    assert row_distance(x, y) <= join_bound(*truncations, rows_left=apart[0], rows_right=apart[1])


# --- what libraries say ------------------------------------------------------------------


@pytest.fixture(scope="module")
def figures():
    return library_figures()


def figure(figures, query, parameters):
    asked = figures[(figures["query"] == query) & (figures["parameters"] == parameters)]
    return asked.set_index("quantity")["value"]


def test_figures_say_where_they_come_from(figures):
    """Catches a figure without its version, and one that was stored twice."""
    assert dict(zip(figures["library"], figures["version"], strict=True)) == {
        "tmlt.core": "0.19.1",
        "tmlt.analytics": "0.21.0",
        "pipeline-dp": "0.3.1",
    }
    assert not figures.duplicated(["library", "query", "parameters", "quantity"]).any()


@pytest.mark.parametrize("allowed", [(1, 0), (0, 1), (1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize(("left", "right"), [*JOINS, (E(1), E(3)), (E(3), E(3))])
def test_tumult_core_computes_our_bound(figures, left, right, allowed):
    """Catches a formula that is not the library's, such as one with the tables exchanged."""
    asked = f"{left} x {right}; rows {allowed[0]} left, {allowed[1]} right"
    claimed = figure(figures, "private join", asked)["stability"]
    assert claimed == join_bound(left, right, rows_left=allowed[0], rows_right=allowed[1])


@pytest.mark.parametrize(
    ("query", "parameters", "l1", "l2"),
    [
        ("count", "AddMaxRows(1)", 1, 1),
        ("count", "AddMaxRows(3)", 3, 3),
        ("sum", "AddMaxRows(1); bounds 0 to 3", 3, 3),
        ("sum", "AddMaxRows(1); bounds -2 to 3", 3, 3),
        ("sum", "AddMaxRows(1); bounds 1 to 3", 3, 3),
        ("flat map, count", "AddMaxRows(1); max_rows 3", 3, 3),
        ("public join, count", "AddMaxRows(1); key in 3 rows", 3, 3),
        ("count", "AddRowsWithID; MaxRowsPerID(4)", 4, 4),
        ("counts by state", "AddRowsWithID; MaxRowsPerID(8)", 8, 8),
        ("counts by state", "AddRowsWithID; MaxGroupsPerID(4) MaxRowsPerGroupPerID(2)", 8, 4),
        ("count", "AddRowsWithID; MaxGroupsPerID(4) MaxRowsPerGroupPerID(2)", 8, 8),
    ],
)
def test_tumults_noise_is_what_the_theorems_say(figures, query, parameters, l1, l2):
    """Catches stored noise parameters that belong to another query, or were mistyped."""
    found = figure(figures, query, parameters)
    assert found["geometric parameter at epsilon 1"] == l1
    assert found["discrete Gaussian variance at rho 1"] == l2**2 / 2


def test_pipelinedps_sensitivities_are_what_the_theorems_say(figures):
    """Catches a norm or a limit that was stored under another name."""
    limits = "max_partitions_contributed 4; max_contributions_per_partition 2"
    for query, bounds, l1, l2 in (
        ("counts by partition", limits, 8, 4),
        ("sums by partition", f"{limits}; min_value -2; max_value 3", 24, 12),
        ("people by partition", limits, 4, 2),
        ("people by partition", "max_contributions 8", 8, math.sqrt(8)),
    ):
        found = figure(figures, query, bounds)
        assert found["L1 sensitivity"] == l1
        assert found["L2 sensitivity"] == pytest.approx(l2, rel=1e-5)


# --- pictures and errors -----------------------------------------------------------------


def test_a_picture_marks_each_row_once():
    """Catches a row that is marked wrongly, and a name that is not escaped on the page."""
    before, after = (
        Table(("<name>",), [("a",), ("b",), ("b",)]),
        Table(("<name>",), [("b",), ("c",)]),
    )
    picture = show_change({"T": (before, after)})
    assert repr(picture).splitlines() == [
        "T",
        "          <name>",
        "− leaves  a",
        "          b",
        "− leaves  b",
        "+ joins   c",
    ]
    page = picture._repr_html_()
    assert page.count("− leaves") == 2
    assert page.count("+ joins") == 1
    assert "&lt;name&gt;" in page
    assert "<name>" not in page


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Table(("a", "a")), r"columns must have different names, got \('a', 'a'\)"),
        (lambda: Table(("a",), [(1, 2)]), r"row must have 1 values, got row=\(1, 2\)"),
        (lambda: Table(("a",)).groups("b"), r"column must be one of \('a',\), got 'b'"),
        (lambda: all_tables({"a": [1]}, -1), "most_rows must be .*, got most_rows=-1"),
        (lambda: AddMaxRows(0), "max_rows must be .*, got max_rows=0"),
        (lambda: DropExcess(0), "max_rows must be .*, got max_rows=0"),
        (lambda: MaxRowsPerID("a", 0)(Table(("a",))), "max_rows must be .*, got max_rows=0"),
        (
            lambda: flat_map(Table(("a",)), lambda a: [], ("a",), max_rows=0),
            "max_rows must be .*, got max_rows=0",
        ),
        (lambda: join(Table(("a", "b")), Table(("a", "b")), "a"), "different names"),
        (
            lambda: join_stability(E(1), E(1), rows_left=-1, rows_right=0),
            "rows_left must be .*, got rows_left=-1",
        ),
        (
            lambda: join_stability(E(1), E(1), rows_left=1, rows_right=0, keys=0),
            "keys must be .*, got keys=0",
        ),
        (
            lambda: join_stability(E(1), E(1), rows_left=1, rows_right=0, of="sum"),
            "of must be 'rows' or 'count', got of='sum'",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    """Catches bad input that is passed over in silence, or refused without its name."""
    with pytest.raises(ValueError, match=message):
        call()
