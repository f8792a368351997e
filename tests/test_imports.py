"""The rule of imports, read from the imports; what an installation brings; where tests stand."""

import ast
import re
import sys
import tomllib
from graphlib import TopologicalSorter

import nbformat
import pytest
from conftest import ROOT

BOOK, BEYOND_AT = ROOT / "book", ROOT / "beyond"
PACKAGES = (
    ROOT / "sensitivity_lab", BEYOND_AT / "sensitivity_beyond", BOOK / "sensitivity_book",
    BOOK / "sensitivity_board",
)  # fmt: skip


def name_of(path, package):
    """The dotted name of a file, `sensitivity_lab` for the package's own `__init__`."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    name_of(path, package): path for package in PACKAGES for path in sorted(package.rglob("*.py"))
}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def at_run_time(tree):
    """The statements of a syntax tree, but for what only a checker of types reads."""
    left = [tree]
    while left:
        node = left.pop()
        if not (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"):
            yield node
            inside = (
                getattr(node, part, ())
                for part in ("body", "orelse", "handlers", "finalbody", "cases")
            )
            left += (each for part in inside if isinstance(part, list) for each in part)


def imported(nodes):
    """The modules that some nodes of a syntax tree import."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:  # a name may be a module of its own
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in MODULES else node.module)
    return found


IMPORTED = {name: imported(at_run_time(tree)) for name, tree in TREES.items()}  # in functions, too
IMPORTS = {name: found & set(MODULES) for name, found in IMPORTED.items()}
ENGINE = {name for name in MODULES if name.startswith("sensitivity_lab.")}
AROUND = {name for name in MODULES if name.startswith("sensitivity_beyond.")}


def test_no_module_imports_itself_by_way_of_others():
    """Catches a circle: `prepare` names it."""
    TopologicalSorter(IMPORTS).prepare()
    assert "sensitivity_lab.universe" in IMPORTS["sensitivity_lab.problem"]


def test_the_small_package_knows_the_other_by_its_door_alone():
    """Catches a name from beyond in the small package, in a hint of a type, too."""
    told = {
        name
        for name in {*ENGINE, "sensitivity_lab"}
        if any(other.startswith("sensitivity_beyond") for other in imported(ast.walk(TREES[name])))
    }
    assert told == {"sensitivity_lab", "sensitivity_lab.extension"}  # for checkers of types
    assert not any(other in AROUND for name in ENGINE for other in IMPORTS[name])


# What the small package knows nothing of; tables of names and of what callers mean are no code.
STRANGE = re.compile(
    r"(?<![a-z])(people|persons?|grouping|by_group|groups?|sql|statements?|tabular|narwhals"
    r"|holds_people|truncated|most_rows|kept columns|several tables)(?![a-z])",
    re.IGNORECASE,
)
OF_NAMES = {
    "sensitivity_lab": {"_ROOMS", "_CONTENTS", "TYPE_CHECKING"},
    "sensitivity_lab.extension": {"NAMES", "METHODS"},
    "sensitivity_lab.did_you_mean": {"TABLE"},
}
MEANT = {
    "one record per person", "written for people", ".groups()", "group distance",
    "`sql` stay functions",
}  # fmt: skip


def lines_of_names(name):
    """The lines of a module on which its tables of names stand."""
    for node in TREES[name].body:
        named = {getattr(target, "id", "") for target in getattr(node, "targets", [])}
        if isinstance(node, ast.If):
            named = {getattr(node.test, "id", "")}
        if named & OF_NAMES.get(name, set()):
            yield from range(node.lineno, node.end_lineno + 1)


@pytest.mark.parametrize("name", sorted(ENGINE | {"sensitivity_lab"}))
def test_no_word_of_what_goes_beyond(name):
    """Catches a branch, or a sentence, about people, groups or statements in the small package."""
    tables = {*lines_of_names(name)}
    lines = enumerate(MODULES[name].read_text(encoding="utf-8").splitlines(), 1)
    read = [line for i, line in lines if i not in tables]
    ours = [line for line in read if not any(word in line for word in MEANT)]
    assert [line for line in ours if STRANGE.search(line)] == []


LEFT_TO_RIGHT = {  # a package, and where ARCHITECTURE writes its rooms down, some side by side
    "sensitivity_lab": ("Imports run the same way", "The package never imports"),
    "sensitivity_beyond": ("Beyond, imports run", "`tests/test_imports.py` reads"),
    "sensitivity_book": ("The book's own tools, `book", "| `data` |"),
}
LEFT_OF_ALL = {
    "grading",
    "notebook_tests",
    "palette",
    "verdicts",
}  # single files of the book's tools


