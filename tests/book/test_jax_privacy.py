"""JAX Privacy's cases: verdicts pinned with the version, and every number by a second route."""

import ast
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from conftest import ROOT
from sensitivity_book.case_files.cards import issues
from sensitivity_book.case_files.certificates import certificate
from sensitivity_book.case_files.jax_privacy import (
    ENCODERS,
    THREE_ROUNDS,
    clipping_asked,
    jax_privacy_cases,
)
from sensitivity_book.data.stored_figures import figures
from sensitivity_book.theory.vectors import by_every_contribution, gram, published_bound

from scripts import check_certificate

CASES = jax_privacy_cases()
SHORT = 2.0**-13

# Function, setting, relation: claimed over exact, where it is not 1.
NOT_ONE = {
    (
        "clipped_fun by its docstring",
        "l2_clip_norm 5, normalize_by 4",
        "SymmetricDifference",
    ): 4,
    (
        "clipped_fun by its docstring",
        "l2_clip_norm 5, normalize_by 1/2",
        "SymmetricDifference",
    ): 1 / 2,
    ("clipped_fun of float32", "l2_clip_norm 1", "SymmetricDifference"): 1 - 4.4499e-8,
    ("clipped_fun of float32", "l2_clip_norm 1, normalize_by 3", "SymmetricDifference"): 1
    - 2.9802e-8,
    ("clipped_fun of bfloat16", "l2_clip_norm 1", "SymmetricDifference"): 1 / 2,
    ("clipped_fun of float16", "l2_clip_norm 2**-13", "SymmetricDifference"): 1 / 2,
    (
        "get_min_sep_sensitivity_upper_bound",
        "square root; rounds 8; min_sep 1; most 3",
        "Person",
    ): 1.006155,
    (
        "get_min_sep_sensitivity_upper_bound",
        "square root, 3 bands; rounds 8; min_sep 1; most 3",
        "Person",
    ): 1.039936,
    (
        "get_min_sep_sensitivity_upper_bound",
        "three rounds; rounds 3; min_sep 1; most 3",
        "Person",
    ): math.sqrt(32 / (76 / 3)),
    (
        "fixed_epoch_sensitivity",
        "three rounds; rounds 3; epochs 3",
        "Person",
    ): math.sqrt(32 / (76 / 3)),
}
TOO_SMALL = [case for case in CASES if case.verdict == "too small"]


def answers(of_type, setting):
    name = f"clipped_fun of {of_type}", setting
    (asked,) = [one for one in clipping_asked() if (one.function, one.setting) == name]
    return dict(asked.answers)


def test_verdicts():
    """Catches a library, or our numbers, that have changed: read the case before the pin."""
    assert {case.version for case in CASES} == {"2.0.0"}
    found = {
        (case.function, case.setting, case.row.relation): float(case.row.ratio)
        for case in CASES
        if case.verdict != "exact"
    }
    assert found == pytest.approx(NOT_ONE, rel=1e-6, abs=1e-9)
    hairs = [ratio for ratio in found.values() if 0.99 < ratio < 1]
    assert hairs == pytest.approx([1 - 4.4499e-8, 1 - 2.9802e-8], rel=1e-11)
    assert len({case.address for case in CASES}) == len(CASES)


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


def test_no_smaller_vector_of_two_whole_numbers_is_too_long():
    """Catches a witness that could be smaller: all vectors of one or two entries with sums below 5."""
    smaller = [(a,) for a in range(1, 5)] + [
        (a, b) for a in range(5) for b in range(5) if 0 < a + b < 5
    ]
    assert all(squared(clipped(vector)) <= 1 for vector in smaller)


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


# -- what is published of them -----------------------------------------------------------------


def test_certificates(tmp_path, capsys):
    """Catches a certificate that the checker, which shares no code with the package, refuses."""
    file = tmp_path / "cases.json"
    stored = {"cases": [certificate(case) for case in CASES]}
    file.write_text(json.dumps(stored), encoding="utf-8")
    assert check_certificate.main([str(file)]) == 0, capsys.readouterr().out


def test_what_is_not_exact_says_why():
    """Catches a card without the reason for its gap."""
    assert all(case.note for case in CASES if case.verdict != "exact")


def test_issues():
    """Catches a thread that is named for another function."""
    named = {case.function for case in CASES if issues(case)}
    assert named == {"clipped_fun by its docstring", "clipped_fun of float16"}


def datasets_of(program):
    """The datasets that a program names, without running the library."""
    tree = ast.parse(program)
    (value,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DATASETS"
    ]
    return [tuple(dataset) for dataset in eval(ast.unparse(value), {})]


@pytest.mark.parametrize("case", TOO_SMALL, ids=lambda case: case.address)
def test_each_has_a_program_with_its_witness(case):
    """Catches a program that shows other datasets, imports ours, or is too long to paste."""
    folder = ROOT / "scripts" / "libraries" / "jax_privacy" / "programs"
    program = (folder / f"{case.address}.py").read_text(encoding="utf-8")
    assert datasets_of(program) == [case.row.dataset, case.row.neighbour]
    assert len(program.splitlines()) <= 30
    imported = {
        node.module or node.names[0].name
        if isinstance(node, ast.ImportFrom)
        else node.names[0].name
        for node in ast.walk(ast.parse(program))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert imported <= {"math", "fractions", "jax.numpy", "jax_privacy"}
    assert {path.stem for path in folder.glob("*.py")} == {one.address for one in TOO_SMALL}
