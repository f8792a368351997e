"""What an installation brings, held to what is imported and to the lock."""

import ast
import re
import sys
import tomllib

import nbformat
import pytest
from conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BOOK = tomllib.loads((ROOT / "book" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
OURS = {"sensitivity_lab", "sensitivity_book", "sensitivity_board"}
# Imported by another name than it is installed by, or with what is.
BROUGHT_BY = {
    "IPython": "jupyterlab", "cycler": "matplotlib", "matplotlib_inline": "jupyterlab", "traitlets": "ipywidgets",
}  # fmt: skip


def names(requirements):
    """What requirements ask for, without versions and extras."""
    return {re.match(r"[\w-]+", line)[0] for line in requirements if line[:1].isalpha()}


def imported(source):
    """The third-party packages that Python source imports, by the names they are installed by."""
    modules = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.add(node.module)
    roots = {module.split(".")[0] for module in modules} - sys.stdlib_module_names - OURS
    return {BROUGHT_BY.get(root, root) for root in roots}


def imported_below(folder):
    elsewhere = {"stand_ins", "libraries"}  # in a browser, and in environments of their own
    paths = (path for path in sorted(folder.rglob("*.py")) if not elsewhere & set(path.parts))
    sources = [path.read_text(encoding="utf-8") for path in paths]
    return set().union(*map(imported, sources))


def imported_in_notebooks():
    paths = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert len(paths) > 10
    cells = (cell for path in paths for cell in nbformat.read(path, as_version=4).cells)
    code = (cell.source for cell in cells if cell.cell_type == "code")
    return set().union(*(imported(re.sub(r"^\s*[%!].*$", "", text, flags=re.M)) for text in code))


CORE = names(PROJECT["dependencies"])


@pytest.mark.parametrize("extra", EXTRAS)
def test_what_an_extra_brings_stands_in_the_lock(extra):
    """Catches a name that our own tests never see, or see in a version of another."""
    locked = names((ROOT / "requirements.in").read_text(encoding="utf-8").splitlines())
    assert names(EXTRAS[extra]) <= locked
    assert names(EXTRAS[extra]).isdisjoint(CORE)


def test_what_the_package_imports_is_installed_with_it_or_with_an_extra():
    """Catches an import that fails for whoever installs the package and no more than it asks for."""
    brought = CORE.union(*(names(EXTRAS[extra]) for extra in EXTRAS))
    everything = imported_below(ROOT / "sensitivity_lab")
    assert everything >= {"numpy", "matplotlib"}
    assert everything <= brought


def test_a_module_imports_nothing_beyond_the_core_when_it_is_imported():
    """Catches a light core that is not: only pictures, SQL and testing may ask for more."""
    for path in sorted((ROOT / "sensitivity_lab").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        at_once = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        asked = imported(ast.unparse(ast.Module(at_once, [])))
        room = path.relative_to(ROOT / "sensitivity_lab").parts[0]
        allowed = {"plotting": "plot", "testing.py": "testing", "testing": "testing"}.get(room)
        assert asked <= CORE | names(EXTRAS.get(allowed, [])), path


def test_what_the_book_imports_is_installed_with_its_extra():
    """Catches a notebook that stops at its first cell for whoever installed `[book]`."""
    packages = (ROOT / "book" / name for name in ("sensitivity_book", "sensitivity_board"))
    asked = imported_in_notebooks().union(*map(imported_below, packages))
    assert asked <= CORE | names(EXTRAS["book"])
    assert names(BOOK["dependencies"]) - {"sensitivity-lab"} <= names(EXTRAS["book"])
