"""Certificates: what is tampered with is not accepted, and the checker runs alone."""

import ast
import json
import math
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest
from conftest import refused
from sensitivity_board import BOARD
from sensitivity_board import check_certificate as checker

from sensitivity_lab.definition import related

CHECKER = Path(checker.__file__)
STORED = json.loads(BOARD.read_text("utf-8"))["cases"]
FULL = [one for one in STORED if isinstance(one["universe"], dict)]
LISTED = [one for one in STORED if one["universe"] == "those listed"]
WITNESSED = [one for one in STORED if one["witness"]]
# A sum of records from 0 and 3, claimed to move by 3 at most.
SUM = next(one for one in FULL if one["function"] == "sum" and one["verdict"] == "exact")
HISTOGRAM = next(
    one for one in FULL if one["function"] == "histogram" and one["verdict"] == "too small"
)


def changed(certificate, **changes):
    """A certificate with other values; `witness__answers` is `answers` within the witness."""
    other = dict(certificate)
    for name, value in changes.items():
        *within, last = name.split("__")
        place = other
        for part in within:
            place[part] = dict(place[part])
            place = place[part]
        place[last] = value
    return other


def rejected(certificate, *words):
    with refused(ValueError, *words):
        checker.checked(certificate)


def test_numbers_are_read_as_the_page_of_the_board_says():
    """Catches a checker that takes a float for its decimal text, as the package does, and its page."""
    assert checker.plain([0.1, {"number": "0.1"}]) == (Fraction(0.1), Fraction(1, 10))
    assert checker.plain({"runs": [[1, 2], [[3], 1]]}) == (1, 1, (3,))
    worded = [one for one in STORED if one["relation"]["name"] == "added or removed:"]
    datasets = [one["witness"]["dataset"] for one in worded]
    sizes = [sum(len(part) * copies for part, copies in dataset) for dataset in datasets]
    assert sorted(sizes) == [2**18, 2**20, 2**28]
    assert all("judge it" in checker.checked(one) for one in worded)


def test_the_checker_runs_alone_and_says_what_is_not_right(tmp_path):
    """Catches a checker that needs this project, and one that passes a forged file with the rest."""
    forged = changed(HISTOGRAM, exact=1, verdict="exact")
    (tmp_path / "forged.json").write_text(json.dumps(forged), encoding="utf-8")
    (tmp_path / "right.json").write_text(json.dumps(SUM), encoding="utf-8")
    (tmp_path / "board.json").write_text(json.dumps({"cases": STORED[:5]}), encoding="utf-8")

    def run(*names):
        asked = [sys.executable, "-I", "-S", str(CHECKER), *names]
        return subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")

    everything = run("board.json", "right.json")
    assert everything.returncode == 0, everything.stdout
    assert len(everything.stdout.splitlines()) == 5 + 1
    both = run("right.json", "forged.json")
    assert both.returncode == 1
    assert [("NOT RIGHT" in line) for line in both.stdout.splitlines()] == [False, True]
    assert run(*["forged.json"] * 256).returncode == 1  # 256 would be taken for 0


def test_the_checker_is_short_and_of_the_standard_library():
    """Catches a checker that nobody reads to its end, or that imports what it checks."""
    text = CHECKER.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    named = {
        name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }  # fmt: skip
    assert {name.partition(".")[0] for name in named} <= sys.stdlib_module_names


# ---- Tampered with -------------------------------------------------------------------------------


def test_another_exact_number_is_refused():
    """Catches an exact number that no witness attains: too large or too small by a hundredth."""
    for one, factor in product(WITNESSED, (0.99, 1.01)):
        exact, claimed = (float(checker.plain(one[name])) for name in ("exact", "claimed"))
        told = exact * factor if exact else factor
        verdict = "too small" if claimed < told else "loose"
        if math.isfinite(exact):
            rejected(changed(one, exact=told, verdict=verdict, proved="exact"), "that far apart")


def test_another_verdict_is_refused():
    """Catches a verdict that the two numbers do not bear out, and a claim moved to another verdict."""
    for one in STORED:
        for verdict in {"too small", "loose", "exact"} - {one["verdict"]}:
            rejected(changed(one, verdict=verdict), "the numbers say", one["verdict"])
        exact = checker.plain(one["exact"])
        claimed = 2 * exact + 1 if one["verdict"] == "exact" else exact
        if math.isfinite(claimed):
            rejected(changed(one, claimed={"number": str(claimed)}), "the numbers say")


@pytest.mark.parametrize("one", [SUM, HISTOGRAM], ids=["sum", "histogram"])
def test_another_answer_of_the_witness_is_refused(one):
    """Catches an answer changed at either side, and in the table of answers alone."""
    for side in (0, 1):
        answers = deepcopy(one["witness"]["answers"])
        answers[side] = [9, 9] if isinstance(answers[side], list) else 99
        rejected(changed(one, witness__answers=answers), "that far apart")
    table = deepcopy(one["answers"])
    place = [dataset for dataset, _ in table].index(one["witness"]["dataset"])
    table[place][1] = [9, 9] if isinstance(table[place][1], list) else 99
    rejected(changed(one, answers=table), "not in the table")


