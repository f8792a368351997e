"""A wing can be taken away: what does not name it works in a copy of the package without it."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import CHECK_ALL, ROOT, in_turn

import sensitivity_lab as sl

WINGS = ["audit", "plotting", "sql", "testing"]
ROOMS = ["numbers", "records", "methods", "proved", "shown", *WINGS]
LEAN_ON = {"audit": {"testing"}}  # wings that are about another one
CHAPTERS = in_turn(["by-hand", "school", "vehicle"])
# Statement by statement: one is skipped only where the wing, or what a skipped one made, is missing.
ALONE = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in str(one)]  # it would find the wing
"""
CELLS = """
import ast, json, sys
from importlib import import_module
from pathlib import Path
import matplotlib
matplotlib.use("agg")

def used(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}

def bound(node):
    stored = (part for part in ast.walk(node) if isinstance(getattr(part, "ctx", None), ast.Store))
    made = {getattr(part, "id", None) for part in stored} | {getattr(node, "name", None)}
    return made | {alias.asname or alias.name for alias in getattr(node, "names", ())}

wing, missing, ran = sys.argv[1], set(), 0
for path in map(Path, sys.argv[2:]):
    space = {"__name__": "__main__", "display": print}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        for node in ast.parse(source).body if cell["cell_type"] == "code" else ():
            if used(node) & missing:
                missing |= bound(node)
                continue
            try:
                exec(compile(ast.Module([node], []), str(path), "exec"), space)
                ran += 1
            except ImportError as error:
                if f"sensitivity_lab.{wing}" not in repr(error) + str(error.name or ""):
                    raise
                missing |= bound(node)
print(ran, len(missing), file=sys.stderr)
"""
MODULES = """
import sys
from importlib import import_module
for module in sys.argv[1:]:
    import_module(module)
"""


@pytest.fixture(params=in_turn(WINGS), scope="module")
def without(request, tmp_path_factory):
    """A wing's name, and what runs Python where the package has no such wing."""
    place = tmp_path_factory.mktemp("without")
    shutil.copytree(ROOT / "sensitivity_lab", place / "sensitivity_lab")
    for wing in {request.param, *LEAN_ON.get(request.param, ())}:
        shutil.rmtree(place / "sensitivity_lab" / wing)
    paths = os.pathsep.join(map(str, (place, ROOT / "book", ROOT / "tests")))
    short = {name: value for name, value in os.environ.items() if name != "CHECK_ALL"}

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments],
            env=short | {"PYTHONPATH": paths},
            cwd=place,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stderr

    return request.param, place, run


def test_every_other_module_can_be_imported(without):
    """Catches a front room that cannot do without a wing."""
    _, place, run = without
    paths = sorted((place / "sensitivity_lab").rglob("*.py"))
    modules = [".".join(path.relative_to(place).with_suffix("").parts) for path in paths]
    assert len(modules) > 60
    run("-c", ALONE + MODULES, *(module.removesuffix(".__init__") for module in modules))


def test_the_first_chapters_run(without):
    """Catches a chapter on the path that needs a wing which it does not name."""
    wing, _, run = without
    said = run(
        "-c", ALONE + CELLS, wing, *(ROOT / "notebooks" / f"{name}.ipynb" for name in CHAPTERS)
    )
    ran, missing = map(int, said.split()[-2:])
    assert ran > 30, (ran, missing)
    assert wing == "plotting" or missing == 0


@pytest.mark.skipif(not CHECK_ALL, reason="as long as the tests: in check-all")
def test_the_other_wings_tests_pass(without):
    """Catches what neither an import nor a chapter shows."""
    wing, place, run = without
    gone = {wing, *LEAN_ON.get(wing, ())}
    shutil.copytree(ROOT / "tests", place / "tests", dirs_exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", place)
    (place / "book").mkdir(exist_ok=True)
    for page in (ROOT / "book").glob("*.md"):
        shutil.copy(page, place / "book")
    public = [name for name, room in sl._ROOM.items() if room.split(".")[0] in gone]
    own = "sensitivity_lab_pytest"  # which the copy does not have
    named = re.compile(
        rf"{own}|sensitivity_lab\.({'|'.join(gone)})|sl\.({'|'.join([*gone, *public])})\b"
    )
    files = [file for room in ROOMS for file in sorted((ROOT / "tests" / room).glob("test_*.py"))]
    rest = [file.relative_to(ROOT) for file in files if not named.search(file.read_text("utf-8"))]
    assert len(rest) > 20
    tests = "import pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '-p', 'no:sensitivity_lab_pytest', *sys.argv[1:]]))"
    run("-c", ALONE + tests, *map(str, rest))
