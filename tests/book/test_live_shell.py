"""Cells run in any order, as a page runs them, and give what a run from the top gives."""

import sys
from types import ModuleType

import matplotlib.pyplot as plt
import nbformat
import pytest
from conftest import CHECK_ALL, ROOT
from sensitivity_book.live.needs import names, places
from sensitivity_book.live.shell import Session

QUICK = ["by-hand", "neighbours"]
ALL = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
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
        ("a = 1\nb = a", "a b", "", ""),
        ("a += 1", "a", "a", ""),
        ("for i in rows:\n    total = i + start", "i total", "rows start", ""),
        ("def f(x):\n    return x + y + g(x)", "f", "", "g y"),
        ("y = 1\ndef f(x):\n    return x + y", "f y", "", ""),
        ("f = lambda x: x + y", "f", "", "y"),
        ("[x + y for x in z]", "", "y z", ""),
        ("best = max(pairs, key=lambda pair: gap(pair))", "best", "pairs", "gap"),
        ("import numpy as np\nfrom a.b import c", "c np", "", ""),
        ("frame['a'] = 1", "frame", "frame", ""),
        ("axes.grid = False", "axes", "axes", ""),
        ("results.append(x)", "results", "results x", ""),
        ("x = rng.normal()", "rng x", "rng", ""),
        ("with open(path) as file:\n    text = file.read()", "file text", "path", ""),
        ("if flag:\n    a = 1\nprint(a)", "a", "a flag", ""),
        ("try:\n    a = f()\nexcept ValueError as e:\n    print(e)", "a e", "f", ""),
        ("class A(B):\n    c = d\n    def m(self):\n        return e", "A", "B", "d e"),
        ("print(sum([1]))", "", "", ""),
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


def test_a_function_reads_its_names_when_it_is_called():
    """Catches a function that is given what stood above its definition, not above its call."""
    cells = ["days = [1, 2]", "def total():\n    return sum(days)", "days = [3]", "total()"]
    assert places(tuple(cells))[3].provided == {"total": 1, "days": 2}
    one, messages = session()
    assert one.run(3, cells)
    assert texts(messages) == ["3"]


def test_only_what_is_needed_runs():
    """Catches a reader who waits for cells that this one does not need."""
    cells = ["a = 1", "b = 2", "c = a + 1", "print('no')", "c"]
    one, messages = session()
    assert one.plan(4, cells) == [0, 2, 4]
    one.run(4, cells)
    assert texts(messages) == ["2"]
    assert one.plan(4, cells) == [4]


def test_a_call_of_a_module_changes_nothing_that_others_take():
    """Catches a picture that is drawn because a cell below uses the same module."""
    cells = ["import math\ndays = [1]", "math.sqrt(2)", "days.append(2)", "math.sqrt(len(days))"]
    one, _ = session()
    assert one.plan(3, cells) == [0, 2, 3]


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


def test_a_name_that_two_cells_give_is_that_of_the_last_above():
    """Catches a cell that is run again after one below has taken its names."""
    cells = ["x = 1", "y = x", "x = 2", "x + y", "x = x * 10", "x"]
    one, messages = session()
    for cell, expected in [(5, "20"), (3, "3"), (5, "20"), (1, None), (3, "3")]:
        messages.clear()
        assert one.run(cell, cells)
        assert texts(messages) == ([expected] if expected else [])


def test_a_cell_that_changes_what_it_takes_can_run_twice():
    """Catches a list that grows with every run of the cell that fills it."""
    cells = ["found = []", "found.append(1)\nlen(found)"]
    one, messages = session()
    for _ in range(2):
        messages.clear()
        one.run(1, cells)
        assert texts(messages) == ["1"]


def test_a_function_that_fills_a_list_changes_it_where_it_is_called():
    """Catches a count at the end of a page that misses what functions have counted above."""
    cells = [
        "seen = []\ndef note(x):\n    seen.append(x)",
        "note(1)",
        "def twice(x):\n    note(x)\n    note(x)",
        "twice(2)",
        "len(seen)",
    ]
    one, messages = session()
    one.run(4, cells)
    assert texts(messages) == ["3"]


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
    one.run(
        0,
        [
            "print(1)\ndisplay(2)\nimport matplotlib.pyplot as plt\nfig = plt.figure()\n_ = fig.text(0, 0, 'hello')\n3"
        ],
    )
    assert [message.get("kind") for message in messages[1:-1]] == ["stdout", "stdout", "text", "text", "html"]  # fmt: skip
    assert "hello" in messages[-2]["text"]
    assert not plt.get_fignums()
    messages.clear()
    one.run(0, ["1 + 1;"])
    assert not texts(messages)


def stored(cell):
    """The text of a cell's stored outputs that are no pictures or explorers."""
    said = []
    for output in cell.outputs:
        if output.output_type == "stream":
            said.append(output.text)
        elif "text/html" not in output.data and "image/svg+xml" not in output.data:
            said.append(output.data["text/plain"])
    return "".join(said)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_cells_from_the_last_to_the_first_give_their_stored_outputs(name, monkeypatch):
    """Catches a cell above that is needed and does not run, or runs with a later cell's names."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    one, messages = session()
    one.space.update(__name__="__main__")
    for place in range(len(cells) - 1, -1, -1):
        messages.clear()
        assert one.run(place, [cell.source for cell in cells]), texts(messages)[-1]
        begun = max(i for i, message in enumerate(messages) if message["kind"] == "begin")
        said = "".join(m["text"] for m in messages[begun:] if m["kind"] in ("stdout", "text"))
        assert said.strip() == stored(cells[place]).strip()
