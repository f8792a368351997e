"""Runs: one that is interrupted, what a result must not depend on, and what an import brings."""

import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import in_turn, turn

import sensitivity_lab as sl
from sensitivity_lab.audit.worst_pairs import worst_pairs
from sensitivity_lab.testing import assert_sensitivity

# --- a run that is interrupted -------------------------------------------------------------

LONG_RUN = """
import os, signal, sys, time
from concurrent.futures import ProcessPoolExecutor
import sensitivity_lab as sl

def slow(dataset):
    time.sleep(0.01)
    with open(sys.argv[1], "a", encoding="utf-8") as log:
        print(os.getpid(), file=log)
    return dataset[-1] - dataset[0]

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    universe = sl.Universe.population(range(13))
    with ProcessPoolExecutor(2) as pool:
        sl.global_sensitivity(slow, universe, size=6, relation=sl.Change(1), executor=pool)
"""
DATASETS_ASKED = math.comb(13, 6)
NUMBERS = sl.Universe.value_range([0, 1, 2])
PAY = sl.Universe.product(pay=[0, 1, 2])


def interrupted_pool(function, universe):
    with ThreadPoolExecutor(2) as pool:
        sl.global_sensitivity(function, universe, **ONE, executor=pool)


ONE, ADDED = {"size": 2, "relation": sl.Change(1)}, {"size": 1, "relation": sl.AddRemove(1)}
ROWS_OF = {"sizes": 2, "relations": [sl.Change(1)]}
ENTRANCES = {
    "sweep": lambda f, u: sl.global_sensitivity(f, u, **ONE),
    "walk": lambda f, u: sl.global_sensitivity(f, u, **ONE, method="walk"),
    "local": lambda f, u: sl.local_sensitivity(f, u.given((0, 1)), u, relation=sl.Change(1)),
    "audit": lambda f, u: sl.audit(f, 0, u, **ROWS_OF),
    "any order": lambda f, u: sl.audit(f, 0, u, **ROWS_OF, order="any"),
    "metric": lambda f, u: sl.audit(f, 0, u, **ROWS_OF, output_metric=lambda a, b: abs(a - b)),
    "search": lambda f, u: sl.audit(f, 0, u, **ROWS_OF, method="search", trials=20),
    "table": lambda f, u: sl.sweep([f], {"all": u}, size=2, relations=sl.Change(1)),
    "worst pairs": lambda f, u: list(worst_pairs(f, u, **ONE)),
    "test": lambda f, u: assert_sensitivity(f, 9, u, **ROWS_OF),
    "threads": interrupted_pool,
    "nobody": lambda f, u: sl.global_sensitivity(f, u, **ADDED),
}


@pytest.mark.parametrize("asked", ENTRANCES.values(), ids=ENTRANCES)
@pytest.mark.parametrize("universe", [NUMBERS, PAY], ids=["numbers", "rows"])
def test_an_interrupt_ends_every_call(asked, universe):
    """Catches Ctrl-C taken for a function that fails, or that has no value on the empty dataset."""

    def interrupted(dataset):
        raise KeyboardInterrupt

    def interrupted_later(dataset):
        if len(dataset) == 0 or np.max(np.asarray(dataset)) > 1:
            raise KeyboardInterrupt
        return len(dataset)

    for function in (interrupted, interrupted_later):
        with pytest.raises(KeyboardInterrupt):
            asked(function, universe)


def test_an_interrupt_ends_what_asks_no_function_of_a_dataset():
    """Catches Ctrl-C taken for a bad record, claim, metric or answer."""

    def interrupted(*_):
        raise KeyboardInterrupt

    class Answer(float):
        __add__ = __sub__ = __rsub__ = __float__ = __eq__ = __hash__ = interrupted

    for asked in (
        lambda: sl.smooth_sensitivity(sl.MEDIAN, map(interrupted, [1]), bounds=(0, 1), beta=1),
        lambda: sl.global_sensitivity(sl.SUM.of(interrupted), NUMBERS, **ONE),
        lambda: sl.global_sensitivity(sl.COUNT.by(interrupted), NUMBERS, **ONE),
        lambda: sl.audit(sl.SUM, lambda k: interrupted(), NUMBERS, **ROWS_OF),
        lambda: sl.audit(sl.SUM, 1, NUMBERS, **ROWS_OF, output_metric=interrupted),
        lambda: sl.global_sensitivity(lambda x: Answer(1), NUMBERS, **ONE),
    ):
        with pytest.raises(KeyboardInterrupt):
            asked()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("send", in_turn([os.kill, getattr(os, "killpg", None)]))
