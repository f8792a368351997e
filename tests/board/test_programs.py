"""Programs: each claim that is too small can be pasted into a Python that has the library."""

import ast
import re
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from form import some
from sensitivity_board import case_files, programs

KNOWN = programs.every_program()
LIVE = [*programs.programs(programs.LIBRARIES / "opendp")]
CASES = {case.address: case for case in case_files()}


def test_every_claim_that_is_too_small_has_its_program():
    """Catches a card without a program, and a program without its card."""
    assert KNOWN.keys() == {name for name, case in CASES.items() if case.verdict == "too small"}


@pytest.mark.parametrize("address", KNOWN)
def test_a_program_is_short_and_stands_alone_and_asks_about_the_witness_of_its_card(address):
    """Catches a text with a hole, one that is no quick reading, needs a file of ours or another
    package than it says, and other datasets than the card's. No library is asked: what datasets
    need is plain Python."""
    program, case = KNOWN[address], CASES[address]
    assert len(program.code.splitlines()) <= 30
    assert "$" not in program.code
    assert not re.search(r"^\s*(?:import|from) (?:\.|sensitivity)", program.code, re.MULTILINE)
    assert {"claim", "answer"} <= set(re.findall(r"^def (\w+)\(", program.code, re.MULTILINE))
    tree = ast.parse(program.code)
    assert ast.get_docstring(tree).partition("\n")[0].count(" ") >= 5
    head = "\n".join(program.code.splitlines()[:2])
    assert case.version in head
    own = (ROOT / "requirements.in").read_text("utf-8").splitlines()
    needed = program.needs or [line.partition("#")[0].strip() for line in own]
    assert set(re.findall(r"'(.*?)'", head.partition("pip install ")[2])) <= set(needed)

    found = {}
    for node in tree.body:  # up to the datasets: what calls nothing and asks no module
        asks = any(isinstance(part, (ast.Call, ast.Attribute)) for part in ast.walk(node))
        if isinstance(node, ast.Assign) and "DATASETS" not in found and not asks:
            exec(compile(ast.Module([node], []), address, "exec"), found)
    assert tuples(found["DATASETS"]) == (case.row.dataset, case.row.neighbour)


def tuples(answer):
    return tuple(map(tuples, answer)) if isinstance(answer, (list, tuple)) else answer


@pytest.mark.parametrize("address", some(LIVE))
def test_opendp_says_what_is_on_the_board(address, capsys):
    """Catches a number that OpenDP no longer gives, or a distance that is printed wrong."""
    program, case = {"__name__": "__main__"}, CASES[address]
    exec(compile(KNOWN[address].code, address, "exec"), program)
    row = case.row
    assert program["claim"]() == row.claimed
    assert tuples([*map(program["answer"], program["DATASETS"])]) == tuples(row.answers)
    printed = capsys.readouterr().out
    assert f"claimed {row.claimed}, " in printed
    assert float(printed.split("distance ")[1]) == pytest.approx(float(row.found), rel=1e-12)


def test_a_program_is_made_of_its_shape_and_its_own_parts(tmp_path):
    """Catches a part of another program, a value that hides it, a comment read as a package."""
    told = "[shapes.s]\ntext = 'f($x, $y)'\nx = '1'\n[programs.a]\nshape = 's'\ny = '2'\n"
    told += "[programs.b]\nshape = 's'\nx = '3'\ny = '4'\n[programs.c]\ntext = 'g()'\n"
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "programs.toml").write_text(told, encoding="utf-8")
    needs = "alpha==1.0\nbeta<2   # newer fails\n\n"
    (tmp_path / "one" / "requirements.in").write_text(needs, encoding="utf-8")
    (tmp_path / "two").mkdir()
    found = programs.every_program(tmp_path)
    codes = {"a": "f(1, 2)", "b": "f(3, 4)", "c": "g()"}
    needed = ("alpha==1.0", "beta<2")
    assert found == {name: programs.Program(code, needed) for name, code in codes.items()}


RUNS = {"runs": [[{"number": "1125899906842624.25"}, 2], [None, 1]]}
WITNESS = {"dataset": RUNS, "neighbour": [], "answers": [[0, {"number": "1/3"}], [1, 0.1]]}
CASE = {"claimed": 1.5, "witness": WITNESS}
AS_IT_IS = """
from fractions import Fraction

DATASETS = [[2.0**50 + 0.25] * 2 + [None], []]


def claim():
    return 1.5


def answer(dataset):
    return (0, Fraction(1, 3)) if dataset else [1, 0.30000000000000004 - 0.2]
"""
PARTED = [
    ("", "", []), ("1.5", "2", ["claim 2, on the board 1.5"]),
    ("0.25", "0.5", ["datasets [[1125899906842624.5,", "on the board"]),
    ("(1, 3)", "(1, 4)", ["answers [[0,", "1/4", "on the board"]),
    ("[1, 0.3", "[0, 1, 0.3", ["answers"]), ("return 1.5", "return 1 / 0", ["ZeroDivisionError: "]),
    ("claim", "claims", ["AttributeError", "no attribute 'claim'"]),
]  # fmt: skip


def test_a_program_that_parts_from_the_board_is_told():
    """Catches another number or dataset that passes, rounding that does not, and a lost error."""
    codes = {str(i): AS_IT_IS.replace(old, new) for i, (old, new, _) in enumerate(PARTED) if old}
    said = programs.ask(Path(sys.executable), codes | {"0": AS_IT_IS})
    for i, (_, _, told) in enumerate(PARTED):
        words = "; ".join(programs.differences(said[str(i)], CASE))
        assert all(part in words for part in told)
        assert bool(words) == bool(told)
    unseen = {"claimed": 1.5, "witness": None}
    assert programs.differences(said["0"], unseen) == ["the board has no witness of it"]