@pytest.mark.parametrize("package", LEFT_TO_RIGHT)
def test_imports_run_from_left_to_right(package):
    """Catches a room that leans on one to its right, in the order that ARCHITECTURE writes down."""
    start, end = LEFT_TO_RIGHT[package]
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    groups = re.findall(r"`([a-z_ ]+)`", text[text.index(start) : text.index(end)])
    group_of = {room: i for i, group in enumerate(groups) for room in group.split()}
    rooms = {name: name.split(".")[1] for name in MODULES if name.startswith(f"{package}.")}
    assert set(rooms.values()) - LEFT_OF_ALL == set(group_of)
    place = {name: group_of.get(room, -1) for name, room in rooms.items()}
    inside = [name for name in rooms if place[name] >= 0]
    climbing = [(a, b) for a in inside for b in IMPORTS[a] if place.get(b, -1) > place[a]]
    assert climbing == []


def test_hardly_a_module_is_imported_by_a_name_that_is_made():
    """Catches a way round these rules: the doors, pandas and a database once needed are all."""
    made = {
        name
        for name in ENGINE | AROUND
        if "import_module" in MODULES[name].read_text(encoding="utf-8")
    }
    assert made == {
        "sensitivity_lab.extension", "sensitivity_lab.plotting", "sensitivity_beyond.tables.lazy",
        "sensitivity_beyond.tables", "sensitivity_beyond.tables.sql.parsed",
    }  # fmt: skip


def test_the_package_never_imports_what_the_book_alone_needs():
    """Catches an engine that leans on the chapters' tools, or on its own front door."""
    assert len(ENGINE) > 25
    assert {name: IMPORTS[name] - ENGINE for name in ENGINE if IMPORTS[name] - ENGINE} == {}
    both = ENGINE | AROUND
    assert {name: IMPORTS[name] - both for name in AROUND if IMPORTS[name] - both} == {}


def project(folder):
    """What a distribution says of itself."""
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


LAB, BEYOND, OF_BOOK = map(project, (ROOT, ROOT / "beyond", BOOK))
EXTRAS = LAB["optional-dependencies"] | BEYOND["optional-dependencies"]
# Imported by another name than it is installed by, or with what is.
BROUGHT_BY = {
    "IPython": "jupyterlab", "PIL": "pillow", "cycler": "matplotlib",
    "matplotlib_inline": "jupyterlab", "traitlets": "ipywidgets",
}  # fmt: skip


def names(requirements):
    """What requirements ask for, without versions and extras."""
    return {re.match(r"[\w-]+", line)[0] for line in requirements if line[:1].isalpha()}


def installed(modules):
    """The third-party packages among modules, by the names they are installed by."""
    ours = {"sensitivity_beyond", *(package.name for package in PACKAGES)}
    roots = {module.split(".")[0] for module in modules} - sys.stdlib_module_names - ours
    return {BROUGHT_BY.get(root, root) for root in roots}


CORE = names(LAB["dependencies"])
BOTH = CORE | names(BEYOND["dependencies"]) - {"sensitivity-lab"}
TREES_BEYOND = {
    path.relative_to(ROOT / "beyond"): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "beyond").rglob("*.py"))
}


@pytest.mark.parametrize("extra", EXTRAS)
def test_what_an_extra_brings_stands_in_the_lock(extra):
    """Catches a name that our own tests never see, or see in a version of another."""
    locked = names((ROOT / "requirements.in").read_text(encoding="utf-8").splitlines())
    assert names(EXTRAS[extra]) | BOTH <= locked
    assert names(EXTRAS[extra]).isdisjoint(BOTH)


def test_what_a_package_imports_is_installed_with_it_or_with_an_extra():
    """Catches an import that fails for whoever installs a package alone."""
    small = installed(set().union(*(IMPORTED[name] for name in ENGINE)))
    assert {"numpy", "matplotlib"} <= small <= CORE | names(EXTRAS["plot"])
    large = installed(set().union(*(imported(ast.walk(tree)) for tree in TREES_BEYOND.values())))
    assert {"narwhals", "hypothesis"} <= large <= BOTH.union(*map(names, EXTRAS.values()))


