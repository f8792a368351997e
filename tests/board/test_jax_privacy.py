"""JAX Privacy's cases: what one person moves in many rounds, by a second route."""

import math

import numpy as np
import pytest
from sensitivity_board.cases.jax_privacy import (
    ENCODERS,
    THREE_ROUNDS,
    jax_privacy_cases,
)
from sensitivity_board.figures import figures
from sensitivity_book.theory.vectors import by_every_contribution, gram, published_bound

CASES = jax_privacy_cases()


# -- matrix mechanisms -------------------------------------------------------------------------


def test_matrix_mechanisms_by_the_definition():
    """Catches a pattern that is left out: the longest C·u over all u of −1, 0 and 1."""
    for case in CASES:
        name, *limits = case.setting.split("; ")
        if case.row.relation != "Person" or name == "three rounds" or "epochs" in case.setting:
            continue
        told = dict(limit.rsplit(" ", 1) for limit in limits)
        most = None if told["most"] == "any" else int(told["most"])
        squared = by_every_contribution(ENCODERS[name], int(told["min_sep"]), most)
        assert case.row.found == pytest.approx(math.sqrt(squared), rel=1e-12)


def test_the_published_bound_is_the_librarys():
    """Catches a bound of ours that is another one: the library's, to six digits."""
    table = figures("jax_privacy")
    for figure in table[table["query"] == "get_min_sep_sensitivity_upper_bound"].itertuples():
        name, _, sep, most = figure.parameters.split("; ")
        encoder = THREE_ROUNDS if name == "three rounds" else ENCODERS[name]
        k = most.removeprefix("most ")
        bound = published_bound(encoder, int(sep.split()[1]), None if k == "any" else int(k))
        assert f"{math.sqrt(bound):.6g}" == figure.value


def test_absolute_values_of_three_rounds():
    """Catches a claim that is not the sum of absolute values, which its note names."""
    sizes = sum(abs(x) for row in gram(THREE_ROUNDS) for x in row)
    found = {c.row.claimed for c in CASES if c.setting.startswith("three rounds")}
    assert found == {float(f"{math.sqrt(sizes):.6g}")}


def test_a_person_in_a_plane():
    """Catches a witness whose vectors are too long, or move the rounds by another length."""
    (found,) = {c.row.neighbour[0] for c in CASES if c.setting.startswith("three rounds")}
    vectors = np.array(found)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1])
    moved = np.linalg.norm(np.array(THREE_ROUNDS) @ vectors)
    assert moved**2 == pytest.approx(76 / 3)
