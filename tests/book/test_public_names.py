"""What the book, its tools and the scripts import of the packages: public names, and no others."""

import ast
import importlib
import re
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT

from sensitivity_lab.plotting import style

ROOMS = {
    "sensitivity_lab", "sensitivity_lab.numbers", "sensitivity_lab.plotting",
    "sensitivity_beyond.ask", "sensitivity_beyond.audit", "sensitivity_beyond.proofs",
    "sensitivity_beyond.tables", "sensitivity_beyond.testing", "sensitivity_lab.plotting.explore",
}  # fmt: skip
OURS = "sensitivity_lab", "sensitivity_beyond"
FOLDERS = "book", "scripts", "benchmarks", "notebooks"


def code_of(path):
    """The Python of a file: of a notebook its cells, without what is IPython's own."""
    if path.suffix == ".py":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, as_version=4).cells
    code = "\n\n".join(cell.source for cell in cells if cell.cell_type == "code")
    return re.sub(r"^\s*[%!].*$", "", code, flags=re.M)


def imported(source):
    """The rooms of the packages that Python code imports, in its doctests too, and the names."""
    examples = re.findall(r"^\s*>>> +((?:from|import) .*)$", source, flags=re.M)
    for tree in map(ast.parse, [source, *examples]):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from ((alias.name, None) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield from ((node.module, alias.name) for alias in node.names)


ASKED = {
    (room, name, path.relative_to(ROOT).as_posix())
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".ipynb") and ".ipynb_checkpoints" not in path.parts
    for room, name in imported(code_of(path))
    if room.split(".")[0] in OURS
}


def test_only_public_rooms_are_imported():
    """Catches a tool that leans on an inner module, which may move from one day to the next."""
    assert len(ASKED) > 100
    assert sorted(asked for asked in ASKED if asked[0] not in ROOMS) == []


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_names_what_it_lends(room):
    """Catches a name that is there by chance: a module, or what a room imports for itself."""
    names = {name for where, name, _ in ASKED if where == room and name}
    module = importlib.import_module(room)
    text = Path(module.__file__).read_text(encoding="utf-8")
    for name in names:
        lent = re.search(rf"\b{name} as {name}\b|\"{name}\"", text)
        assert lent or (room.endswith("plotting") and hasattr(style, name)), name
        assert type(getattr(module, name)) is not type(module), name
