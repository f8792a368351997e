"""The small package alone: what works without the other, and what a call without it says."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHECK_ALL, ROOT, in_turn

# A process in which nothing beyond the small package can be imported.
ALONE = "import sys; sys.modules['sensitivity_beyond'] = None; import sensitivity_lab as sl\n"
LEAVE = shutil.ignore_patterns(".*", "_build", "notebooks", "__pycache__", "*.egg-info")


def said(code, *arguments):
    """What Python says to some code."""
    shown = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, encoding="utf-8", cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "MPLBACKEND": "agg"},
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


FIRST = """
assert "numpy" not in sys.modules
from fractions import Fraction
days = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
found = sl.global_sensitivity(sl.MEAN, days, size=6, relation=sl.Change(1))
assert (found.value, found.check()) == (Fraction(19, 6), True)
heavy = {"matplotlib", "ipywidgets", "scipy", "IPython", "opendp", "dask", "distributed", "tqdm"}
assert not {"pandas", "narwhals", *heavy} & {*sys.modules}
assert sl.local_sensitivity(max, [1, 2], days, relation=sl.Add(1)).value == 18
assert sl.closed_form(sl.SUM, bounds=(0, 9), size=3, relation=sl.Change(2)).value == 18
words = sl.Universe.population(["no", "yes", "no"])
assert sl.global_sensitivity(sl.count_distinct, words, size=2, relation=sl.Change(1)).value == 1
table = sl.compare([sl.SUM, sl.STD], {"d": days}, size=3, relations=[sl.AddRemove(1)])
assert table.shape == (2, 11)
assert sl.plot_sweep(table) and sl.plot_witness(found)
"""
DOORS = {
    "sl.audit": "sl.audit", "sl.sql": "sl.sql", "sl.smooth_sensitivity": "sl.smooth_sensitivity",
    "sl.count_people": "sl.count_people", "sl.testing": "sl.testing",
    "sl.MEAN.of": "Query.of", "sl.MEAN.by": "Query.by", "sl.SUM.clipped": "Query.clipped",
    "sl.Universe.people": "Universe.people", "sl.Universe.product": "Universe.product",
    "sl.Universe.population(pd.DataFrame({'x': [1]}))": "records as a table",
    "found.to_json()": "Sensitivity.to_json", "found.snippet()": "Sensitivity.snippet",
    "sl.global_sensitivity(sl.SUM, u, size=1, relation=sl.Add(1), method='solver')":
        "method='solver'",
}  # fmt: skip
REFUSALS = """
import pandas as pd
u = sl.Universe.value_range([0, 1])
found = sl.global_sensitivity(sl.SUM, u, size=1, relation=sl.Change(1))
for call, needs in {doors!r}.items():
    try:
        eval(call)
    except ImportError as error:
        assert str(error) == needs + " needs sensitivity-beyond: pip install sensitivity-beyond"
    else:
        raise AssertionError(call)
"""


def test_numbers_and_values_need_nothing_else():
    """Catches an answer, a table or a picture that waits for the other package, or for pandas."""
    said(ALONE + FIRST)
    asked = "import sys; sys.modules['matplotlib'] = None; import sensitivity_lab as sl; "
    asked += "\ntry: sl.plot_sweep\nexcept ImportError as error: print(error)"
    assert said(asked).strip() == "plot_sweep needs matplotlib: install 'sensitivity-lab[plot]'"


def test_every_door_says_what_to_install():
    """Catches a bare ModuleNotFoundError, and an attribute that is just not there."""
    said(ALONE + REFUSALS.format(doors=DOORS))


CELLS = """
import json, sys, traceback
from importlib.abc import MetaPathFinder
from IPython.core.interactiveshell import InteractiveShell

class Loads(MetaPathFinder):
    by = []

    def find_spec(self, name, path=None, target=None):
        if name.startswith("sensitivity_beyond."):  # the package itself is looked for, not loaded
            files = [frame.filename for frame in traceback.extract_stack()]
            if not any("sensitivity_book" in file for file in files):  # tools of the pages may
                self.by.append(name)

sys.meta_path.insert(0, Loads())
shell = InteractiveShell.instance()
with open(sys.argv[1], encoding="utf-8") as file:
    cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
for cell in cells:
    shell.run_cell("".join(cell["source"]).removeprefix("%%only_in_tests\\n")).raise_error()
assert len(cells) > 10
print(json.dumps({"loads": Loads.by}))
"""


@pytest.mark.parametrize("chapter", in_turn(["by-hand", "school", "vehicle", "closed-forms"]))
def test_the_chapters_that_start_stand_on_the_small_package(chapter):
    """Catches a call on these pages that leaves numbers for tables, a proof or an audit."""
    path = next((ROOT / "notebooks").glob(f"??-{chapter}.ipynb"))
    assert json.loads(said(CELLS, str(path)).splitlines()[-1])["loads"] == []


@pytest.mark.skipif(not CHECK_ALL, reason="installs an environment of its own: in check-all")
def test_the_small_package_is_installed_alone(tmp_path):
    """Catches a file that its wheel lacks, and a library it does not name."""
    shutil.copytree(ROOT, tmp_path / "source", ignore=LEAVE)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "bare"], check=True)
    python = tmp_path / "bare" / "bin" / "python"
    uv = [Path(sys.executable).parent / "uv", "pip", "install", "--quiet", "--python", python]
    needed = ["hypothesis", "psutil", "pytest", "pytest-cov", "pytest-mpl"]
    subprocess.run([*uv, f"{tmp_path / 'source'}[plot]", *needed], check=True)
    shutil.rmtree(tmp_path / "source" / "sensitivity_lab")
    shutil.rmtree(tmp_path / "source" / "beyond")
    asked = [python, "-m", "pytest", "-q", "tests/core"]
    bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "CORE_ALONE": "1"}
    done = subprocess.run(asked, cwd=tmp_path / "source", env=bare, capture_output=True)
    assert done.returncode == 0, done.stdout.decode()[-3000:]
