"""Ten small mechanisms, and fifty faults planted in them: what a developer's own test is, and finds.

Each mechanism has one test, which `Test.held` writes: `assert_sensitivity` with its default options,
on the few values and sizes that its developer would think of. A fault changes the function, or what
is claimed of it. It is found if the same test, line by line, then fails. For a fault that it does not
find there is a reason, and the question that does find it.
"""

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from statistics import median
from typing import Any

import numpy as np

import sensitivity_lab as sl
from sensitivity_lab.testing import assert_sensitivity


@dataclass(frozen=True)
class Test:
    """A mechanism as its developer tests it."""

    __test__ = False  # pytest: not a class of tests

    function: Callable[[], Callable[[Any], Any]]  # makes it anew: a faulty one may remember
    claim: Any
    question: dict[str, Any]

    def held(self, **question: Any) -> Any:
        """Hold the claim; `question` is what is asked otherwise."""
        return assert_sensitivity(self.function(), self.claim, **(self.question | question))


@dataclass(frozen=True)
class Fault:
    """A fault in one of the mechanisms; if the test does not find it, why, and what does."""

    mechanism: str
    name: str
    change: dict[str, Any]
    missed: str = ""
    found_by: dict[str, Any] = field(default_factory=dict)

    @property
    def test(self) -> Test:
        """The mechanism's test, of the faulty mechanism."""
        sound, change = MECHANISMS[self.mechanism], dict(self.change)
        return replace(sound, question=sound.question | change.pop("question", {}), **change)


# --- the mechanisms, each with the parameters in which it may be wrong ---------------------------

R = 10  # records lie between 0 and R


def clipped(x, low=0, high=R):
    return min(max(x, low), high)


def bounded_sum(x, high=R, extra=lambda x: 0):
    return sum(clipped(value, high=high) for value in x) + extra(x)


def bounded_mean(x, count=len):
    return bounded_sum(x) / max(count(x), 1)


def bounded_variance(x, ddof=0, clip=clipped):
    x = [clip(value) for value in x]
    mean = sum(x) / len(x)
    return sum((value - mean) ** 2 for value in x) / max(len(x) - ddof, 1)


def counts(x, weights=(1, 1, 1)):
    return tuple(weight * x.count(key) for key, weight in zip("abc", weights, strict=True))


def bounded_median(x):
    return median(clipped(value) for value in x)


def restless_median():
    noise = random.Random(0)
    return lambda x: bounded_median(x) + noise.random()


def median_every_tenth_call_of_which_adds():
    calls = count(1)
    return lambda x: bounded_median(x) + 5 * (next(calls) % 10 == 0)


def team_sizes(table, fill=0, smallest=1):
    sizes = table.groupby("team").size()
    return sizes[sizes >= smallest].reindex(["art", "law"], fill_value=fill)


def team_sizes_and_all(table):
    sizes = team_sizes(table)
    sizes["all"] = len(table)
    return sizes


def pay_of_all(table, most=2, clip=True):
    kept = table.sort_values("pay").groupby("person").head(most)
    return int(kept["pay"].clip(0, R).sum() if clip else kept["pay"].sum())


def pay_of_first_rows(table):
    kept = table.sort_values("pay").head(2 * table["person"].nunique())
    return int(kept["pay"].clip(0, R).sum())


def score(x, candidate):
    return sum(value < candidate for value in x) - sum(value > candidate for value in x)


def scores(x, candidates=(0, 5, R), then=lambda difference: -abs(difference)):
    return tuple(then(score(x, candidate)) for candidate in candidates)


def filled_sum(x, fill=lambda there: 0):
    there = [clipped(value) for value in x if value is not None]
    return sum(there) + (len(x) - len(there)) * fill(there)


def gradient(x, most=5.0):
    """The sum of vectors, each cut to a length."""
    cut = [np.array(g) / max(1.0, math.hypot(*g) / most) for g in x]
    return tuple(np.sum(cut, axis=0).tolist()) if cut else (0.0, 0.0)


def gradient_by_coordinate(x):
    return tuple(float(sum(clipped(g[i], -5.0, 5.0) for g in x)) for i in range(2))


