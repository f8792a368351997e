"""Runs: one that is interrupted, and what a result must not depend on."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import said, turn
from sensitivity_beyond.audit.worst_pairs import worst_pairs
from sensitivity_beyond.testing import assert_sensitivity

import sensitivity_lab as sl

NUMBERS = sl.Universe.value_range([0, 1, 2])
PAY = sl.Universe.product(pay=[0, 1, 2])


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
    "threads": lambda f, u: sl.global_sensitivity(f, u, **ONE, executor=ThreadPoolExecutor(2)),
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
    """Catches an answer, a text or a picture in the order of a set, or in a locale's digits."""
    one, other = (said(RESULTS, **machine, MPLBACKEND="agg") for machine in MACHINES)
    assert len(one[0].splitlines()) == 12, one[1]
    assert one[0] == other[0]
