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
ALONE = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in str(one)]  # it would find the wing
"""
TESTS = f"{ALONE}import pytest; sys.exit(pytest.main(sys.argv[1:]))"
QUIET = ["-q", "-p", "no:cacheprovider", "-p", "no:sensitivity_lab_pytest", "--doctest-modules"]


@pytest.fixture(params=in_turn(WINGS), scope="module")
def without(request, tmp_path_factory):
    """Where the package lacks a wing: the place, what is gone, and what runs Python there."""
    place, gone = (
        tmp_path_factory.mktemp("without"),
        {request.param, *LEAN_ON.get(request.param, ())},
    )
    shutil.copytree(ROOT / "sensitivity_lab", place / "sensitivity_lab")
    for wing in gone:
        shutil.rmtree(place / "sensitivity_lab" / wing)
    shutil.copy(ROOT / "pyproject.toml", place)
    paths = os.pathsep.join(map(str, (place, ROOT / "book", ROOT / "tests")))
    short = {name: value for name, value in os.environ.items() if name != "CHECK_ALL"}

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, "-c", *map(str, arguments)],
            env=short | {"PYTHONPATH": paths},
            cwd=place,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    return place, gone, run


def silent_about(gone, files, where=""):
    """The files that do not name what is gone; `where` says in which lines."""
    public = [name for name, room in sl._ROOM.items() if room.split(".")[0] in gone]
    rooms, names = "|".join(gone), "|".join([*gone, *public])
    named = re.compile(
        rf"{where}(sensitivity_lab_pytest|sensitivity_lab\.({rooms})|(sl\.|import .*\b)({names})\b)"
    )
    return [file for file in files if not named.search(file.read_text("utf-8"))]


def test_the_front_rooms_examples_run(without):
    """Catches a wing that is asked for in the middle of an answer; `test_imports` knows those asked for at once."""
    place, gone, run = without
    files = silent_about(gone, sorted((place / "sensitivity_lab").glob("*.py")), where=">>> .*")
    assert len(files) > 10
    run(TESTS, *QUIET, *files)


@pytest.mark.skipif(not CHECK_ALL, reason="as long as the tests: in check-all")
def test_the_other_wings_tests_pass(without):
    """Catches what neither an import nor an example shows."""
    place, gone, run = without
    shutil.copytree(ROOT / "tests", place / "tests", dirs_exist_ok=True)
    (place / "book").mkdir()
    for page in (ROOT / "book").glob("*.md"):
        shutil.copy(page, place / "book")
    files = silent_about(
        gone, [f for room in ROOMS for f in sorted((ROOT / "tests" / room).glob("test_*.py"))]
    )
    assert len(files) > 20
    run(TESTS, *QUIET, *(file.relative_to(ROOT) for file in files))
