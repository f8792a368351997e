"""Certificates: what is tampered with is not accepted, and the checker runs alone."""

import json
import math
import subprocess
import sys
from collections import Counter
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
LISTED = next(one for one in STORED if one["universe"] == "those listed")
WITNESSED = [one for one in STORED if one["witness"]]
# A sum of records from 0 and 3, and of its table the witness's two answers, and the rest.
SUM = next(one for one in FULL if one["function"] == "sum" and one["verdict"] == "exact")
SEEN = [pair for pair in SUM["answers"] if pair[0] in SUM["witness"].values()]
REST = [pair for pair in SUM["answers"] if pair not in SEEN]
WRONG = (one for one in FULL if one["verdict"] == "too small")
HISTOGRAM = next(one for one in WRONG if one["function"] == "histogram")
FORGED = {"exact": 1, "verdict": "exact"}


def rejected(certificate, *words):
    with refused(ValueError, *words):
        checker.checked(certificate)


def related_by(certificate, **changes):
    return certificate | {"relation": certificate["relation"] | changes}


def witnessed(certificate, x, y, answers, **more):
    return certificate | {"witness": {"dataset": x, "neighbour": y, "answers": answers}, **more}


def test_numbers_are_read_as_the_page_of_the_board_says():
    """Catches a checker that takes a float for its decimal text, as the package does."""
    assert checker.plain([0.1, {"number": "0.1"}]) == (Fraction(0.1), Fraction(1, 10))
    assert checker.plain({"runs": [[1, 2], [[3], 1]]}) == (1, 1, (3,))
    worded = [one for one in STORED if one["relation"]["name"] == "added or removed:"]
    datasets = [one["witness"]["dataset"] for one in worded]
    sizes = [sum(len(part) * copies for part, copies in dataset) for dataset in datasets]
    assert sorted(sizes) == [2**18, 2**20, 2**28]
    assert all("judge it" in checker.checked(one) for one in worded)


def test_the_checker_is_short_and_runs_alone_and_says_what_is_not_right(tmp_path):
    """Catches a checker that nobody reads to its end, that needs a package, or passes a forgery."""
    assert len(CHECKER.read_text(encoding="utf-8").splitlines()) <= 120
    files = {"forged": HISTOGRAM | FORGED, "right": SUM, "board": {"cases": STORED[:5]}}
    for name, told in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(told), encoding="utf-8")

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


def test_another_exact_number_is_refused():
    """Catches an exact number that no witness attains: too large or too small by a hundredth."""
    for one, factor in product(WITNESSED, (0.99, 1.01)):
        exact, claimed = (float(checker.plain(one[name])) for name in ("exact", "claimed"))
        told = exact * factor if exact else factor
        verdict = "too small" if claimed < told else "loose"
        if math.isfinite(exact):
            forged = one | {"exact": told, "verdict": verdict, "proved": "exact"}
            rejected(forged, "that far apart")


def test_another_verdict_is_refused():
    """Catches a verdict that the two numbers do not bear out."""
    for one in STORED:
        for verdict in {"too small", "loose", "exact"} - {one["verdict"]}:
            rejected(one | {"verdict": verdict}, "the numbers say", one["verdict"])
        exact = checker.plain(one["exact"])
        claimed = 2 * exact + 1 if one["verdict"] == "exact" else exact
        if math.isfinite(claimed):
            rejected(one | {"claimed": {"number": str(claimed)}}, "the numbers say")


@pytest.mark.parametrize(("one", "other"), [(SUM, 99), (HISTOGRAM, [9, 9])])
def test_another_answer_of_the_witness_is_refused(one, other):
    """Catches an answer changed at either side, and in the table of answers alone."""
    x, y, (fx, fy) = one["witness"].values()
    rejected(witnessed(one, x, y, [other, fy]), "that far apart")
    rejected(witnessed(one, x, y, [fx, other]), "that far apart")
    table = [[dataset, other if dataset == x else answer] for dataset, answer in one["answers"]]
    rejected(one | {"answers": table}, "not in the table")


