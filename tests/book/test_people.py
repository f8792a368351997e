"""People and their rows: what is done to tables is held against plain enumerations and stated laws."""

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sensitivity_book.theory.people import (
    DropExcess,
    DropNonUnique,
    join_bound,
    join_stability,
    truncate,
)

import sensitivity_lab as sl

E, UNIQUE = DropExcess, DropNonUnique()
JOINS = [(E(1), E(1)), (E(2), E(2)), (UNIQUE, UNIQUE), (UNIQUE, E(2)), (E(2), UNIQUE), (E(1), E(2))]

rows = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=6)


def frame(held, *columns):
    return pd.DataFrame(held, columns=list(columns), dtype=object)


def tuples(table):
    return sorted(table.itertuples(index=False, name=None))


def row_distance(one, other):
    """How many rows must be removed and added, in plain Python."""
    before, after = Counter(tuples(one)), Counter(tuples(other))
    return (before - after).total() + (after - before).total()


def cut(held, keep):
    """What is kept of (key, value) rows, in plain Python: key by key, the values in order."""
    keys = sorted({key for key, _ in held})
    return [(key, v) for key in keys for v in keep(sorted(v for k, v in held if k == key))]


def join_private(left, right, keep_left, keep_right):
    """The join of two lists of (key, value), each truncated, in plain Python."""
    left, right = cut(left, keep_left), cut(right, keep_right)
    return Counter((k, x, y) for k, x in left for key, y in right if k == key)


def rows_of(step):
    return lambda table: step(table).value_counts()


def largest(function, universe, k, most, norm=1):
    """The largest move of an answer among datasets of at most so many records."""
    asked = {"sizes_within": range(most + 1), "relations": [sl.SymmetricDifference(k)]}
    return max(row.exact for row in sl.audit(function, 0, universe, **asked, norm=norm).rows)


# --- truncation --------------------------------------------------------------------------


@pytest.mark.parametrize("truncation", [E(1), E(2), E(3), UNIQUE])
def test_one_row_moves_as_many_kept_rows_as_the_truncation_says(truncation):
    """Catches `moved` or `most` that is not attained, or that is too small."""
    names = list("abcd")[: 1 + getattr(truncation, "max_rows", 2)]
    one_key = sl.Universe.product(key=[1], reader=names)
    step = rows_of(lambda table: truncate(table, truncation, "key"))
    assert largest(step, one_key, 1, len(names)) == truncation.moved
    whole = sl.Universe.people(sl.Universe.product(reader=names), most_rows=len(names))
    step = rows_of(lambda table: truncate(table, truncation, "person"))
    assert largest(step, whole, 1, 1) == truncation.most


@given(rows, st.sampled_from([E(1), E(2), UNIQUE]))
def test_truncation_keeps_what_the_rule_keeps_of_each_key(held, keep):
    """Catches a truncation in which one key decides what another keeps, or the order of rows."""
    for order in (held, held[::-1]):
        kept = truncate(frame(order, "name", "group"), keep, "name")
        assert [*kept] == ["name", "group"]
        assert tuples(kept) == cut(held, keep)


# --- private joins -----------------------------------------------------------------------


@cache
def neighbours(values, keys):
    """Each table with up to as many rows on a key as there are values, and those a row away."""
    of_key = [g for n in range(len(values) + 1) for g in combinations_with_replacement(values, n)]
    tables = [
        tuple((key, value) for key, group in enumerate(groups) for value in group)
        for groups in product(of_key, repeat=keys)
    ]

    def apart(x, y):
        x, y = Counter(x), Counter(y)
        return (x - y).total() + (y - x).total()

    return {x: [y for y in tables if apart(x, y) <= 1] for x in tables}


def plain_join_stability(left, right, rows_left, rows_right, of):
    """Every pair of pairs of tables, with two keys and two values."""
    near = neighbours("ab", 2)
    joined = {
        (users, items): join_private(users, items, left, right)
        for users, items in product(near, repeat=2)
    }
    moved = {
        "rows": lambda x, y: (x - y).total() + (y - x).total(),
        "count": lambda x, y: abs(x.total() - y.total()),
    }[of]
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
        join_private(*map(tuples, side.values()), left, right)
        for side in (found.before, found.after)
    )
    assert row_distance(found.before["left"], found.after["left"]) <= d_left
    assert row_distance(found.before["right"], found.after["right"]) <= d_right
    if of == "rows":
        assert found.value == (before - after).total() + (after - before).total()
        assert found.value == join_bound(left, right, rows_left=d_left, rows_right=d_right)
    else:
        assert found.value == abs(before.total() - after.total())
        assert found.value == d_left * right.most + d_right * left.most


@settings(max_examples=200)
@given(st.sampled_from(JOINS), st.tuples(rows, rows), st.tuples(rows, rows))
def test_no_pair_of_tables_exceeds_the_bound(truncations, before, after):
    """Catches a bound that larger, stranger tables than the enumerated ones break."""
    sides = zip(before, after, strict=True)
    apart = [row_distance(*(frame(x, "k", "v") for x in side)) for side in sides]
    x, y = (join_private(*side, *truncations) for side in (before, after))
    moved = (x - y).total() + (y - x).total()
    assert moved <= join_bound(*truncations, rows_left=apart[0], rows_right=apart[1])