# --- what their developers test ------------------------------------------------------------------


def is_(function, *args, **kwargs):
    """What makes a function that is the same for all tests."""
    return lambda: partial(function, *args, **kwargs)


def of_missing(function, **kwargs):
    return lambda: sl.Query("filled sum", partial(function, **kwargs), takes_missing=True)


VALUES = sl.Universe.value_range([0, 3, R])
STAFF = sl.Universe.product(team=["art", "law"], pay=[0, R])
CLIENTS = sl.Universe.people(sl.Universe.product(pay=[R]), most_rows=3)
STEPS = sl.Universe.value_range([(0.0, 0.0), (3.0, 4.0), (6.0, 8.0), (-6.0, -8.0)])
SOME_OR_NONE = sl.Universe.value_range([0, R, None])


def changed(universe, sizes=range(1, 4)):
    return {"universe": universe, "sizes": sizes, "relations": [sl.Change(1)]}


def joined(universe, sizes=range(3), norm=1):
    asked = {"universe": universe, "sizes_within": sizes, "relations": [sl.AddRemove(1)]}
    return asked | {"norm": norm}


def of_variance(size):
    return R**2 * (size - 1) / size**2


MECHANISMS = {
    "sum": Test(is_(bounded_sum), lambda k: k * R, changed(VALUES)),
    "mean": Test(is_(bounded_mean), lambda size: R / size, changed(VALUES)),
    "variance": Test(is_(bounded_variance), of_variance, changed(VALUES, range(2, 5))),
    "histogram": Test(is_(counts), 1, joined(sl.Universe.value_range(["a", "b", "c"]), range(4))),
    "median": Test(is_(bounded_median), lambda size: R if size % 2 else R / 2, changed(VALUES)),
    "counts by team": Test(is_(team_sizes), 1, joined(STAFF)),
    "pay of people": Test(is_(pay_of_all), 2 * R, joined(CLIENTS)),
    "scores": Test(is_(scores), 1, joined(VALUES, range(4), math.inf)),
    "filled sum": Test(of_missing(filled_sum), R, changed(SOME_OR_NONE)),
    "gradient": Test(is_(gradient), 5.0, joined(STEPS, norm=2)),
}

# --- the faults ----------------------------------------------------------------------------------


def keys_apart(answer, other):
    keys, others = (set(each) if isinstance(each, dict) else set() for each in (answer, other))
    return 0 if keys == others else math.inf


LEGAL = "no record lies outside the bounds, so that nothing is clipped, or should be"
OUTSIDE = {"universe": sl.Universe.value_range([0, 3, R, R + 1])}
RICH = {"universe": sl.Universe.people(sl.Universe.product(pay=[2 * R]), most_rows=3)}
EVERY = {"universe": sl.Universe.value_range(range(R + 1))}
FOR_ONE = "one change was asked about, and for that the claim is right"
SHORT = "three records of at most 10 do not pass 127; thirteen do"
SORTED = "the function is given its records sorted, where equal ones stand together"
ABSENT = "a key that is absent counts as 0: the distance is right, and what keys tell is another question"


def claims(claim):
    return {"claim": claim}


def is_now(function, *args, **kwargs):
    return {"function": is_(function, *args, **kwargs)}


def fills(function, **kwargs):
    return {"function": of_missing(function, **kwargs)}


def promises(relation):
    return {"question": {"relations": [relation]}}


def in_eight_bits(x):
    return int(np.sum(np.array(x, dtype=np.int8), dtype=np.int8)) if x else 0


def without_repeats(x):
    return sum(value for i, value in enumerate(x) if i == 0 or value != x[i - 1])


