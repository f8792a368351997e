"""Without make, `pip install . ./beyond ./book[nbval]` runs and tests the notebooks."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHECK_ALL, ROOT

LEAVE = shutil.ignore_patterns(".*", "_build", "notebooks", "tests", "__pycache__", "*.egg-info")


def environment(place, *parts):
    """A Python with some parts of the project, from wheels, and what these ask for."""
    shutil.copytree(ROOT, place / "source", ignore=LEAVE)  # a build leaves files behind
    subprocess.run([sys.executable, "-m", "venv", place / "bare"], check=True)
    python = place / "bare" / "bin" / "python"
    uv = [Path(sys.executable).parent / "uv", "pip", "install", "--quiet", "--python", python]
    subprocess.run([*uv, *parts], cwd=place / "source", check=True)
    shutil.rmtree(place / "source")
    return python


@pytest.mark.skipif(not CHECK_ALL, reason="installs an environment of its own: in check-all")
def test_a_copied_notebook_passes_with_the_wheels_alone(tmp_path):
    """Catches a file, a library or a rule of comparison that the wheels leave out."""
    python = environment(tmp_path, ".", "./beyond", "./book[nbval]")
    names = "01-by-hand.ipynb", "08-tables.ipynb", "09-people.ipynb", "10-audits.ipynb"
    copies = [shutil.copy(ROOT / "notebooks" / name, tmp_path) for name in names]
    own = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run([python, "-m", "pytest", "--nbval", *copies], cwd=tmp_path, env=own, check=True)
