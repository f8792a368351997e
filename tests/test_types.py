"""What a type checker tells who writes a call: the words a parameter takes, and what comes back.

mypy is asked always, pyright where it is installed (`pip install basedpyright`: 300 MB, so it is not in
the lock).
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

mypy = pytest.importorskip("mypy.api")
PYRIGHTS = ("basedpyright", "pyright")

ASKED = """
import math
import sensitivity_lab as sl
school = sl.Universe.population([1, 2, 3])
one = sl.Change(1)
reveal_type(school)  # Universe
reveal_type(sl.MEAN)  # Query
reveal_type(sl.MEAN.of("pay").by("team"))  # Query
reveal_type(one.k)  # int
found = sl.global_sensitivity(sl.MEAN, school, size=2, relation=one)
reveal_type(found)  # Sensitivity
reveal_type(found.check())  # bool
reveal_type(found.to_json())  # str
reveal_type(sl.Sensitivity.from_json(""))  # Sensitivity
reveal_type(sl.audit(max, 1, school, sizes=2, relations=one))  # Audit
reveal_type(sl.closed_form(sl.MEAN, bounds=(0, 1), size=2, relation=one))  # ClosedForm
reveal_type(sl.rank_distance("ab", "ba"))  # int
sl.global_sensitivity(max, school, size=2, relation=one, method="sweeep")  # refused
sl.local_sensitivity(max, [1, 2], school, relation=one, method="sweep")  # refused
sl.audit(max, 1, school, sizes=2, relations=one, method="search", order="no")  # refused
sl.audit(max, 1, school, sizes=2, relations=one, method="search", order="any")
sl.global_sensitivity(max, school, size=2.5, relation=one)  # refused
sl.global_sensitivity(max, school, size=2, relation=1)  # refused
sl.Change("1")  # refused
sl.global_sensitivity(max, school, size=2, relation=one, norm=math.inf)
sl.closed_form(sl.MEAN, bounds=(0, 1), size=2, relation=one, norm=2)
sl.local_sensitivity(max, [1, 2], school, relation=one, norm="L2")  # refused
reveal_type(found.norm)  # float
reveal_type(found.witness)  # CompactWitness
reveal_type(sl.quantile(0.9))  # Query
reveal_type(sl.smooth_sensitivity(sl.MEDIAN, [1], bounds=(0, 1), beta=1).value)  # float
reveal_type(sl.sensitivity_at_distance(sl.MEDIAN, [1], bounds=(0, 1), distance=1))  # Fraction
"""


def by_mypy(file):
    """What mypy says of each line, by the options of `make lint`, which has read the package for it."""
    kept = ["--config-file", f"{ROOT}/pyproject.toml", "--cache-dir", f"{ROOT}/.mypy_cache"]
    told, _, _ = mypy.run([*kept, "--python-executable", sys.executable, str(file)])
    return re.findall(r"asked\.py:(\d+): (.*)", told)


def by_pyright(file):
    """The same of pyright, or of its fork that brings what it runs on."""
    beside = str(Path(sys.executable).parent)
    found = [shutil.which(name, path=beside) or shutil.which(name) for name in PYRIGHTS]
    command = next(filter(None, found), None) or pytest.skip("pyright is not installed")
    options = json.dumps({"extraPaths": [str(ROOT)]})
    (file.parent / "pyrightconfig.json").write_text(options, encoding="utf-8")
    asked = [command, "--outputjson", "--pythonpath", sys.executable, str(file)]
    told = subprocess.run(asked, capture_output=True, text=True, encoding="utf-8", check=False)
    for one in json.loads(told.stdout)["generalDiagnostics"]:
        if one["severity"] in ("error", "information"):
            yield one["range"]["start"]["line"] + 1, f"{one['severity']}: {one['message']}"


@pytest.mark.parametrize("checker", [by_mypy, by_pyright])
def test_a_checker_reads_what_is_written_here(checker, tmp_path, monkeypatch):
    """Catches a name that is Any to a checker, and a method that takes any text."""
    file = tmp_path / "asked.py"
    file.write_text(ASKED, encoding="utf-8")
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    by_line = {int(n): text for n, text in checker(file)}
    for number, line in enumerate(ASKED.splitlines(), 1):
        _, _, wanted = line.partition("  # ")
        if wanted == "refused":
            assert "error: " in by_line[number], line
        elif wanted:
            assert re.search(rf"(Revealed type|Type of .*) is .*\b{wanted}\b", by_line[number]), (
                line
            )
        else:
            assert "error" not in by_line.get(number, ""), line