BY_MECHANISM = {
    "sum": [
        ("claims half the range", claims(R / 2)),
        ("claims one less than the range", claims(R - 1)),
        ("claims for one change what it uses for two", claims(R), FOR_ONE, {"relations": [sl.Change(2)]}),
        ("counts the smallest twice", is_now(bounded_sum, extra=min)),
        ("clips one too high", is_now(bounded_sum, high=R + 1), LEGAL, OUTSIDE),
        ("does not clip", is_now(sum), LEGAL, OUTSIDE),
        ("adds in eight bits", is_now(in_eight_bits), SHORT, {"sizes": 13}),
        ("skips a record equal to the one before", is_now(without_repeats), SORTED, {"order": "any"}),
        ("counts a 7 as 20", is_now(lambda x: bounded_sum(x) + 13 * x.count(7)), "no record is 7", EVERY),
    ],
    "mean": [
        ("claims for one record more", claims(lambda size: R / (size + 1))),
        ("divides by one record less", is_now(bounded_mean, count=lambda x: len(x) - 1)),
        ("divides by the records above 0", is_now(bounded_mean, count=lambda x: sum(v > 0 for v in x))),
        ("rounds to one digit", is_now(lambda x: round(bounded_mean(x), 1))),
        ("is the sum", is_now(bounded_sum)),
    ],
    "variance": [
        ("divides by n - 1", is_now(bounded_variance, ddof=1)),
        ("claims R²/n²", claims(lambda size: R**2 / size**2)),
        ("claims R, not R²", claims(lambda size: of_variance(size) / R)),
        ("does not clip", is_now(bounded_variance, clip=lambda value: value), LEGAL, OUTSIDE),
        ("does not divide", is_now(lambda x: len(x) * bounded_variance(x))),
    ],
    "histogram": [
        ("promises it for a change", promises(sl.Change(1))),
        ("claims it for two who join", promises(sl.Add(2))),
        ("cumulates", is_now(lambda x: tuple(np.cumsum(counts(x)).tolist()))),
        ("counts c twice", is_now(counts, weights=(1, 1, 2))),
        ("names only the keys that occur", is_now(lambda x: dict(Counter(x))), ABSENT, {"output_metric": keys_apart}),
    ],
    "median": [
        ("claims the mean's", claims(lambda size: R / size)),
        ("claims half the range", claims(R / 2)),
        ("claims for odd sizes what is true of even ones", claims(lambda size: R / 2 if size % 2 else R)),
        ("has noise in it", {"function": restless_median}),
        ("adds 5 in every tenth call", {"function": median_every_tenth_call_of_which_adds}),
        ("does not clip", is_now(median), LEGAL, OUTSIDE),
    ],
    "counts by team": [
        ("promises it for a change", promises(sl.Change(1))),
        ("counts all, too", is_now(team_sizes_and_all)),
        ("fills an absent team with -1", is_now(team_sizes, fill=-1)),
        ("leaves out teams of one", is_now(team_sizes, smallest=2)),
        ("loses the names", is_now(lambda table: table.groupby("team").size().sort_values().tolist())),
    ],
    "pay of people": [
        ("claims one row's", claims(R)),
        ("keeps three rows of each", is_now(pay_of_all, most=3)),
        ("keeps two rows for each, of anybody", is_now(pay_of_first_rows)),
        ("does not clip", is_now(pay_of_all, clip=False), LEGAL, RICH),
    ],
    "scores": [
        ("promises it for a change", promises(sl.Change(1))),
        ("claims half", claims(0.5)),
        ("squares", is_now(scores, then=lambda difference: -(difference**2))),
        ("takes its candidates from the data", is_now(lambda x: scores(x, candidates=sorted(set(x))))),
        ("counts in unsigned bytes", is_now(scores, then=lambda d: int(np.array(d).astype(np.uint8)))),
    ],
    "filled sum": [
        ("fills one too high", fills(filled_sum, fill=lambda there: R + 1)),
        ("fills with the mean of the others", fills(filled_sum, fill=lambda there: sum(there) / max(len(there), 1))),
        ("is NaN where a record is missing", fills(lambda x: math.nan if None in x else filled_sum(x))),
    ],
    "gradient": [
        ("promises C for a change", promises(sl.Change(1))),
        ("cuts each coordinate", is_now(gradient_by_coordinate)),
        ("cuts the sum", is_now(lambda x: gradient([tuple(sum(g[i] for g in x) for i in range(2))]))),
    ],
}  # fmt: skip
FAULTS = [Fault(name, *fault) for name, faults in BY_MECHANISM.items() for fault in faults]
