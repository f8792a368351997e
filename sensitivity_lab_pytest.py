"""Pytest's side of `sensitivity_lab.testing`: a section in a failure, a time budget, a report.

It stands beside the package, as Hypothesis's plugin does: pytest imports it at every start, and
here nothing of numpy or of the package is imported before a test asks for it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

SECTION = "sensitivity"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--sensitivity-report=FILE`."""
    parser.getgroup(SECTION).addoption(
        "--sensitivity-report",
        metavar="FILE",
        help="write every audit that assert_sensitivity and raise_if_too_small judged, as JSON",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and what writes the report; workers of pytest-xdist write none."""
    config.addinivalue_line(
        "markers",
        "sensitivity(budget): seconds for the audits of a test; assert_sensitivity asks the "
        "sizes one after the other, and says which were held when they run out",
    )
    path = config.getoption("--sensitivity-report")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reporter(Path(path)), "sensitivity-reporter")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Give a marked test its budget, and keep what its audits found if that is to be written."""
    mark = item.get_closest_marker(SECTION)
    wanted = item.config.getoption("--sensitivity-report")
    if mark is None and not wanted:
        return (yield)
    from sensitivity_lab.audit.runner import as_plain, this_test

    with this_test(None if mark is None else _seconds(mark)) as run:
        try:
            return (yield)
        finally:
            if wanted:
                audits = [as_plain(audit) for audit in run.audits]
                item.user_properties.extend((SECTION, audit) for audit in audits)


def _seconds(mark: pytest.Mark) -> float:
    """The budget of a marker; a test whose marker has no other than such a number fails."""
    given = [*mark.args, *mark.kwargs.values()]
    budget = given[0] if len(given) == 1 and not mark.kwargs.keys() - {"budget"} else None
    if isinstance(budget, (int, float)) and not isinstance(budget, bool) and 0 < budget < math.inf:
        return float(budget)
    pytest.fail(f"sensitivity(budget) must be a number of seconds above 0, got {mark}", False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Move the audit of a failure from its message to a section that can be copied."""
    failure = call.excinfo.value if call.excinfo else None
    texts = getattr(failure, SECTION, None)
    if failure is None or not texts:
        return (yield)
    short, long = texts
    if item.config.getoption("showcapture", "all") == "all":  # else no section is shown
        failure.args = (short,)
    report = yield
    report.sections.append((SECTION, long))
    return report


class Reporter:
    """Writes the audits of all tests, here or on workers, when the run is over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.audits: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the audits of a test, with its name and outcome."""
        if report.when == "call":
            test = {"test": report.nodeid, "outcome": report.outcome}
            found = [value for name, value in report.user_properties if name == SECTION]
            self.audits += [{**test, **audit} for audit in found if isinstance(audit, dict)]

    def pytest_sessionfinish(self) -> None:
        """Write them."""
        text = json.dumps(self.audits, indent=1, ensure_ascii=False, default=str)
        self.path.write_text(text + "\n", encoding="utf-8")
