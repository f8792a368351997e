"""The pytest plugin: a section in a failure, a time budget, a report; each in a run of its own."""

import json
import re
import subprocess
import sys

import pandas  # noqa: F401  # a run in this process forgets what it was the first to import
import pytest
import sensitivity_beyond.audit.audit
import sensitivity_beyond.testing  # noqa: F401
from conftest import turn

pytest_plugins = ["pytester"]

HEAD = """
    import time
    import pytest
    import sensitivity_lab as sl
    from sensitivity_beyond.testing import assert_sensitivity

    BITS = sl.Universe.value_range([0, 2])
    ONE = [sl.Change(1)]
    FEW = dict(sizes=[1, 2], relations=[sl.AddRemove(1)])

    def total(dataset):
        return sum(dataset)

    def slow(dataset):
        time.sleep(0.03)
        return sum(dataset)

    def plain_mean(dataset):
        return sum(dataset) / len(dataset)
"""
A_FUNCTION = "assert_sensitivity(total, 1, BITS, sizes=[1, 2], relations=ONE)"
HOLDS = "    def test_holds(): pass"


@pytest.fixture
def run(pytester):
    """Runs a test module with the plugin, which pytest finds by its entry point."""

    def of(body, *options):
        pytester.makepyfile(HEAD + body)
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", "--strict-markers", *options)

    return of


@pytest.fixture
def audits(pytester):
    """Reads the report that a run has written."""
    path = pytester.path / "audits.json"
    return lambda: json.loads(path.read_text(encoding="utf-8"))


