"""What README says of those without make: `pip install . ./beyond ./book` runs the notebooks."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHECK_ALL, ROOT

LEAVE = shutil.ignore_patterns(".*", "_build", "notebooks", "tests", "__pycache__", "*.egg-info")
FIRST = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    for cell in cells[:4]:
        shell.run_cell("".join(cell["source"])).raise_error()
import sensitivity_beyond, sensitivity_board, sensitivity_book, sensitivity_lab
ours = sensitivity_lab, sensitivity_beyond, sensitivity_book, sensitivity_board
print(*(package.__file__ for package in ours))
"""


def environment(place, *parts):
    """A Python with some parts of the project, from wheels, and what these ask for."""
    shutil.copytree(ROOT, place / "source", ignore=LEAVE)  # a build leaves files behind
    subprocess.run([sys.executable, "-m", "venv", place / "bare"], check=True)
    python = place / "bare" / "bin" / "python"
    uv = [Path(sys.executable).parent / "uv", "pip", "install", "--quiet", "--python", python]
    subprocess.run([*uv, *parts], cwd=place / "source", check=True)
    shutil.rmtree(place / "source")
    return python


def said_by(python, place, code, *asked):
    """The lines that some code prints, far from the project's files."""
    alone = {"cwd": place, "env": {"PATH": os.environ["PATH"], "HOME": str(place)}}
    ran = subprocess.run(
        [python, "-I", "-c", code, *asked], **alone, capture_output=True, encoding="utf-8"
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.skipif(not CHECK_ALL, reason="installs an environment of its own: in check-all")
def test_the_first_cells_of_every_notebook_run_from_wheels_alone(tmp_path):
    """Catches a file that the wheels leave out, and a library that no wheel names."""
    python = environment(tmp_path, ".", "./beyond", "./book")
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    where = said_by(python, tmp_path, FIRST, *notebooks)[-1].split()
    assert [Path(file).is_relative_to(tmp_path) for file in where] == [True] * 4
