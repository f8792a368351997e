"""What is done to people's tables is held against enumerations and stated laws."""

from collections import Counter

import pandas as pd
import pytest
from conftest import in_turn
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


def apart(one, other):
    """How many rows must be removed and added, in plain Python."""
    before, after = Counter(one), Counter(other)
    return (before - after).total() + (after - before).total()


def cut(held, keep):
    """What is kept of (key, value) rows, in plain Python: key by key, the values in order."""
    keys = sorted({key for key, _ in held})
    return [(key, v) for key in keys for v in keep(sorted(v for k, v in held if k == key))]


def join_private(left, right, keep_left, keep_right):
    """The join of two lists of (key, value), each truncated, in plain Python."""
    left, right = cut(left, keep_left), cut(right, keep_right)
    return [(k, x, y) for k, x in left for key, y in right if k == key]


MOVED = {"rows": apart, "count": lambda one, other: abs(len(one) - len(other))}


def largest(universe, truncation, by, most):
    """The largest move of the rows kept, among datasets of at most so many records."""
    audit = sl.audit(
        lambda held: truncate(held, truncation, by).value_counts(),
        0,
        universe,
        sizes_within=range(most + 1),
        relations=[sl.SymmetricDifference(1)],
    )
    return max(row.exact for row in audit.rows)


@pytest.mark.parametrize("truncation", in_turn([E(1), E(2), E(3), UNIQUE]))
def test_one_row_moves_as_many_kept_rows_as_the_truncation_says(truncation):
    """Catches `moved` or `most` that is not attained, or that is too small."""
    names = list("abcd")[: 1 + getattr(truncation, "max_rows", 2)]
    one_key = sl.Universe.product(key=[1], reader=names)
    assert largest(one_key, truncation, "key", len(names)) == truncation.moved
    whole = sl.Universe.people(sl.Universe.product(reader=names), most_rows=len(names))
    assert largest(whole, truncation, "person", 1) == truncation.most


@given(rows, st.sampled_from([E(1), E(2), UNIQUE]))
def test_truncation_keeps_what_the_rule_keeps_of_each_key(held, keep):
    """Catches a truncation in which one key decides what another keeps, or the order of rows."""
    for order in (held, held[::-1]):
        kept = truncate(frame(order, "name", "group"), keep, "name")
        assert [*kept] == ["name", "group"]
        assert tuples(kept) == cut(held, keep)


@pytest.mark.parametrize("of", MOVED)
@pytest.mark.parametrize("allowed", [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("truncations", JOINS)
def test_the_formulas_are_attained_and_the_witness_shows_it(truncations, allowed, of):
    """Catches a wrong formula for rows or counts, and tables that do not give the value."""
    asked = dict(zip(("rows_left", "rows_right"), allowed, strict=True))
    found = join_stability(*truncations, **asked, keys=max(1, sum(allowed)), of=of)
    before, after = ([*map(tuples, side.values())] for side in (found.before, found.after))
    assert all(apart(*sides) <= d for *sides, d in zip(before, after, allowed, strict=True))
    joined = (join_private(*sides, *truncations) for sides in (before, after))
    left, right = truncations
    counted = allowed[0] * right.most + allowed[1] * left.most
    bound = counted if of == "count" else join_bound(*truncations, **asked)
    assert found.value == MOVED[of](*joined) == bound


@settings(max_examples=200)
@given(st.sampled_from(JOINS), st.tuples(rows, rows), st.tuples(rows, rows))
def test_no_pair_of_tables_exceeds_the_bound(truncations, before, after):
    """Catches a bound that larger, stranger tables than the enumerated ones break."""
    left, right = (apart(*sides) for sides in zip(before, after, strict=True))
    x, y = (join_private(*side, *truncations) for side in (before, after))
    assert apart(x, y) <= join_bound(*truncations, rows_left=left, rows_right=right)
