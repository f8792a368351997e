"""The rule of imports, read from the imports themselves; and where tests stand."""

import ast
import re
from graphlib import TopologicalSorter

import pytest
from conftest import ROOT

BOOK = ROOT / "book"
PACKAGES = ROOT / "sensitivity_lab", BOOK / "sensitivity_book", BOOK / "sensitivity_board"


def name_of(path, package):
    """The dotted name of a file, `sensitivity_lab` for the package's own `__init__`."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    name_of(path, package): path for package in PACKAGES for path in sorted(package.rglob("*.py"))
}


def imported_by(name):
    """The modules of the package that a module imports, inside its functions too."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:  # a name may be a module of its own
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in MODULES else node.module)
    return found & set(MODULES)


IMPORTS = {name: imported_by(name) for name in MODULES}
ENGINE = {name for name in MODULES if name.startswith("sensitivity_lab.")}


def test_no_module_imports_itself_by_way_of_others():
    """Catches a circle: `prepare` names it."""
    TopologicalSorter(IMPORTS).prepare()
    assert IMPORTS["sensitivity_lab"] >= {"sensitivity_lab.audit.audit", "sensitivity_lab.universe"}


LEFT_TO_RIGHT = {  # a package, and where its guide writes the rooms down, some side by side
    "sensitivity_lab": ("CONTRIBUTING.md", "**Imports run one way**", "Nothing in the package"),
    "sensitivity_book": ("ARCHITECTURE.md", "The book's own tools", "| `data` |"),
}
LEFT_OF_ALL = {"grading", "palette", "verdicts"}  # single files of the book's tools


@pytest.mark.parametrize("package", LEFT_TO_RIGHT)
def test_imports_run_from_left_to_right(package):
    """Catches a room that leans on one to its right, in the order that the guide writes down."""
    guide, start, end = LEFT_TO_RIGHT[package]
    text = (ROOT / guide).read_text(encoding="utf-8")
    groups = re.findall(r"`([a-z_ ]+)`", text[text.index(start) : text.index(end)])
    group_of = {room: i for i, group in enumerate(groups) for room in group.split()}
    rooms = {name: name.split(".")[1] for name in MODULES if name.startswith(f"{package}.")}
    assert set(rooms.values()) - LEFT_OF_ALL == set(group_of)
    place = {name: group_of.get(room, -1) for name, room in rooms.items()}
    inside = [name for name in rooms if place[name] >= 0]
    climbing = [(a, b) for a in inside for b in IMPORTS[a] if place.get(b, -1) > place[a]]
    assert climbing == []


@pytest.mark.parametrize("wing", ["sql", "audit", "testing", "plotting"])
def test_a_wing_can_be_taken_away(wing):
    """Catches a room that asks for one of these, even in the middle of an answer; `testing` is about audits."""
    lean = {name for name in ENGINE if any(f"lab.{wing}" in other for other in IMPORTS[name])}
    rooms = {name.split(".")[1] for name in lean} - {wing}
    assert rooms <= ({"testing"} if wing == "audit" else set())


def test_hardly_a_module_is_imported_by_a_name_that_is_made():
    """Catches a way round these rules: libraries that a caller has, and pandas once it is needed, are all."""
    made = {name for name in ENGINE if "import_module" in MODULES[name].read_text(encoding="utf-8")}
    assert made == {"sensitivity_lab.to_json", "sensitivity_lab.numbers.lazy"}


def test_the_package_never_imports_what_the_book_alone_needs():
    """Catches an engine that leans on the chapters' tools, or on its own front door."""
    assert len(ENGINE) > 30
    assert {name: IMPORTS[name] - ENGINE for name in ENGINE if IMPORTS[name] - ENGINE} == {}


def test_tests_stand_as_the_package_does():
    """Catches a wing without a folder of tests, and two test modules of one name."""
    wings = {path.parent.name for path in (ROOT / "sensitivity_lab").glob("*/__init__.py")}
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    assert wings <= {path.parent.name for path in tests}
    assert len({path.name for path in tests}) == len(tests)


def test_there_is_one_conftest():
    """Catches a second one, after which `from conftest import` would depend on the order of tests."""
    assert list((ROOT / "tests").rglob("conftest.py")) == [ROOT / "tests" / "conftest.py"]


def private_names_of_others(path):
    """What a file reads of an object that is private and that the file does not define itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = list(ast.walk(tree))
    defined = {getattr(part, "name", None) for part in parts}
    defined |= {part.id for part in parts if isinstance(part, ast.Name)}
    attributes = [part for part in parts if isinstance(part, ast.Attribute)]
    defined |= {part.attr for part in attributes if isinstance(part.ctx, ast.Store)}
    private = {part.attr for part in attributes if re.match(r"_[a-z]", part.attr)}
    return private - defined - {"_replace"}  # of named tuples


def test_no_module_reads_what_is_private_in_another():
    """Catches an interface that stands nowhere."""
    paths = [path for name, path in MODULES.items() if name.startswith("sensitivity_lab")]
    assert {path: found for path in paths if (found := private_names_of_others(path))} == {}
