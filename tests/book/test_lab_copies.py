"""The notebooks: all that a page says, in plain Markdown; and the copies that `make lab` opens."""

import json
import re
from copy import deepcopy
from functools import cache

import nbformat
import pytest
from conftest import ROOT, in_turn, turn
from lab_copies import CHAPTERS, DOCUMENTS, RAW, chapters, lab, outputs, pages, read
from nbclient import NotebookClient

LINK = re.compile(r"\]\((\S+?\.ipynb)(?:#cell-id=(\S+?))?\)")
TITLE = re.compile(r"^[`:~]{3,}\{(?:check|exercise|dropdown|prf:[dt]\w+)\} *(.*)", re.MULTILINE)
SOLVED = re.compile(r"^```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
NAMES = [each.copy for each in DOCUMENTS.values()]
BOOK, _ = chapters.opened()
copies = cache(lambda: dict(lab.copies()))


@cache
def stored(name):
    return nbformat.read(chapters.NOTEBOOKS / name, as_version=4)


def text(notebook):
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def letters(markdown):
    """The letters of a title, without links, marks and the HTML of a summary."""
    plain = re.sub(r"\]\([^)]*\)|\{[\w:]+\}|</?(?:summary|code|em|strong|a)\b[^>]*>", "", markdown)
    return re.sub(r"\W", "", plain.replace("&quot;", "").replace(r"\varepsilon", "ε"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_notebook_says_what_its_text_says(name):
    """Catches a text that was changed, and not written out; a notebook that was changed by hand."""
    document, there = DOCUMENTS[name], stored(DOCUMENTS[name].copy)
    made = outputs.made_of(BOOK, document, there)
    made.metadata = there.metadata
    asked = document.path.relative_to(ROOT)
    assert made == there, f"write it out again: make outputs RUN=stored NOTEBOOKS={asked}"
    assert {one.name for one in chapters.NOTEBOOKS.glob("*.ipynb")} == {chapters.START, *NAMES}


@pytest.mark.parametrize("name", [chapters.START, *NAMES])
def test_a_notebook_is_plain_markdown_with_pictures_whose_links_lead_somewhere(name):
    """Catches a directive, role or label that is shown as it stands, a picture that no tool shows
    which does not trust the file, and a link to no cell."""
    nbformat.validate(stored(name))
    shown = text(stored(name))
    assert not RAW.search(shown)
    assert (chapters.POINTER in stored(name).cells[0].source) == (name != chapters.START)
    assert shown.count("<details ") == shown.count("</details>")
    assert not re.search(r"<summary>.*[\\\\$]", shown)  # VS Code sets no formula in a tag
    for file, cell in LINK.findall(shown):
        assert not cell or cell in [each.id for each in stored(file).cells]
    code = [cell for cell in stored(name).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]
    for data in (out.data for cell in code for out in cell.outputs if "data" in out):
        assert "image/png" in data or ("image/svg+xml" not in data and "<Figure" not in str(data))
        assert "Matplotlib v" not in str(data)


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_tells_nothing_before_it_is_run(name):
    """Catches a prediction or a play that is drawn in a copy, and a check that would stop it."""
    copy = copies()[name]
    nbformat.validate(copy)
    assert not any(chapters.is_held(cell) or cell.id == chapters.HELD for cell in copy.cells)
    hidden = [c.id for c in stored(name).cells if "collapsed" in c.metadata]
    told = [out.data["text/plain"] for c in copy.cells if c.id in hidden for out in c.outputs]
    assert {*told} <= {"Run this cell to see its output."}
    for unwanted in ("<Figure size", pages.PAGE_FORM, "outputs_hidden"):  # the first without trust
        assert unwanted not in json.dumps(copy)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_notebook_has_every_title_and_every_cell(path):
    """Catches a question, an exercise or a hint without its name, and code lost or changed."""
    notebook, whole = read(path.stem), stored(DOCUMENTS[path.stem].copy)
    shown = letters(text(whole))
    assert [title for title in TITLE.findall(text(notebook)) if letters(title) not in shown] == []
    code = []
    for cell in whole.cells:
        if cell.id == chapters.HELD:
            break
        if cell.cell_type == "code" and cell.id.startswith("code-"):
            code.append(cell.source)
        elif "<summary>Solution" in cell.source:
            code += SOLVED.findall(cell.source)
    cells = chapters.code_cells(notebook)
    assert code == [cell.source for cell in cells if not chapters.checks(cell)]
    run = {cell.source.removeprefix("%%only_in_tests\n") for cell in chapters.code_cells(whole)}
    assert {cell.source for cell in cells} <= run


def ran(notebook):
    """A notebook after all its cells, as in JupyterLab; an error stops it."""
    there = {"metadata": {"path": str(ROOT)}}
    return NotebookClient(notebook, timeout=300, kernel_name="python3", resources=there).execute()


OTHER = {
    "school": (("(9, 20),", '(9, 20), "Noob": (4, 11), "Unity": (12, 33),'), ("= 6", "= 7")),
    "vehicle": (("= [1, 2, 3]  # how", "= [0.0, 0.5, 1.0, 2.0]  # how"), ("= 4", "= 5")),
}


@turn(0, 4)
@pytest.mark.parametrize("name", in_turn(list(OTHER)))
def test_other_settings_flow_through_a_notebook(name):
    """Catches a cell that knows ten pupils, a study of six, a scale from 1 to 3, or a solution,
    and stops whoever has others; and a second place in which they stand."""
    changed = deepcopy(stored(DOCUMENTS[name].copy))
    code = chapters.code_cells(changed)
    [first] = [cell for cell in code if cell.metadata.get("tags") == ["parameters"]]
    for theirs, other in OTHER[name]:
        assert first.source.count(theirs) == 1
        first.source = first.source.replace(theirs, other)
    outputs = [out for cell in ran(changed).cells for out in cell.get("outputs", [])]
    data = [[out.get("text", ""), *out.get("data", {}).values()] for out in outputs]
    shown = "\n".join(str(text) for texts in data for text in texts)
    assert {"school": ">32</text>", "vehicle": "(0.0, 0.0, 2.0, 2.0, 2.0)"}[name] in shown
    assert "published" not in shown  # their numbers are those of the book's data
    assert f"size{theirs.replace(' ', '')}" not in "".join(cell.source for cell in code)


FAILS = """from sensitivity_book.pictures.phone import inline_svg; inline_svg()
import sensitivity_lab as sl
def span(dataset):
    return dataset[5] - dataset[0]
sl.global_sensitivity(span, sl.Universe.population(range(7)), size=6, relation=sl.Remove(1))"""


@turn(1, 2)
def test_every_page_of_the_path_ends_with_the_readers_turn_and_an_own_function_may_fail():
    """Catches a last cell that shows nothing; the package's frames, dozens of them, between a
    reader's function and what is said of it."""
    last = [copies()[document.copy].cells[-1] for document in chapters.listed()[0][1]]
    assert {cell.id for cell in last} == {"your-turn"}
    for cell, document in zip(last, chapters.listed()[0][1], strict=True):
        assert {"size", "mine", "universe"} <= set(re.findall(r"\w+", cell.source))
        [there] = [one for one in stored(document.copy).cells if one.id == "your-turn"]
        assert there.outputs[-1].output_type in ("stream", "execute_result")
    first, *rest = FAILS.split("\n", 1)
    fails = nbformat.v4.new_code_cell(rest[0], metadata={"tags": ["raises-exception"]})
    *_, failed = ran(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(first), fails])
    ).cells
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
