"""What a type checker tells who writes a call: the words a parameter takes, and what comes back.

`value` of a `Sensitivity` stays Any. An own function's answer does not have the type that its
annotation says: a Fraction that is whole comes back as int, numpy's numbers as Python's, a list as
one number, and of what is not annotated nothing is known. A union would have to be narrowed by
every reader.
"""

import re
import sys

import pytest
from conftest import ROOT

mypy = pytest.importorskip("mypy.api")

ASKED = """
import math
import sensitivity_lab as sl
school = sl.Universe.population([1, 2, 3])
one = sl.Change(1)
reveal_type(school)  # Universe
reveal_type(sl.MEAN.of("pay").by("team"))  # Query
found = sl.global_sensitivity(sl.MEAN, school, size=2, relation=one)
reveal_type(sl.audit(max, 1, school, sizes=2, relations=one))  # Audit
reveal_type(sl.closed_form(sl.MEAN, bounds=(0, 1), size=2, relation=one).value)  # Fraction | float
sl.global_sensitivity(max, school, size=2, relation=one, method="sweeep")  # refused
sl.local_sensitivity(max, [1, 2], school, relation=one, method="sweep")  # refused
sl.audit(max, 1, school, sizes=2, relations=one, method="search", order="no")  # refused
sl.audit(max, 1, school, sizes=2, relations=one, method="search", order="any")
sl.global_sensitivity(max, school, size=2.5, relation=one)  # refused
sl.global_sensitivity(max, school, size=2, relation=1)  # refused
sl.global_sensitivity(sl.MEAN.by("team"), school, size={"a": 2, "b": 0}, relation=one)  # refused
sl.Change("1")  # refused
sl.MEAN.clip(0, 1)  # refused
sl.global_sensitivity(max, school, size=2, relation=one, norm=math.inf)
sl.closed_form(sl.MEAN, bounds=(0, 1), size=2, relation=one, norm=2)
reveal_type(found.norm)  # float
reveal_type(found.witness)  # CompactWitness
reveal_type(sl.smooth_sensitivity(sl.MEDIAN, [1], bounds=(0, 1), beta=1).value)  # float
reveal_type(sl.sensitivity_at_distance(sl.MEDIAN, [1], bounds=(0, 1), distance=1))  # Fraction
"""


def by_mypy(file):
    """What mypy says of each line, by the options of `make lint`."""
    kept = ["--config-file", f"{ROOT}/pyproject.toml", "--cache-dir", f"{ROOT}/.mypy_cache"]
    told, _, _ = mypy.run([*kept, "--python-executable", sys.executable, str(file)])
    return re.findall(r"asked\.py:(\d+): (.*)", told)


def test_a_checker_reads_what_is_written_here(tmp_path, monkeypatch):
    """Catches a name that is Any to a checker, and a method that takes any text."""
    file = tmp_path / "asked.py"
    file.write_text(ASKED, encoding="utf-8")
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    by_line = {int(n): text for n, text in by_mypy(file)}
    for number, line in enumerate(ASKED.splitlines(), 1):
        _, _, wanted = line.partition("  # ")
        said = by_line.get(number, "")
        assert ("error: " in said) == (wanted == "refused"), line
        if wanted not in ("", "refused"):
            assert re.search(rf"Revealed type is .*\b{re.escape(wanted)}\b", said), line