def test_an_interrupted_run_leaves_no_process(tmp_path, send):
    """Catches workers that go on, or wait for ever, after Ctrl-C or a notebook's stop button."""
    psutil = pytest.importorskip("psutil")
    script, log = tmp_path / "long_run.py", tmp_path / "log"
    script.write_text(LONG_RUN, encoding="utf-8")
    own = {"stderr": subprocess.PIPE, "encoding": "utf-8", "start_new_session": True}
    run = subprocess.Popen([sys.executable, script, log], **own)
    log.touch()
    while len(set(log.read_bytes().split()) - {b"%d" % run.pid}) < 2:  # until both are at it
        assert run.poll() is None, run.stderr.read()
        time.sleep(0.01)
    children = psutil.Process(run.pid).children(recursive=True)
    send(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert run.returncode != 0
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not [child for child in alive if child.status() != psutil.STATUS_ZOMBIE]
    assert len(log.read_bytes().split()) < DATASETS_ASKED  # blocks that had not begun were dropped


# --- what a result must not depend on ------------------------------------------------------


def said(script, **environment):
    """What a process of its own prints, and its errors."""
    told = {"encoding": "utf-8", "capture_output": True, "timeout": 120}
    done = subprocess.run([sys.executable, "-c", script], env=os.environ | environment, **told)
    return done.stdout, done.stderr


RESULTS = """
import hashlib, io, locale
import matplotlib
import sensitivity_lab as sl

matplotlib.rcParams["svg.hashsalt"] = "one"
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass  # not installed here
known = sl.Universe.population([1, 2.5, 2, 7, 9, 9], name="days")
free = sl.Universe.value_range({0.5, 3, 8})
relations = [sl.Change(1), sl.SymmetricDifference(2), sl.AddRemove(1)]
queries = [sl.MEAN, sl.MEDIAN, sl.STD, sl.count_distinct, sl.histogram([0, 2, 9]), max]
table = sl.compare(queries[:4], {"a": known, "b": free}, size=3, relations=relations)
print(ascii(table.to_csv()))
for query in queries:
    print(ascii(repr(sl.global_sensitivity(query, known, size=3, relation=relations[1]))))
print(ascii(str(sl.audit(max, 1, free, sizes=[2, 3], relations=relations))))
print(ascii(str(sl.audit(max, 1, known, sizes=3, relations=relations, method="search", trials=99))))
print(sl.smooth_sensitivity(sl.MEDIAN, (1, 2, 9), bounds=(0, 10), beta=3))
print(sl.local_sensitivity(sl.STD, (1, 2), known, relation=relations[0]))
picture = io.BytesIO()
sl.plot_sweep(table, column="a").savefig(picture, format="svg", metadata={"Date": None})
print(hashlib.sha256(picture.getvalue()).hexdigest())
"""
MACHINES = [
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "99", "LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Kiritimati"},
]


@turn(1, 3)
def test_results_do_not_depend_on_hash_seed_locale_or_time_zone():
    """Catches an answer, a text or a picture made in the order of a set,
    or in a locale's digits."""
    one, other = (said(RESULTS, **machine, MPLBACKEND="agg") for machine in MACHINES)
    assert len(one[0].splitlines()) == 12, one[1]
    assert one[0] == other[0]


# --- what an import brings -----------------------------------------------------------------

HEAVY = {"matplotlib", "ipywidgets", "scipy", "IPython", "opendp", "dask", "distributed", "tqdm"}


def test_importing_the_package_loads_no_heavy_module():
    """Catches an import at the top of a module that only a picture, a bar or the book needs."""
    ask = (
        "; sl.global_sensitivity(sl.SUM, sl.Universe.value_range([0, 1]), size=2, "
        "relation=sl.Change(1))"
    )
    for then, late in (("", HEAVY | {"numpy", "pandas"}), (ask, HEAVY | {"pandas"})):
        script = f"import sys, sensitivity_lab as sl{then}; print(*sys.modules)"
        loaded = {name.split(".")[0] for name in said(script)[0].split()}
        assert ("numpy" in loaded) == bool(then)
        assert not late & loaded


def test_a_picture_without_matplotlib_says_what_to_install():
    """Catches a light installation that fails at import, or with a bare error."""
    _, error = said(
        "import sys; sys.modules['matplotlib'] = None; import sensitivity_lab as sl; sl.plot_sweep"
    )
    needed = "ImportError: plot_sweep needs matplotlib: install 'sensitivity-lab[plot]'"
    assert error.splitlines()[-1] == needed