def test_a_module_imports_nothing_beyond_the_core_when_it_is_imported():
    """Catches a light core that is not: only pictures, SQL and testing may ask for more."""
    for name in ENGINE:
        extra = {"plotting": "plot"}.get(name.split(".")[1])
        assert installed(imported(TREES[name].body)) <= CORE | names(EXTRAS.get(extra, [])), name
    for path, tree in TREES_BEYOND.items():
        extras = ("plot",) if path.stem == "witness_rows" else ()
        extras += ("testing",) if "testing" in path.parts or len(path.parts) == 1 else ()
        allowed = BOTH.union(*(names(EXTRAS[extra]) for extra in extras))
        assert installed(imported(tree.body)) <= allowed, path


def test_what_the_book_imports_is_installed_with_it():
    """Catches a notebook that stops at its first cell for whoever installed all three parts."""
    elsewhere = ("stand_ins", "libraries")  # in a browser, and in environments of their own
    book = [
        name for name in set(MODULES) - ENGINE - AROUND if not {*elsewhere} & {*name.split(".")}
    ]
    paths = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert len(paths) > 25
    cells = (cell for path in paths for cell in nbformat.read(path, as_version=4).cells)
    code = (cell.source for cell in cells if cell.cell_type == "code")
    plain = (ast.parse(re.sub(r"^\s*[%!].*$", "", text, flags=re.M)) for text in code)
    asked = set().union(*(IMPORTED[name] for name in book), *map(imported, map(ast.walk, plain)))
    brought = {
        extra for line in OF_BOOK["dependencies"] for extra in re.findall(r"\[(\w+)\]", line)
    }
    own = names(OF_BOOK["dependencies"]) - {"sensitivity-lab", "sensitivity-beyond"}
    assert installed(asked) <= BOTH.union(own, *(names(EXTRAS[extra]) for extra in brought))


def test_tests_stand_as_the_package_does():
    """Catches a wing without tests, two modules of one name, and a second conftest."""
    wings = {path.parent.name for path in (ROOT / "sensitivity_lab").glob("*/__init__.py")}
    wings |= {path.parent.name for path in BEYOND_AT.glob("sensitivity_beyond/*/__init__.py")}
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    assert wings <= {path.parent.name for path in tests}
    assert len({path.name for path in tests}) == len(tests)
    assert len(list((ROOT / "tests").rglob("conftest.py"))) == 1


def private_names_of_others(name):
    """What a module reads of an object that is private and that it does not define itself."""
    parts = list(ast.walk(TREES[name]))
    defined = {getattr(part, "name", None) for part in parts}
    defined |= {part.id for part in parts if isinstance(part, ast.Name)}
    attributes = [part for part in parts if isinstance(part, ast.Attribute)]
    defined |= {part.attr for part in attributes if isinstance(part.ctx, ast.Store)}
    private = {part.attr for part in attributes if re.match(r"_[a-z]", part.attr)}
    return private - defined - {"_replace"}  # of named tuples


def test_no_module_reads_what_is_private_in_another():
    """Catches an interface that stands nowhere."""
    mine = {*ENGINE, *AROUND, "sensitivity_lab"}
    assert {name: found for name in mine if (found := private_names_of_others(name))} == {}


def test_nobody_imports_a_private_name():
    """Catches what the book, its tools or either package takes from where it is not offered."""
    taken = {
        (name, node.module, alias.name)
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if re.match(r"_[a-z]", alias.name) and node.module.startswith("sensitivity_")
    }
    assert taken == set()


# Where alone some libraries are imported, in functions too.
AT_HOME = {
    "matplotlib": (
        "sensitivity_lab.plotting",
        "sensitivity_beyond.ask",
        "sensitivity_beyond.tables.witness_rows",
    ),
    "ipywidgets": ("sensitivity_lab.plotting", "sensitivity_beyond.ask"),
    "narwhals": ("sensitivity_beyond.tables",),
    "duckdb": ("sensitivity_beyond.tables.sql",),
    "sqlglot": ("sensitivity_beyond.tables.sql",),
    "hypothesis": ("sensitivity_beyond.testing",),
    "pytest": ("sensitivity_beyond.testing",),
}


@pytest.mark.parametrize("library", AT_HOME)
def test_a_library_has_one_home(library):
    """Catches a database or a picture that a question of numbers waits for."""
    asks = [name for name in ENGINE | AROUND if library in installed(IMPORTED[name])]
    assert [name for name in asks if not name.startswith(AT_HOME[library])] == []
