"""Cells run in any order, as a page runs them, and give what a run from the top gives."""

import sys
from types import ModuleType

import matplotlib.pyplot as plt
import pytest
from conftest import CHECK_ALL, in_turn
from lab_copies import CHAPTERS, read
from sensitivity_book.live.needs import names
from sensitivity_book.live.shell import Session

QUICK = ["by-hand", "neighbours"]
ALL = [path.stem for path in CHAPTERS]
NOTEBOOKS = ALL if CHECK_ALL else QUICK


def session():
    """A session, and the messages that it sends."""
    messages = []
    return Session(messages.append, ModuleType("__main__")), messages


def texts(messages):
    return [message["text"] for message in messages if "text" in message]


@pytest.mark.parametrize(
    ("source", "gives", "takes", "later"),
    [
        ("a = b", "a", "b", ""),
        ("a += 1", "a", "a", ""),
        ("for i in rows:\n    total = i + start", "i total", "rows start", ""),
        ("def f(x):\n    return x + y + g(x)", "f", "", "g y"),
        ("[x + y for x in z]", "", "y z", ""),
        ("best = max(pairs, key=lambda pair: gap(pair))", "best", "pairs", "gap"),
        ("frame['a'] = 1", "frame", "frame", ""),
        ("x = rng.normal()", "rng x", "rng", ""),
        ("with open(path) as file:\n    text = file.read()", "file text", "path", ""),
        ("try:\n    a = f()\nexcept ValueError as e:\n    print(e)", "a e", "f", ""),
        ("class A(B):\n    c = d\n    def m(self):\n        return e", "A", "B", "d e"),
        ("def", "", "", ""),
    ],
)
def test_what_a_cell_gives_and_takes(source, gives, takes, later):
    """Catches a name that is needed and not seen, and one that is local and taken for needed."""
    found = names(source)
    assert found.binds | found.changes == set(gives.split())
    assert found.takes >= set(takes.split())
    assert found.takes - set(takes.split()) <= found.binds  # no more than what it binds itself
    assert found.later == set(later.split())


# What stands on a page; then of each run its cell, which cells it runs, and what is shown.
RUNS = {
    "a function reads its names when it is called, not above its definition": (
        ["days = 12", "def total():\n    return days", "days = 3", "total()"],
        [(3, [0, 1, 2, 3], "3")],
    ),
    "only what is needed runs, and once": (
        ["a = 1", "b = 2", "c = a + 1", "print('no')", "c"],
        [(4, [0, 2, 4], "2"), (4, [4], "2")],
    ),
    "a call of a module changes nothing that others take": (
        ["import math\ndays = [4]", "math.sqrt(2)", "days.append(5)", "math.sqrt(sum(days))"],
        [(3, [0, 2, 3], "3.0")],
    ),
    "a name that two cells give is that of the last above": (
        ["x = 1", "y = x", "x = 2", "x + y", "x = x * 10", "x"],
        [(5, [2, 4, 5], "20"), (3, [0, 1, 2, 3], "3"), (5, [4, 5], "20"), (1, [0, 1], ""),
            (3, [2, 3], "3")],
    ),
    "a cell that changes what it takes can run twice": (
        ["found = []", "found.append(1)\nlen(found)"],
        [(1, [0, 1], "1"), (1, [0, 1], "1")],
    ),
    "a function that fills a list changes it where it is called": (
        ["seen = []\ndef note(x):\n    seen.append(x)", "note(1)",
            "def twice(x):\n    note(x)\n    note(x)", "twice(2)", "len(seen)"],
        [(4, [0, 1, 2, 3, 4], "3")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("cells", "runs"), RUNS.values(), ids=RUNS)
def test_cells_run_in_any_order(cells, runs):
    """Catches cells that run without need, or give another answer than from the top."""
    one, messages = session()
    for cell, planned, shown in runs:
        messages.clear()
        assert one.plan(cell, cells) == planned
        assert one.run(cell, cells)
        assert "".join(texts(messages)) == shown


def test_an_edited_cell_runs_again_and_marks_what_is_older():
    """Catches an answer that is older than the code above it."""
    cells = ["a = 1", "b = a + 1", "a + b"]
    one, messages = session()
    one.run(2, cells)
    cells[0] = "a = 10"
    assert one.plan(2, cells) == [0, 1, 2]
    one.run(0, cells)
    assert messages[-1]["stale"] == [1, 2]
    messages.clear()
    one.run(2, cells)
    assert texts(messages) == ["21"]
    assert messages[-1]["stale"] == []


def test_an_error_has_the_line_of_the_cell_and_stops_what_follows():
    """Catches a traceback through the book's own code, and a cell that runs on what failed."""
    cells = ["def f():\n    return 1 / 0", "print('before')\na = f()", "a"]
    one, messages = session()
    assert not one.run(2, cells)
    said = "".join(texts(messages))
    assert said.startswith("before\n")
    assert "a = f()" in said
    assert "return 1 / 0" in said
    assert "shell.py" not in said
    assert [m["cell"] for m in messages if m["kind"] == "begin"] == [0, 1]
    cells[0] = "def f():\n    return 1"
    messages.clear()
    assert one.run(2, cells)
    assert "".join(texts(messages)) == "before\n1"


def test_a_cell_shows_its_last_value_its_figures_and_what_it_prints():
    """Catches an output that a notebook would show."""
    one, messages = session()
    figure = "import matplotlib.pyplot as plt\nplt.figure().text(0, 0, 'hello')"
    one.run(0, [f"print(1)\ndisplay(2)\n{figure};\n3"])
    kinds = ["stdout", "stdout", "text", "text", "html"]
    assert [message.get("kind") for message in messages[1:-1]] == kinds
    assert "hello" in messages[-2]["text"]
    assert not plt.get_fignums()
    messages.clear()
    one.run(0, ["1 + 1;"])
    assert not texts(messages)


def stored(cell):
    """The text of a cell's stored outputs that are no pictures or explorers."""
    pictures = {"text/html", "image/svg+xml"}
    said = [out for out in cell.outputs if not pictures & {*out.get("data", ())}]
    return "".join(out.get("text") or out.data["text/plain"] for out in said)


@pytest.mark.parametrize("name", in_turn(NOTEBOOKS))
def test_cells_from_the_last_to_the_first_give_their_stored_outputs(name, monkeypatch):
    """Catches a cell above that is needed and does not run, or runs with a later cell's names."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    cells = [cell for cell in read(name).cells if cell.cell_type == "code"]
    one, messages = session()
    one.space.update(__name__="__main__")
    for place in range(len(cells) - 1, -1, -1):
        messages.clear()
        assert one.run(place, [cell.source for cell in cells]), texts(messages)[-1]
        begun = max(i for i, message in enumerate(messages) if message["kind"] == "begin")
        said = "".join(m["text"] for m in messages[begun:] if m["kind"] in ("stdout", "text"))
        assert said.strip() == stored(cells[place]).strip()
