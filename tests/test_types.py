"""What a type checker tells who writes a call: the words a parameter takes, and what comes back."""

import re
import sys

import pytest
from conftest import ROOT

mypy = pytest.importorskip("mypy.api")

ASKED = """
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
"""


def test_a_checker_reads_what_is_written_here(tmp_path, monkeypatch):
    """Catches a name that is Any to a checker, and a method that takes any text."""
    file = tmp_path / "asked.py"
    file.write_text(ASKED, encoding="utf-8")
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    options = [
        "--follow-imports=silent",
        "--cache-dir",
        str(ROOT / ".mypy_cache"),
        "--config-file=",
    ]
    told, _, _ = mypy.run([*options, "--python-executable", sys.executable, str(file)])
    by_line = {int(n): text for n, text in re.findall(r"asked\.py:(\d+): (.*)", told)}
    for number, line in enumerate(ASKED.splitlines(), 1):
        _, _, wanted = line.partition("  # ")
        if wanted == "refused":
            assert "error: " in by_line[number], line
        elif wanted:
            assert re.search(rf'note: Revealed type is "[\w.]*\b{wanted}"', by_line[number]), line
        else:
            assert "error" not in by_line.get(number, ""), line
