"""JAX Privacy's cases: every number by a second route."""

import math
from fractions import Fraction

import numpy as np
import pytest
from sensitivity_board.cases.jax_privacy import (
    ENCODERS,
    THREE_ROUNDS,
    clipping_asked,
    jax_privacy_cases,
)
from sensitivity_board.figures import figures
from sensitivity_book.theory.vectors import by_every_contribution, gram, published_bound

CASES = jax_privacy_cases()
SHORT = 2.0**-13


def answers(of_type, setting):
    name = f"clipped_fun of {of_type}", setting
    (asked,) = [one for one in clipping_asked() if (one.function, one.setting) == name]
    return dict(asked.answers)


# -- sums of clipped vectors -------------------------------------------------------------------


def clipped(vector):
    """Clipped to length 1 step by step in float32, by NumPy."""
    v = np.array(vector, dtype=np.float32)
    norm = np.sqrt(np.sum(v * v, dtype=np.float32))
    return v * np.minimum(np.float32(1), np.float32(1) / norm)


def squared(vector):
    return sum(Fraction(float(entry)) ** 2 for entry in vector)


def test_a_float32_vector_is_a_hair_too_long():
    """Catches an excess that is only printed: it is there in Fractions, and NumPy's is the same."""
    answer = answers("float32", "l2_clip_norm 1")[((1, 4),)]
    assert squared(answer) > 1
    assert squared(answer) == squared(clipped((1, 4)))
    assert float(squared(answer) - 1) == pytest.approx(8.9e-8, rel=1e-2)


def test_a_third_in_float32():
    """Catches a case that rests on how a float is printed."""
    answer = answers("float32", "l2_clip_norm 1, normalize_by 3")[((1,),)]
    assert Fraction(answer[0]) > Fraction(1, 3)
    assert answer[0] == float(np.float32(1) / np.float32(3))


def in_bfloat16(n):
    """A whole number to eight significant bits, ties to even."""
    step = 2 ** max(n.bit_length() - 8, 0)
    return round(Fraction(n, step)) * step


def test_bfloat16_sums_are_rounded():
    """Catches an answer that the type does not explain."""
    for batch, (total,) in answers("bfloat16", "l2_clip_norm 1").items():
        assert total == in_bfloat16(len(batch))
    for batch, (total,) in answers("bfloat16", "l2_clip_norm 1, dtype float32").items():
        assert total == len(batch)


def test_float16_squares_vanish():
    """Catches an answer that the type does not explain, at four entries and at a million."""
    assert np.float16(SHORT) ** 2 == 0
    assert answers("float16", "l2_clip_norm 2**-13")[((SHORT,) * 4,)] == (SHORT,) * 4
    right = answers("float16", "l2_clip_norm 2**-13, dtype float32")[((SHORT,) * 4,)]
    assert math.hypot(*right) == SHORT
    table = figures("jax_privacy").set_index("quantity")
    assert float(table.loc["length of the clipped vector", "value"]) == math.sqrt(2**20) * SHORT


def test_three_relations_on_a_grid():
    """Catches C and 2C being swapped: 5, 10 and 5 for vectors clipped to 5."""
    grid = [c for c in CASES if c.setting == "l2_clip_norm 5"]
    found = {case.row.relation: (case.row.claimed, case.row.found) for case in grid}
    assert found == {"SymmetricDifference": (5, 5), "Change": (10, 10), "Zeroed": (5, 5)}


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