def failures_of(shown):
    """What a run says of each test that failed, by its name."""
    text = shown.stdout.str().split("short test summary")[0].split("= FAILURES =")[1]
    assert "sensitivity_lab/" not in text  # no frame of ours
    parts = re.split(r"\n_{3,} (\S+) _{3,}\n", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_pytest_starts_without_the_package():
    """Catches a plugin that makes every run of pytest wait for numpy, ours or not."""
    code = "import sys, sensitivity_lab_pytest; print(sorted(sys.modules))"
    asked = [sys.executable, "-c", code]
    loaded = subprocess.run(asked, capture_output=True, check=True, text=True, encoding="utf-8")
    assert "'sensitivity_lab_pytest'" in loaded.stdout
    assert not any(f"'{name}'" in loaded.stdout for name in ("numpy", "pandas", "sensitivity_lab"))


def test_a_failure_is_short_and_has_a_section(run):
    """Catches a report without what reproduces it, one that says all twice, and frames of ours."""
    shown = run("""
    class Reader:
        def total(self, dataset):
            return sum(dataset)

    def test_method():
        assert_sensitivity(Reader().total, 1, BITS, sizes=[1, 2], relations=ONE)

    def test_audit():
        sl.audit(total, 1, BITS, sizes=[1, 2], relations=ONE).raise_if_too_small()

    def test_table():
        staff = sl.Universe.product(team=["a", "b"], pay=[0, 3])
        assert_sensitivity(lambda t: t["pay"].sum(), 1, staff, sizes=2, relations=ONE)

    def test_broken():
        def broken(dataset):
            raise KeyError("no such column")
        assert_sensitivity(broken, 1, BITS, sizes=1, relations=ONE)
    """)
    failures = failures_of(shown)
    broken, table = failures.pop("test_broken"), failures.pop("test_table")
    assert 'raise KeyError("no such column")' in broken
    assert "query broken failed on dataset (0,)" in broken
    assert "E         +  a       3" in table
    assert "neighbour = pd.DataFrame({'team': ['a', 'a'], 'pay': [0, 3]})" in table
    assert len(failures) == 2
    for text in failures.values():
        message, section = text.split("- sensitivity -")
        assert "Change(1), size 1: too small by ×2, claimed 1, exact 2" in message
        assert re.search(r"E +\(0\) → 0\n.*E +\(2\) → 2\n", message)
        assert "dataset = (0,)" not in message
        assert "Held against all pairs from Universe.value_range([0, 2]), sizes 1 to 2" in section
        assert "\ndataset = (0,)\nneighbour = (2,)\nprint(" in section


def test_without_sections_the_message_says_all(run):
    """Catches a run with --show-capture=no that shows the snippet nowhere."""
    shown = run(f"    def test_claim():\n        {A_FUNCTION}", "--show-capture=no").stdout.str()
    assert "- sensitivity -" not in shown
    assert "E       dataset = (0,)" in shown


@turn(0, 2)
def test_a_budget_that_runs_out_says_what_was_held(run):
    """Catches a test that hangs, or begins the time anew at each assertion."""
    shown = run("""
    def stuck(dataset):
        for _ in range(60):
            try:
                time.sleep(1)
            except Exception:
                pass

    @pytest.mark.sensitivity(budget=4)
    def test_many_sizes():
        assert_sensitivity(slow, 2, BITS, sizes=range(1, 1000), relations=ONE)

    @pytest.mark.sensitivity(budget=0.2)
    def test_never_returns():
        assert_sensitivity(stuck, 2, BITS, sizes=3, relations=ONE)

    @pytest.mark.sensitivity(budget=0.3)
    def test_whole():
        assert_sensitivity(total, 2, BITS, sizes=1, relations=ONE)
        time.sleep(0.4)
        assert_sensitivity(total, 2, BITS, sizes=1, relations=ONE)
    """)
    shown.stdout.re_match_lines(
        [
            r"E +TimeoutError: budget of 4 s ran out after sizes? 1.*; "
            "what was held so far: slow, exact",
            r"-+ sensitivity -+",
            r"slow: exact \(rows: \d+ exact\)",
            ".*budget of 0.2 s ran out in the smallest size; nothing was held",
            ".*budget of 0.3 s ran out in the smallest size",
        ]
    )
    shown.assert_outcomes(failed=3)


def test_a_budget_that_is_enough_changes_nothing(run):
    """Catches sizes asked one by one that make another audit."""
    shown = run("""
    pytestmark = pytest.mark.sensitivity(budget=600)

    @pytest.mark.parametrize(
        "which",
        [{"sizes": [3, 1, 2]}, {"sizes_within": range(4)}, {"sizes_within": range(1, 4, 2)}],
    )
    def test_claim(which):
        relations = [sl.AddRemove(2), sl.Change(1), sl.Change(2)]
        asked = total, lambda k: 2 * k, BITS
        held = assert_sensitivity(*asked, **which, relations=relations)
        whole = sl.audit(*asked, **which, relations=relations)
        one, other = ({row for row in each.rows if not row.note} for each in (held, whole))
        assert one == other
        assert (held.headline, held.check()) == (whole.headline, True)
        assert held.scope.split(";")[0] == whole.scope.split(";")[0]

    def test_the_smallest_size_fails_first():
        with pytest.raises(AssertionError, match="size 1: too small"):
            assert_sensitivity(total, 1, BITS, sizes=[1, 5000], relations=ONE)

    def test_nothing_is_feasible():
        with pytest.raises(sl.Infeasible):
            assert_sensitivity(max, 1, BITS, sizes=1, relations=[sl.Remove(1)])
    """)
    shown.assert_outcomes(passed=5)


def test_a_direction_that_was_not_asked_fails_a_test(run, audits):
    """Catches a claim that passes a gate, its neighbour without records never asked about."""
    body = """
    def asserted(claim=5, **options):
        assert_sensitivity(plain_mean, claim, BITS, **FEW, **options)

    def audited(**options):
        sl.audit(plain_mean, 5, BITS, **FEW).raise_if_too_small(**options)

    def test_asserted():
        asserted()

    def test_audited():
        audited()

    def test_allowed():
        asserted(allow_not_asked=True)
        audited(allow_not_asked=True)

    @pytest.mark.sensitivity(allow_not_asked=True)
    def test_marked():
        asserted()
        audited()

    @pytest.mark.sensitivity(60)
    def test_timed():
        asserted()

    @pytest.mark.sensitivity(60, allow_not_asked=True)
    def test_too_small():
        asserted(0)
    """
    shown = run(body, "--sensitivity-report=audits.json")
    shown.assert_outcomes(passed=2, failed=4)
    for words in (
        "remove 1: leaves 0 records, where plain_mean raised ZeroDivisionError",
        "Make plain_mean answer on the empty dataset, or ask larger sizes",
        "allow_not_asked=True",
    ):
        assert words in shown.stdout.str()
    held = [audit for audit in audits() if "too_small" not in audit["test"]]
    assert len(held) == 7
    for audit in held:
        assert audit["headline"] == "held where asked; the empty dataset was not asked"
        assert [row["verdict"] for row in audit["rows"]] == ["held where asked", "loose"]
        assert [len(row["not_asked"]) for row in audit["rows"]] == [1, 0]


def test_a_marker_that_says_no_seconds_fails_its_test(run):
    """Catches a budget that is never kept because it was misspelt."""
    wrong = ["budget=-1", "", "'soon'", "seconds=3", "1, 2", "budget=True", "allow_not_asked=1"]
    wrong += ["0, allow_not_asked=True", "1, budget=1"]
    marked = "    @pytest.mark.sensitivity({})\n    def test_{}(): pass\n"
    shown = run("\n" + "".join(marked.format(each, i) for i, each in enumerate(wrong)))
    shown.assert_outcomes(failed=len(wrong))
    told = "sensitivity(budget) must be a number of seconds above 0"
    assert len(re.findall(f"(?m)^{re.escape(told)}", shown.stdout.str())) == len(wrong)


@pytest.mark.parametrize("worker", [False, True])
def test_a_report_has_every_audit(run, audits, monkeypatch, worker):
    """Catches an audit that is written nowhere, a test without one that is, a worker's lost."""
    options = []
    if worker:
        pytest.importorskip("xdist")
        # the worker starts in half the time
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        options = ["-n1", "-p", "xdist.plugin", "-p", "sensitivity_lab_pytest"]
    body = f"""
    def test_holds():
        assert_sensitivity(total, 2, BITS, sizes=1, relations=ONE)
        sl.audit(total, 3, BITS, sizes=1, relations=ONE).raise_if_too_small()

    def test_fails():
        {A_FUNCTION}

    def test_asks_nothing():
        pass
    """
    shown = run(body, "--sensitivity-report=audits.json", *options)
    shown.assert_outcomes(passed=2, failed=1)
    found = [(each["test"].split("::")[1], each["outcome"], each["headline"]) for each in audits()]
    assert [one[1:] for one in found[:2]] == [("passed", "exact"), ("passed", "loose by ×1.5")]
    assert found[2:] == [("test_fails", "failed", "too small by ×2")]
    row = audits()[2]["rows"][0]
    assert (row["dataset"], row["neighbour"], row["found"]) == ([0], [2], 2)


@pytest.mark.parametrize("path", ["missing/audits.json", ".", "/dev/null"])
def test_a_report_that_cannot_be_written_is_refused_at_the_start(run, path):
    """Catches an internal error after the whole run."""
    shown = run(HOLDS, f"--sensitivity-report={path}")
    assert shown.ret == pytest.ExitCode.USAGE_ERROR
    shown.stderr.fnmatch_lines([f"*--sensitivity-report must name a file in a folder*got {path}"])
