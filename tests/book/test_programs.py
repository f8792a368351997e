"""Programs: each claim that is too small can be pasted into a Python that has the library."""

import ast
import json
import math
import re
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT
from sensitivity_book.case_files import case_files

from scripts import audit, programs, run_programs

FILES = sorted(ROOT.glob("scripts/libraries/*/programs/*.py"))
LIVE = [path for path in FILES if path.parts[-3] == "opendp"]
CASES = {case.address: case for case in case_files()}


def by_name(paths):
    return pytest.mark.parametrize("path", paths, ids=[path.stem for path in paths])


def test_every_claim_that_is_too_small_has_its_program():
    """Catches a card without a program, a program without its card, or two programs of one."""
    too_small = [
        case.address
        for case in CASES.values()
        if case.verdict == "too small" and "rebuilt" not in case.library
    ]
    assert sorted(path.stem for path in FILES) == sorted(too_small)


@by_name(FILES)
def test_a_program_is_short_and_stands_alone(path):
    """Catches one that is no quick reading, needs a file of ours, or does not say what to install."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 30
    assert "sensitivity" not in " ".join(imported(tree))
    assert not any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {"claim", "answer"} <= defined
    assert ast.get_docstring(tree).partition("\n")[0].count(" ") >= 5
    head = "\n".join(text.splitlines()[:2])
    assert CASES[path.stem].version in head
    _, _, install = head.partition("pip install ")
    assert set(re.findall(r"'(.*?)'", install)) <= needed(path.parents[1])


def needed(environment):
    """The packages of an environment, as its list names them; or the book's."""
    own = environment / "requirements.in"
    listed = own if own.exists() else ROOT / "requirements.in"
    lines = listed.read_text(encoding="utf-8").splitlines()
    return {line.partition("#")[0].strip() for line in lines}


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@by_name(FILES)
def test_a_program_asks_about_the_witness_of_its_card(path):
    """Catches other datasets than the card's, without the library: what they need is plain Python."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and "DATASETS" not in found and plain(node):
            exec(compile(ast.Module([node], []), path.name, "exec"), found)
    row = CASES[path.stem].row
    assert tuples(found["DATASETS"]) == (row.dataset, row.neighbour)


def plain(node):
    """Whether a statement calls nothing and asks no module."""
    return not any(isinstance(part, (ast.Call, ast.Attribute)) for part in ast.walk(node))


@by_name(LIVE)
def test_opendp_says_what_is_on_the_board(path, capsys):
    """Catches a number that OpenDP no longer gives, or a distance that is printed wrong."""
    program, case = runpy.run_path(path, run_name="__main__"), CASES[path.stem]
    row = case.row
    answers = [tuples(program["answer"](dataset)) for dataset in program["DATASETS"]]
    assert program["claim"]() == row.claimed
    assert answers == list(map(tuples, row.answers))
    assert apart(case.norm, *answers) == pytest.approx(float(row.found), rel=1e-12)
    printed = capsys.readouterr().out
    assert f"claimed {row.claimed}, " in printed
    assert float(printed.split("distance ")[1]) == pytest.approx(float(row.found), rel=1e-12)


def tuples(answer):
    return tuple(map(tuples, answer)) if isinstance(answer, (list, tuple)) else answer


def apart(norm, one, other):
    if norm == "symmetric distance":
        one, other = Counter(one), Counter(other)
        return ((one - other) + (other - one)).total()
    one, other = (answer if isinstance(answer, tuple) else (answer,) for answer in (one, other))
    gaps = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return {"L1": sum, "L2": lambda gaps: math.hypot(*gaps), "L∞": max}[norm](gaps)


CASE = {
    "claimed": 1.5,
    "witness": {
        "dataset": {"runs": [[{"number": "1125899906842624.25"}, 2], [None, 1]]},
        "neighbour": [],
        "answers": [[0, {"number": "1/3"}], [1, 0.1]],
    },
}
AS_IT_IS = """
from fractions import Fraction

DATASETS = [[2.0**50 + 0.25] * 2 + [None], []]


def claim():
    return 1.5