def test_a_witness_with_a_record_from_outside_is_refused():
    """Catches a wide pair that the universe does not hold: 0 to 3, and a record of 30."""
    outside = changed(
        SUM,
        witness={"dataset": [], "neighbour": [30], "answers": [0, 30]},
        exact=30,
        verdict="too small",
    )
    rejected(outside, "not in the table")
    rejected(changed(outside, answers=[*SUM["answers"], [[30], 30]]), "datasets are missing")


def test_a_dataset_left_out_is_refused():
    """Catches a table that hides the dataset on which the function answers otherwise."""
    for one in FULL[::3]:
        answers = one["answers"]
        for place in {0, len(answers) // 2, len(answers) - 1}:
            with pytest.raises(ValueError, match=r"datasets are missing|not in the table"):
                checker.checked(changed(one, answers=answers[:place] + answers[place + 1 :]))


def test_a_dataset_that_stands_twice_is_refused():
    """Catches a table that is long enough because one dataset stands in it twice, or says two things."""
    *most, last = [pair for pair in SUM["answers"] if pair[0] not in SUM["witness"].values()]
    kept = [pair for pair in SUM["answers"] if pair[0] in SUM["witness"].values()]
    rejected(changed(SUM, answers=[*kept, *most, most[0]]), "datasets are missing", "twice")
    rejected(changed(SUM, answers=[*kept, *most, last, last]), "datasets are missing", "twice")
    for one in LISTED[:1]:
        rejected(changed(one, answers=[*one["answers"], one["answers"][0]]), "twice")


def test_a_pair_that_is_no_neighbour_is_refused():
    """Catches two datasets that differ in more records than the relation allows."""
    far = {"dataset": [], "neighbour": [3, 3], "answers": [0, 6]}
    rejected(changed(SUM, witness=far, exact=6, verdict="too small"), "no neighbours")
    rejected(changed(HISTOGRAM, relation__name="Add"), "no neighbours")
    for one in WITNESSED:
        moved = one["witness"]["dataset"] != one["witness"]["neighbour"]
        if moved and checker.neighbours(one["relation"], (), (), Counter(), Counter()) is not None:
            rejected(changed(one, relation__k=0), "no neighbours")


def test_a_wider_pair_in_the_table_is_refused():
    """Catches a table whose own answers lie further apart than the exact number says."""
    table = deepcopy(SUM["answers"])
    table[-1][1] += 1
    assert table[-1][0] not in SUM["witness"].values()
    rejected(changed(SUM, answers=table), "the widest pair of the table is 4 apart")


def test_a_lower_bound_proves_no_claim_right():
    """Catches "exact" or "loose" said of the widest pair that a search happened to find."""
    rejected(changed(SUM, proved="at least"), "one pair proves no such verdict")
    assert checker.checked(changed(HISTOGRAM, proved="at least"))


# ---- By another route ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Add", "Remove", "Change", "SymmetricDifference"])
def test_neighbours_are_those_of_the_brute_force(name):
    """Catches a relation that the checker reads otherwise than the labelled records say."""
    datasets = [d for n in range(4) for d in combinations_with_replacement((0, 1, 2), n)]
    for x, y, k in product(datasets, datasets, (1, 2)):
        found = checker.neighbours({"name": name, "k": k}, x, y, Counter(x), Counter(y))
        # Labelled: the first 2 of one dataset is the first 2 of the other, and so on.
        one, other = ({(v, i) for v in d for i in range(d.count(v))} for d in (x, y))
        assert found == related(name, k, len(one - other), len(other - one)), (x, y, k)


@pytest.mark.parametrize(("name", "sides"), [("Add", (0, 1)), ("Remove", (1, 0))])
def test_a_relation_of_one_direction_is_read_in_both(name, sides):
    """Catches a table whose order hides every pair: from the small to the large none is removed."""
    pair = [([], 0), ([3], 3)]
    (x, fx), (y, fy) = (pair[side] for side in sides)
    witness = {"dataset": x, "neighbour": y, "answers": [fx, fy]}
    one = changed(SUM, relation__name=name, witness=witness)
    assert "none of 12 neighbouring pairs" in checker.checked(one)


@pytest.mark.parametrize("norm", ["L1", "L2", "L∞"])
def test_distances_are_those_of_numpy(norm):
    """Catches a norm that is taken for another one."""
    order = {"L1": 1, "L2": 2, "L∞": math.inf}[norm]
    for x, y in (((1, 2, 3), (4, 6, 0)), ((0.5, -1), (0.25, 1)), (5, 2)):
        gaps = np.atleast_1d(np.array(x, dtype=np.float64) - np.array(y, dtype=np.float64))
        expected = np.linalg.norm(gaps, order)
        assert float(checker.distance(norm, x, y)) == pytest.approx(expected)
