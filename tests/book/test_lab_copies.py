"""The copies that `make lab` opens: all that a page says, in Markdown that JupyterLab knows."""

import json
import re
from copy import deepcopy
from functools import cache
from symtable import symtable

import nbformat
import pytest
from conftest import ROOT, in_turn, turn
from lab_copies import RAW, lab
from nbclient import NotebookClient

LINK = re.compile(r"\]\((\S+?\.ipynb)(?:#cell-id=(\S+?))?\)")
TITLE = re.compile(r"^[`:~]{3,}\{(?:check|exercise|dropdown|prf:[dt]\w+)\} *(.*)", re.MULTILINE)
SOLVED = re.compile(r"^```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NAMES = [each.copy for _, part in lab.listed() for each in part if each.copy]
copies = cache(lambda: dict(lab.copies()))


def text(notebook):
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def letters(markdown):
    """The letters of a title, without links, marks and the HTML of a summary."""
    plain = re.sub(r"\]\([^)]*\)|\{[\w:]+\}|</?(?:summary|code|em|strong|a)\b[^>]*>", "", markdown)
    return re.sub(r"\W", "", plain.replace("&quot;", "").replace(r"\varepsilon", "ε"))


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_is_plain_markdown_whose_links_lead_somewhere(name):
    """Catches a directive, role or label that JupyterLab would print, and a link to no cell."""
    nbformat.validate(copies()[name])
    shown = text(copies()[name])
    assert not RAW.search(shown)
    assert shown.count("<details ") == shown.count("</details>")
    assert not re.search(r"<summary>.*[\\\\$]", shown)  # VS Code sets no formula in a tag
    assert "<Figure size" not in json.dumps(copies()[name])  # which is what nobody's trust shows
    for file, cell in LINK.findall(shown):
        assert not cell or cell in [each.id for each in copies()[file].cells]
    assert list(copies()) == ["00-start.ipynb", *NAMES]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_copy_has_every_title_and_every_cell(path):
    """Catches a question or a hint without its name, and code lost, changed or out of place."""
    [copy] = [copies()[name] for name in NAMES if re.sub(r"^\d\d-", "", name) == path.name]
    notebook = nbformat.read(path, as_version=4)
    shown = letters(text(copy))
    assert [title for title in TITLE.findall(text(notebook)) if letters(title) not in shown] == []
    code = []
    for cell in copy.cells:
        if cell.id.startswith(("answer-", "your-turn")):
            continue
        if cell.cell_type == "code":
            code.append(cell.source)
        elif "<summary>Solution" in cell.source:
            code += SOLVED.findall(cell.source)
    kept = [cell for cell in notebook.cells if cell.cell_type == "code" and not lab.checks(cell)]
    assert code == [cell.source for cell in kept]


@pytest.mark.parametrize("name", NAMES)
def test_a_field_overwrites_no_name_of_its_chapter(name):
    """Catches an import, or a function to start from, whose name the chapter uses otherwise."""
    known = set()
    for cell in copies()[name].cells:
        if cell.cell_type == "code":
            symbols = symtable(cell.source, cell.id, "exec").get_symbols()
            own = {one.get_name() for one in symbols if one.is_assigned() or one.is_imported()}
            assert not cell.id.startswith("answer-") or known & own <= {"check_answer"}, cell.id
            known |= own


def ran(notebook):
    """A notebook after all its cells, as in JupyterLab; an error stops it."""
    there = {"metadata": {"path": str(ROOT)}}
    return NotebookClient(notebook, timeout=300, kernel_name="python3", resources=there).execute()


OTHER = {
    "school": ('"Rick": (9, 20),', '"Rick": (9, 20), "Noob": (4, 11), "Unity": (12, 33),'),
    "vehicle": ("value_range([1, 2, 3], name", "value_range([0, 1, 2, 3, 4], name"),
}


@turn(0, 2)
@pytest.mark.parametrize("name", in_turn(list(OTHER)))
def test_other_data_flow_through_a_copy(name):
    """Catches a cell that knows ten pupils or a scale from 1 to 3, and stops whoever has others."""
    [copy] = [copies()[each] for each in NAMES if each[3:-6] == name]
    changed, (theirs, other) = deepcopy(copy), OTHER[name]
    visible = (cell for cell in changed.cells if cell.cell_type == "code" and not cell.metadata)
    first = next(visible)
    assert first.source.count(theirs) == 1
    first.source = first.source.replace(theirs, other)
    outputs = [out for cell in ran(changed).cells for out in cell.get("outputs", [])]
    data = [[out.get("text", ""), *out.get("data", {}).values()] for out in outputs]
    shown = "\n".join(str(text) for texts in data for text in texts)
    assert {"school": ">32</text>", "vehicle": "(0, 4, 4, 4)"}[name] in shown
    assert "published" not in shown  # their numbers are those of the book's data


PLUMBING = (
    "from sensitivity_book.pictures.phone import inline_svg; inline_svg(); "
    "import sensitivity_lab as sl"
)
FAILS = """def span(dataset):
    return dataset[5] - dataset[0]
sl.global_sensitivity(span, sl.Universe.population(range(7)), size=6, relation=sl.Remove(1))"""


@turn(1, 2)
def test_every_page_of_the_path_ends_with_the_readers_turn_and_an_own_function_may_fail():
    """Catches a last cell that does not run alone; the package's frames above a reader's error."""
    path = [copies()[document.copy] for document in lab.listed()[0][1]]
    last = [copy.cells[-1] for copy in path]
    assert {cell.id for cell in last} == {"your-turn"}
    texts = [text for cell in last for text in ("%reset -f", cell.source)]  # each runs alone
    fails = nbformat.v4.new_code_cell(FAILS, metadata={"tags": ["raises-exception"]})
    cells = [nbformat.v4.new_code_cell(text) for text in [*texts, PLUMBING]]
    *turns, _, failed = ran(nbformat.v4.new_notebook(cells=[*cells, fails])).cells
    for cell in turns[1::2]:
        assert {"size", "mine", "universe"} <= set(re.findall(r"\w+", cell.source))
        assert cell.outputs[-1].output_type in ("stream", "execute_result")
    [said] = failed.outputs
    assert said.evalue.startswith("query span failed on dataset (0, 1, 2, 3, 4): IndexError")
    assert "dataset[5]" in re.sub(r"\x1b\[[\d;]*m", "", "\n".join(said.traceback))
    assert "\n".join(said.traceback).count("\n") < 25


def test_a_copy_that_was_changed_stays(tmp_path, monkeypatch, capsys):
    """Catches a `make lab` that overwrites a reader's work, or keeps an old text for good."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "trust"))
    made = nbformat.v4.new_notebook()
    monkeypatch.setattr(lab, "copies", lambda: [("a.ipynb", made), ("b.ipynb", made)])
    lab.main(tmp_path)
    (tmp_path / "a.ipynb").write_text("mine", encoding="utf-8")
    made.metadata["title"] = "The book has changed"
    for _ in range(2):
        lab.main(tmp_path)
        assert capsys.readouterr().out == "a.ipynb is yours, and stays as it is.\n"
        assert (tmp_path / "a.ipynb").read_text(encoding="utf-8") == "mine"
        assert "has changed" in (tmp_path / "b.ipynb").read_text(encoding="utf-8")