def test_a_dataset_left_out_is_refused():
    """Catches a table that hides the dataset on which the function answers otherwise."""
    for one in FULL[::3]:
        answers = one["answers"]
        for place in {0, len(answers) // 2, len(answers) - 1}:
            with pytest.raises(ValueError, match=r"datasets are missing|not in the table"):
                checker.checked(one | {"answers": answers[:place] + answers[place + 1 :]})


def test_a_pair_that_is_no_neighbour_is_refused():
    """Catches two datasets that differ in more records than the relation allows."""
    for one in WITNESSED:
        moved = one["witness"]["dataset"] != one["witness"]["neighbour"]
        if moved and checker.neighbours(one["relation"], (), (), Counter(), Counter()) is not None:
            rejected(related_by(one, k=0), "no neighbours")


OUTSIDE = witnessed(SUM, [], [30], [0, 30], exact=30, verdict="too small")
WIDER = [*SEEN, *REST[:-1], [REST[-1][0], REST[-1][1] + 1]]
TWICE = "datasets are missing, or there twice"


@pytest.mark.parametrize(
    ("forged", "words"),
    [
        (witnessed(SUM, [], [3, 3], [0, 6], exact=6, verdict="too small"), "no neighbours"),
        (related_by(HISTOGRAM, name="Add"), "no neighbours"),
        (OUTSIDE, "not in the table"),
        (OUTSIDE | {"answers": [*SUM["answers"], [[30], 30]]}, "datasets are missing"),
        (SUM | {"answers": [*SEEN, *REST[:-1], REST[0]]}, TWICE),
        (SUM | {"answers": [*SEEN, *REST, REST[-1]]}, TWICE),
        (LISTED | {"answers": [*LISTED["answers"], LISTED["answers"][0]]}, TWICE),
        (SUM | {"answers": WIDER}, "the widest pair of the table is 4 apart"),
        (SUM | {"proved": "at least"}, "one pair proves no such verdict"),
    ],
)
def test_what_is_forged_is_refused(forged, words):
    """Catches a wide pair that the universe or the relation does not hold, a table that is long
    enough because one dataset stands in it twice, and "exact" said of the widest pair that a search
    happened to find."""
    rejected(forged, words)


@pytest.mark.parametrize("name", ["Add", "Remove", "Change", "SymmetricDifference"])
def test_neighbours_are_those_of_the_brute_force(name):
    """Catches a relation that the checker reads otherwise than the labelled records say."""
    datasets = [d for n in range(4) for d in combinations_with_replacement((0, 1, 2), n)]
    for x, y, k in product(datasets, datasets, (1, 2)):
        found = checker.neighbours({"name": name, "k": k}, x, y, Counter(x), Counter(y))
        # Labelled: the first 2 of one dataset is the first 2 of the other, and so on.
        one, other = ({(v, i) for v in d for i in range(d.count(v))} for d in (x, y))
        assert found == related(name, k, len(one - other), len(other - one)), (x, y, k)


def test_a_relation_of_one_direction_is_read_in_both():
    """Catches a table whose order hides every pair: from the small to the large none is removed."""
    for name, pair in (("Add", ([], [3], [0, 3])), ("Remove", ([3], [], [3, 0]))):
        one = witnessed(related_by(SUM, name=name), *pair)
        assert "none of 12 neighbouring pairs" in checker.checked(one)


@pytest.mark.parametrize(("norm", "order"), [("L1", 1), ("L2", 2), ("L∞", math.inf)])
def test_distances_are_those_of_numpy(norm, order):
    """Catches a norm that is taken for another one."""
    for x, y in (((1, 2, 3), (4, 6, 0)), ((0.5, -1), (0.25, 1)), (5, 2)):
        gaps = np.atleast_1d(np.array(x, dtype=np.float64) - np.array(y, dtype=np.float64))
        assert float(checker.distance(norm, x, y)) == pytest.approx(np.linalg.norm(gaps, order))
