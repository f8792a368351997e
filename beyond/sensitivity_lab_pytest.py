"""Pytest's side of `sensitivity_beyond.testing`: a section in a failure, a time budget, a report.

It stands beside the package, as Hypothesis's plugin does: pytest imports it at every start, and
here nothing of numpy or of the package is imported before a test asks for it.
"""

from __future__ import annotations

import json
import math
import os
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
        "sensitivity(budget, allow_not_asked=False): seconds for the audits of a test, if they are "
        "limited: assert_sensitivity then asks the sizes one after the other, and says which were "
        "held when they run out; and whether an audit may leave the empty dataset out",
    )
    path = config.getoption("--sensitivity-report")
    if path and not hasattr(config, "workerinput"):
        file = Path(path).resolve()
        is_one = file.parent.is_dir() and (file.is_file() or not file.exists())
        if not (is_one and os.access(file.parent, os.W_OK)):
            raise pytest.UsageError(
                "--sensitivity-report must name a file in a folder that is there and can be "
                f"written to, got {path}"
            )
        config.pluginmanager.register(Reporter(file), "sensitivity-reporter")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Give a marked test its budget, and keep what its audits found if that is to be written."""
    mark = item.get_closest_marker(SECTION)
    wanted = item.config.getoption("--sensitivity-report")
    if mark is None and not wanted:
        return (yield)
    from sensitivity_beyond.audit.runner import this_test

    with this_test(*(_marked(mark) if mark else ())) as run:
        try:
            return (yield)
        finally:
            if wanted:
                item.user_properties.extend((SECTION, audit.to_dict()) for audit in run.audits)


def _marked(mark: pytest.Mark) -> tuple[float | None, bool]:
    """A marker's budget, and what it allows; a test whose marker says anything else fails."""
    try:
        budget, allowed = _parameters(*mark.args, **mark.kwargs)
    except TypeError:
        budget, allowed = None, None
    timed = isinstance(budget, (int, float)) and not isinstance(budget, bool)
    is_said = 0 < budget < math.inf if timed else budget is None and bool(mark.kwargs)
    if is_said and isinstance(allowed, bool):
        return budget, allowed
    pytest.fail(
        "sensitivity(budget) must be a number of seconds above 0, or allow_not_asked True or "
        f"False, got {mark}",
        False,
    )


def _parameters(budget: Any = None, *, allow_not_asked: Any = False) -> tuple[Any, Any]:
    """What a marker may say."""
    return budget, allow_not_asked


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
        self.failure = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the audits of a test, with its name and outcome."""
        if report.when == "call":
            test = {"test": report.nodeid, "outcome": report.outcome}
            found = [value for name, value in report.user_properties if name == SECTION]
            self.audits += [{**test, **audit} for audit in found if isinstance(audit, dict)]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write them, aside first: a report that is there is whole."""
        text = json.dumps(self.audits, indent=1, ensure_ascii=False)
        aside = self.path.with_name(f"{self.path.name}.part")
        try:
            aside.write_text(text + "\n", encoding="utf-8")
            aside.replace(self.path)
        except OSError as error:
            aside.unlink(missing_ok=True)
            self.failure = f"--sensitivity-report was not written: {error}"
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say why there is no report."""
        if self.failure:
            terminalreporter.write_line(self.failure, red=True)
