"""The cards that wait until their library knows: a copy names none, each has its letter."""

import csv
import json
import re
import shutil

import pytest
from conftest import ROOT
from sensitivity_board import case_files, issues
from sensitivity_board.cards import numbers
from sensitivity_board.claimed import standing
from sensitivity_board.programs import every_program

from scripts import held

BOARD = ROOT / "book" / "sensitivity_board"
HELD = json.loads((BOARD / "held.json").read_text("utf-8"))
ADDRESSES = [card["address"] for card in HELD["cards"]]
CASES = {case.address: case for case in case_files()}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The parts of the project that name a card, after the cards have left."""
    there = tmp_path_factory.mktemp("public")
    for folder in ("book/sensitivity_board", "tests/board"):
        shutil.copytree(ROOT / folder, there / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in {change["file"] for change in HELD["words"]} | {*held.UNSAID, "scripts/held.py"}:
        (there / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, there / path)
    assert held.leave_out(there) == len(ADDRESSES)
    return there


def test_the_cards_that_wait_are_those_of_which_nobody_has_spoken():
    """Catches a finding that a build would give away, and a known one that is held back."""
    told = [one for one in CASES.values() if standing(one) == "too small" and not issues(one)]
    assert [one.address for one in told] == ADDRESSES


def test_a_copy_names_no_card_that_waits(copy):
    """Catches a card, a file or a letter that stays behind, and a word that something waits."""
    words = "|".join(map(re.escape, ADDRESSES)) or "none waits"
    words += r"|HELD=|\bheld\.(json|py)|_build/public|\bletters?/|(card|finding)s? waits?\b"
    words += r"|left out of the board|tools\.\w+\(.*(int8|weights=)|2\*\*60, 2\*\*62|\bIN_32\b"
    for file in filter(lambda path: path.is_file(), copy.rglob("*")):
        found = re.search(words, file.read_text("utf-8"))
        assert not found, (file, found)
    board = json.loads((copy / "book/sensitivity_board/data/board.json").read_text("utf-8"))
    assert [one["address"] for one in board["cases"]] == [a for a in CASES if a not in ADDRESSES]
    kept = every_program(copy / "book/sensitivity_board/libraries")
    assert [*kept] == [a for a in every_program() if a not in ADDRESSES]


def test_the_tables_of_a_copy_have_no_row_about_them(copy):
    """Catches an answer or a claim that is made to a card again, and a row too many that left."""
    for card in HELD["cards"]:
        name = f"book/sensitivity_board/data/{card['table']}.csv"
        texts = ((root / name).read_text("utf-8").splitlines() for root in (ROOT, copy))
        before, after = (list(csv.reader(lines)) for lines in texts)
        gone = [one["asked"] for one in HELD["cards"] if one["table"] == card["table"]]
        assert card["asked"] in [row[3:5] for row in before]
        said = "".join(one["said"] for one in HELD["words"] if one["file"] == name)
        assert after == [r for r in before if r[3:5] not in gone and ",".join(r) not in said]


def test_each_card_that_waits_has_a_letter_with_its_program_and_its_numbers():
    """Catches a letter that is about another version, and a program that is not the card's."""
    letters = [file.read_text("utf-8") for file in (BOARD / "letters").glob("*.md")]
    programs = every_program()
    for address in ADDRESSES:
        [letter] = [text for text in letters if f"Card: `{address}`" in text]
        claimed, found = numbers(CASES[address].row)
        own = letter.split(f"Card: `{address}`")[1].split("\n## ")[0]
        program = f"```python\n{programs[address].code.rstrip()}\n```"
        said = [f"Claimed: {claimed}. ", f": {found}.\n", program, "**Proposed repair.**"]
        assert [words for words in said if words not in own] == []
        assert CASES[address].version in letter.splitlines()[0]
