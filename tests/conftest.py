"""What several test modules ask about, where the project is, the one browser and the one server.

There is no second `conftest.py`, so `from conftest import STANDARD` means this
file from any folder.
"""

import importlib
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random

import hypothesis
import pytest
import tqdm.auto  # noqa: F401  chooses once how it shows progress: before a test makes a notebook of its process

# `CORE_ALONE=1 pytest tests/core` asks the core as if nothing beyond it were installed.
if "CORE_ALONE" in os.environ:
    sys.modules["sensitivity_beyond"] = None  # type: ignore[assignment]

import sensitivity_lab as sl

hypothesis.settings.register_profile("busy", deadline=None)  # no test fails on a busy machine
hypothesis.settings.load_profile("busy")

ROOT = Path(__file__).resolve().parents[1]
PUBLIC = sorted({*sl._ROOM, *sl._BEYOND})  # all that sl.NAME finds; dir(sl) shows what most need
HTML = ROOT / "_build" / "html"
SCREENSHOTS = ROOT / "_build" / "screenshots"  # pictures of the book's pages

# What takes long runs with CHECK_ALL=1, as in `make check-all`. Else one part of it runs, in turn
# with the commit (of the board all of it, where a change touches the board). SEED=… repeats what a
# commit drew.
CHECK_ALL = "CHECK_ALL" in os.environ


def git(*asked: str) -> str:
    """What git says; nothing where there is no git, or no such commit."""
    try:
        done = subprocess.run(["git", *asked], cwd=ROOT, capture_output=True, encoding="utf-8")
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


SEED = int(os.environ.get("SEED") or int(git("rev-parse", "HEAD")[:6] or "0", 16))


def drawn(options: list, of: int) -> list:
    """One in so many of these; lists of other lengths draw for themselves."""
    return options if CHECK_ALL else options[Random(f"{SEED} {len(options)}").randrange(of) :: of]


def in_turn(options: list) -> list:
    """One of these, another at the next commit; all of them in `make check-all`."""
    return drawn(options, len(options))


def a_third(options: list) -> list:
    """Every third of these, others at the next commit; all of them in `make check-all`."""
    return drawn(options, 3)


def turn(mine: int, of: int) -> pytest.MarkDecorator:
    """What takes long and is one of so many: asked in its turn, and always in `make check-all`."""
    later = not CHECK_ALL and SEED % of != mine
    return pytest.mark.skipif(later, reason="takes long: in turn with the commit")


def seeds(count: int) -> range:
    """So many seeds for random cases, others at the next commit; a test's name shows its own."""
    return range(SEED * 1000, SEED * 1000 + count)


# The coverage of the package is measured where it costs least: in a few cases of each test, over
# all that it has, since to measure slows them down and more cases cover no more. Not in files that
# take long and reach no line that the others do not, as found by `pytest --cov-context=test`.
COVERED, EACH = 3, ["test_people_vectors.py"]  # whose cases reach a part of a search each
UNCOVERED = [
    ROOT / place
    for place in (
        "book", "tests/board", "tests/book", "tests/course",
        "tests/core/misuse", "tests/core/test_properties.py", "tests/core/proved/test_formulas.py",
        "tests/core/methods/test_workers.py", "tests/test_recipes.py", "tests/test_types.py",
        "tests/beyond/test_faults.py", "tests/beyond/test_laws.py", "tests/beyond/test_runs.py",
        "tests/beyond/test_ways_out.py",
        "tests/beyond/proofs/test_solvers.py", "tests/beyond/tables/test_order.py",
        "tests/beyond/tables/test_row_values.py", "tests/beyond/sql/test_sql_fuzz.py",
        "tests/beyond/sql/test_sql_session.py", "tests/beyond/testing/test_conformance.py",
    )
]  # fmt: skip

# And single tests that take seconds: without them some sixty of 18,750 steps are reached no more.
UNCOVERED_ALONE = """
a_column_of_names_is_counted a_figure_leaves_nothing_behind_and_is_always_the_same_file
a_first_guess_is_answered_as_it_was_meant a_function_that_changes_its_table_changes_no_answer
a_long_dataset_of_people_is_solved a_number_that_may_name_a_group_is_what_is_said
a_predicate_of_one_bin_has_no_table a_search_never_passes_enumeration a_search_reaches_the_solver
a_setting_shows_its_sensitivity_and_its_pair a_sweep_of_extremes
an_internal_error_of_duckdb_closes_no_database_of_the_callers
at_least_m_records_are_decided_by_the_shares_with_the_fewest datasets_of_every_size_can_be_drawn
each_dataset_is_answered_once every_claim_has_one_card_with_an_address_of_its_own
every_distance_is_that_of_the_definition every_result_is_plain_and_whole
every_split_of_every_small_population long_datasets_of_few_kinds_go_to_the_solver
many_datasets_are_answered_in_order matrix_mechanisms_by_the_definition
pairs_are_all_neighbours_and_all_neighbours_are_pairs picture_of_a_vector_witness
picture_of_two_columns_with_formulas_and_published_numbers
rows_people_and_several_sizes_are_searched the_cursor_goes_with_k_and_the_pick
the_empty_dataset_is_asked_about the_fast_search_equals_all_pairs the_other_ways_to_ask_agree
universes_are_equal_only_where_functions_receive_the_same
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases that do not count for the coverage of the package."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        name = getattr(cases[0], "originalname", "")
        last = len(cases) - 1
        covered = {i * last // (COVERED - 1) for i in range(COVERED)}
        alone = name.removeprefix("test_") in UNCOVERED_ALONE.split()
        if alone or any(cases[0].path.is_relative_to(place) for place in UNCOVERED):
            covered = set()
        covered |= set(range(len(cases)) if cases[0].path.name in EACH else ())
        for i, case in enumerate(cases):
            if i not in covered:
                case.add_marker("no_cover")


def pytest_report_header() -> str:
    return f"SEED={SEED}, {'all that takes long' if CHECK_ALL else 'what takes long in turn'}"


# The five whose formulas and solvers are proved; and every relation that the package has.
STANDARD = [sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change]
RELATIONS = [*STANDARD]
METHODS = ["auto", "walk", "sweep"]

MONOTONE = [
    sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.quantile(0.25), sl.quantile(0.9),
    sl.quantile(Fraction(1, 3)), sl.MIN, sl.MAX,
]  # fmt: skip
SPREADS = [sl.VARIANCE, sl.STD, sl.variance(ddof=1), sl.std(ddof=1)]
# Those of which `oracle.QUERIES` has a brute force, by name.
QUERIES = {query.name: query for query in (
    sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.quantile(0.25), sl.quantile(0.9), sl.VARIANCE,
    sl.variance(ddof=1), sl.STD, sl.std(ddof=1), sl.MIN, sl.MAX, sl.count_distinct,
)}  # fmt: skip

QUERY_TEXTS = [
    "COUNT", "SUM", "MEAN", "MEDIAN", "MIN", "MAX", "VARIANCE", "STD", "count_distinct",
    "quantile(0.25)", "quantile(Fraction(1, 3))", "variance(ddof=1)", "std(ddof=1)",
    "histogram([0, 5])", "histogram([0.1, Fraction(1, 3), 10])", "count_where(bool)", "RANGE",
]  # fmt: skip


def query_of(text):
    """The query that a text makes: the same, of other numbers, where it is a decimal's."""
    text = text.replace("0.1,", "Decimal('0.1'),")
    return eval(f"sl.{text}", {"sl": sl, "Fraction": Fraction, "Decimal": Decimal})