def answer(dataset):
    return (0, Fraction(1, 3)) if dataset else [1, 0.30000000000000004 - 0.2]
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", []),
        ("1.5", "2", ["claim 2, on the board 1.5"]),
        ("0.25", "0.5", ["datasets [[1125899906842624.5,", "on the board"]),
        ("(1, 3)", "(1, 4)", ["answers [[0,", "1/4", "on the board"]),
        ("[1, 0.3", "[0, 1, 0.3", ["answers"]),
        ("return 1.5", "return 1 / 0", ["ZeroDivisionError: division by zero"]),
        ("claim", "claims", ["AttributeError", "no attribute 'claim'"]),
    ],
)
def test_a_program_that_parts_from_the_board_is_told(tmp_path, old, new, told):
    """Catches another number or dataset that passes, rounding that does not, and a lost error."""
    file = tmp_path / "one.py"
    file.write_text(AS_IT_IS.replace(old, new) if old else AS_IT_IS, encoding="utf-8")
    said = programs.ask(sys.executable, [file])
    words = "; ".join(programs.differences(said["one"], CASE))
    assert all(part in words for part in told)
    assert bool(words) == bool(told)


def test_a_case_without_a_witness_agrees_with_no_program():
    """Catches a program that is taken for right because nothing is there to hold it to."""
    said = {"datasets": [[0], [1]], "claim": 1, "answers": [0, 1]}
    told = programs.differences(said, {"claimed": 1, "witness": None})
    assert told == ["the board has no witness of it"]


def test_one_program_that_raises_does_not_hide_the_next(tmp_path, monkeypatch, capsys):
    """Catches a run that ends at the first error, and one that counts it as agreement."""
    folder = tmp_path / "scripts" / "libraries" / "lib" / "programs"
    folder.mkdir(parents=True)
    for name, text in (("a", "import no_such_library"), ("b", AS_IT_IS), ("c", AS_IT_IS)):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    board = tmp_path / "board.json"
    board.write_text(json.dumps({"cases": [{"address": "b", **CASE}]}), encoding="utf-8")
    monkeypatch.setattr(programs, "ROOT", tmp_path)
    monkeypatch.setattr(programs, "BOARD", board)
    assert programs.main("lib", sys.executable) == 1
    assert capsys.readouterr().out.splitlines() == [
        "lib: 1 of 3 programs agree with the board",
        "  a: ModuleNotFoundError: No module named 'no_such_library'",
        "  c: the board has no such case",
    ]
    assert programs.main("another", sys.executable) == 0
    assert capsys.readouterr().out == ""


def test_numbers_of_numpy_are_told_as_numbers(tmp_path):
    """Catches an array, or one of its numbers, that JSON cannot hold."""
    text = "import numpy as np\nDATASETS = np.eye(2)\nclaim = np.float32\nanswer = np.cumsum\n"
    (tmp_path / "one.py").write_text(text, encoding="utf-8")
    run_programs.main(tmp_path / "said.json", tmp_path / "one.py")
    said = json.loads((tmp_path / "said.json").read_text(encoding="utf-8"))["one"]
    assert said == {"datasets": [[1, 0], [0, 1]], "claim": 0, "answers": [[1, 1], [0, 1]]}


def test_a_folder_without_a_lock_is_asked_here(monkeypatch, capsys):
    """Catches OpenDP left out of the audit, or asked in an environment that nobody made."""
    assert "opendp" in audit.libraries()
    assert audit.environment("opendp") == Path(sys.executable)
    monkeypatch.setattr(audit.shutil, "which", lambda name: None)
    assert audit.obstacle("opendp") == ""
    assert audit.obstacle("diffprivlib") == "It needs python3.11."


def test_an_audit_runs_the_programs_and_then_makes_the_board(monkeypatch):
    """Catches a table that is asked again while its programs, or the board, stay as they were."""
    ran = []
    monkeypatch.setattr(audit.subprocess, "run", lambda command, **_: ran.append(command) or DONE)
    monkeypatch.setattr(audit.sys, "argv", ["audit.py", "opendp"])
    assert audit.main() == 0
    assert [[part.name if isinstance(part, Path) else part for part in one[1:]] for one in ran] == [
        ["programs.py", "opendp", Path(sys.executable).name],
        ["-m", "sensitivity_book.case_files"],
    ]


DONE = subprocess.CompletedProcess([], 0)


def test_an_audit_of_no_library_is_refused(monkeypatch, capsys):
    """Catches a name that is spelt wrong, and an audit of nothing that says all is well."""
    monkeypatch.setattr(audit.sys, "argv", ["audit.py", "opendb"])
    assert audit.main() == 1
    assert "opendb" in capsys.readouterr().err
