"""What README says of those without make: `pip install '.[book]' ./book` runs the notebooks."""

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
import sensitivity_board, sensitivity_book, sensitivity_lab
print(sensitivity_lab.__file__, sensitivity_book.__file__, sensitivity_board.__file__)
"""


@pytest.mark.skipif(not CHECK_ALL, reason="installs an environment of its own: in check-all")
def test_the_first_cells_of_every_notebook_run_from_wheels_alone(tmp_path):
    """Catches a file that the wheels leave out, and a library that no extra names."""
    shutil.copytree(ROOT, tmp_path / "source", ignore=LEAVE)  # a build leaves files behind
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "bare"], check=True)
    python = tmp_path / "bare" / "bin" / "python"
    uv = [Path(sys.executable).parent / "uv", "pip", "install", "--quiet", "--python", python]
    subprocess.run([*uv, ".[book]", "./book"], cwd=tmp_path / "source", check=True)
    shutil.rmtree(tmp_path / "source")
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    alone = {"cwd": tmp_path, "env": {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}}
    said = subprocess.run(
        [python, "-I", "-c", FIRST, *notebooks], **alone, capture_output=True, encoding="utf-8"
    )
    assert said.returncode == 0, said.stderr
    where = said.stdout.splitlines()[-1].split()
    assert [Path(file).is_relative_to(tmp_path) for file in where] == [True] * 3