SCHOOL = sl.Universe.population([1, 2, 3, 10])
ABSENCES = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20], name="absence_days")


def intervals(query):
    """Two lengths tell R from its powers; the sum alone asks on which side of 0 they lie."""
    return [(-2, 3), (1, 3), *([(-3, -1)] if query is sl.SUM else [])]


def refused(error, *words):
    """A context in which `error` must be raised with every one of the words in its text."""
    everything = "".join(f"(?=.*{re.escape(word)})" for word in words)
    return pytest.raises(error, match=f"(?s){everything}")


@pytest.fixture
def extension(monkeypatch):
    """Imports a module of the book's Sphinx extensions."""
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    return importlib.import_module


def nested(depth):
    """A list in a list in a list, deeper than Python writes."""
    found = []
    for _ in range(depth):
        found = [found]
    return found


class Euro(float):
    """A float that prints no digits of its own."""

    def __str__(self):
        return f"{float(self):.0f} €"

    __repr__ = __str__


class Rude:
    """Fails, in an error of its own, at whatever it is asked, even for its name."""

    def __getattr__(self, name):
        raise ZeroDivisionError(name)

    def _fail(self, *_):
        raise KeyError("mine")

    __repr__ = __str__ = __iter__ = __len__ = __bool__ = __eq__ = _fail
    __lt__ = __float__ = __index__ = _fail
    __hash__ = object.__hash__


def needed(found, missing):
    """What was found; without it a reader's run is skipped, and a CI run fails."""
    if not found:
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    return found


# Debian's Chromium is driven by Playwright.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def browser():
    """A running browser."""
    names = ("chromium", "chromium-browser", "google-chrome")
    missing = "no Chromium found: the book was not looked at in a browser"
    path = needed(next(filter(None, map(shutil.which, names)), None), missing)
    from playwright.sync_api import sync_playwright  # only these tests need it

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


OPTIONS = "-c listen_addresses='' -c fsync=off -c max_connections=10 -c unix_socket_directories="


def programs() -> Path | None:
    """The folder of the server's programs: on the path, or where Debian keeps the newest."""
    known = shutil.which("initdb")
    if known:
        return Path(known).parent
    kept = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return kept[-1].parent if kept else None


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server of our own on a socket; each worker of pytest-xdist has another."""
    missing = "no PostgreSQL server found: its answers were not held to the others"
    bin_ = needed(programs(), missing)
    with tempfile.TemporaryDirectory(prefix="pg") as folder, tempfile.TemporaryFile("w+") as log:
        who = {}
        if os.geteuid() == 0:  # the server refuses root
            who = {"user": "postgres", "group": "postgres", "extra_groups": [], "cwd": "/"}
            shutil.chown(folder, "postgres", "postgres")

        def run(program: str, *options: str) -> None:
            told = {"stdout": log, "stderr": subprocess.STDOUT}
            done = subprocess.run([bin_ / program, "-D", f"{folder}/data", *options], **who, **told)
            log.seek(0)
            assert done.returncode == 0, log.read()

        run("initdb", "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        run("pg_ctl", "-w", "-o", f"{OPTIONS}{folder}", "-l", f"{folder}/log", "start")
        try:
            yield f"host={folder} user=tester dbname=postgres"
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")


def smallest_size(answer):
    """The smallest size that a plain function answers: 0, or 1 where nothing is too little."""
    try:
        found = answer(())
        numbers = found if isinstance(found, tuple) else (found,)
        return 0 if all(math.isfinite(n) for n in numbers) else 1
    except Exception:
        return 1


def said(script, **environment):
    """What a process of its own prints, and its errors."""
    told = {"encoding": "utf-8", "capture_output": True, "timeout": 120}
    done = subprocess.run([sys.executable, "-c", script], env=os.environ | environment, **told)
    return done.stdout, done.stderr
