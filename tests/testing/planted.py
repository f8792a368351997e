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
from statistics import median
from typing import Any

import numpy as np

import sensitivity_lab as sl
from sensitivity_lab.testing import assert_sensitivity


@dataclass(frozen=True)
class Test:
    """A mechanism as its developer tests it."""

    __test__ = False  # pytest: not a class of tests

    function: Callable[[Any], Any]
    claim: Any
    question: dict[str, Any]
    missing: bool = False

    def held(self, **question: Any) -> Any:
        """Hold the claim; `question` is what is asked otherwise."""
        function = self.function()  # anew: a faulty one may remember
        if self.missing:
            function = sl.Query("filled sum", function, takes_missing=True)
        return assert_sensitivity(function, self.claim, **(self.question | question))


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
        change = dict(self.change)
        sound = MECHANISMS[self.mechanism]
        asked = sound.question | change.pop("question", {})
        return replace(sound, question=asked, **change)


def of(function, *args, **kwargs):
    """What makes a function that is the same for all tests."""
    return lambda: partial(function, *args, **kwargs)


# --- the mechanisms, each with the parameters in which it may be wrong ---------------------------

R = 10  # records lie between 0 and R


def clipped(x, low=0, high=R):
    return min(max(x, low), high)


def bounded_sum(x, high=R, extra=lambda x: 0):
    return sum(clipped(value, high=high) for value in x) + extra(x)


def sum_in(x, dtype):
    return int(np.sum(np.array(x, dtype=dtype), dtype=dtype)) if x else 0


def sum_of_changes(x):
    """A sum that skips a record equal to the one before it."""
    return sum(value for i, value in enumerate(x) if i == 0 or value != x[i - 1])


def sum_without_sevens(x):
    return sum(20 if value == 7 else clipped(value) for value in x)


def bounded_mean(x, count=len):
    return bounded_sum(x) / max(count(x), 1)


def bounded_variance(x, ddof=0, clip=clipped):
    x = [clip(value) for value in x]
    mean = sum(x) / len(x)
    return sum((value - mean) ** 2 for value in x) / max(len(x) - ddof, 1)


def sum_of_squares(x):
    return len(x) * bounded_variance(x)


def counts(x, weights=(1, 1, 1)):
    return tuple(weight * x.count(key) for key, weight in zip("abc", weights, strict=True))


def cumulated(x):
    return tuple(np.cumsum(counts(x)).tolist())


def bounded_median(x, clip=clipped):
    return median(clip(value) for value in x)


def restless_median():
    noise = random.Random(0)
    return lambda x: bounded_median(x) + noise.random()


def median_every_tenth_call_of_which_adds():
    calls = Counter()

    def answer(x):
        calls["all"] += 1
        return bounded_median(x) + 5 * (calls["all"] % 10 == 0)

    return answer


def team_sizes(table, fill=0, smallest=1):
    sizes = table.groupby("team").size()
    return sizes[sizes >= smallest].reindex(["art", "law"], fill_value=fill)


def team_sizes_and_all(table):
    sizes = team_sizes(table)
    sizes["all"] = len(table)
    return sizes


def team_sizes_without_names(table):
    return table.groupby("team").size().sort_values().tolist()


def pay_of_all(table, most=2, clip=True):
    kept = table.sort_values("pay").groupby("person").head(most)
    return int(kept["pay"].clip(0, R).sum() if clip else kept["pay"].sum())


def pay_of_first_rows(table):
    kept = table.sort_values("pay").head(2 * table["person"].nunique())
    return int(kept["pay"].clip(0, R).sum())


CANDIDATES = (0, 5, R)


def score(x, candidate):
    below = sum(value < candidate for value in x)
    above = sum(value > candidate for value in x)
    return below - above


def scores(x, candidates=CANDIDATES, then=lambda difference, x: -abs(difference)):
    return tuple(then(score(x, candidate), x) for candidate in candidates)


def scores_of_own_candidates(x):
    return scores(x, candidates=sorted(set(x)))


def scores_in_bytes(x):
    return tuple(int(np.array(score(x, c)).astype(np.uint8)) for c in CANDIDATES)


def filled_sum(x, fill=0):
    return sum(fill if value is None else clipped(value) for value in x)


def sum_filled_by_mean(x):
    there = [value for value in x if value is not None]
    return filled_sum(x, fill=sum(there) / len(there) if there else 0)


def nan_where_missing(x):
    return math.nan if None in x else filled_sum(x)


def gradient(x, length=lambda g: math.hypot(*g), most=5.0):
    """The sum of vectors, each cut to a length."""
    cut = [np.array(g) / max(1.0, length(g) / most) for g in x]
    return tuple(np.sum(cut, axis=0).tolist()) if cut else (0.0, 0.0)


def gradient_by_coordinate(x):
    return tuple(float(sum(clipped(g[i], -5.0, 5.0) for g in x)) for i in range(2))


def gradient_cut_at_the_end(x):
    return gradient([tuple(sum(g[i] for g in x) for i in range(2))])


# --- what their developers test ------------------------------------------------------------------

VALUES = sl.Universe.value_range([0, 3, R])
OUTSIDE = sl.Universe.value_range([0, 3, R, R + 1])
ONE_CHANGE, ONE_MORE_OR_LESS = [sl.Change(1)], [sl.AddRemove(1)]
CHANGED = {"universe": VALUES, "sizes": range(1, 4), "relations": ONE_CHANGE}
JOINED = {"sizes_within": range(4), "relations": ONE_MORE_OR_LESS}
STAFF = sl.Universe.product(team=["art", "law"], pay=[0, R])
CLIENTS = sl.Universe.people(sl.Universe.product(pay=[0, R]), most_rows=3)
STEPS = sl.Universe.value_range([(0.0, 0.0), (3.0, 4.0), (6.0, 8.0), (-6.0, -8.0)])

MECHANISMS = {
    "sum": Test(of(bounded_sum), lambda k: k * R, CHANGED),
    "mean": Test(of(bounded_mean), lambda size: R / size, CHANGED),
    "variance": Test(
        of(bounded_variance),
        lambda size: R**2 * (size - 1) / size**2,
        CHANGED | {"sizes": range(2, 5)},
    ),
    "histogram": Test(
        of(counts), 1, JOINED | {"universe": sl.Universe.value_range(["a", "b", "c"])}
    ),
    "median": Test(of(bounded_median), lambda size: R if size % 2 else R / 2, CHANGED),
    "counts by team": Test(
        of(team_sizes), 1, JOINED | {"universe": STAFF, "sizes_within": range(3)}
    ),
    "pay of people": Test(
        of(pay_of_all), 2 * R, JOINED | {"universe": CLIENTS, "sizes_within": range(3)}
    ),
    "scores": Test(of(scores), 1, JOINED | {"universe": VALUES, "norm": math.inf}),
    "filled sum": Test(
        of(filled_sum),
        R,
        CHANGED | {"universe": sl.Universe.value_range([0, R, None])},
        missing=True,
    ),
    "gradient": Test(
        of(gradient), 5.0, JOINED | {"universe": STEPS, "sizes_within": range(3), "norm": 2}
    ),
}

# --- the faults ----------------------------------------------------------------------------------


def keys_apart(answer, other):
    keys, others = (set(each) if isinstance(each, dict) else set() for each in (answer, other))
    return 0 if keys == others else math.inf


LEGAL = "no record lies outside the bounds, so that nothing is clipped, or should be"


def claims(claim):
    return {"claim": claim}


def is_now(function, *args, **kwargs):
    return {"function": of(function, *args, **kwargs)}


def promises(relation):
    return {"question": {"relations": [relation]}}


FAULTS = [
    Fault("sum", "claims half the range", claims(R / 2)),
    Fault("sum", "claims one less than the range", claims(R - 1)),
    Fault(
        "sum",
        "claims for one change what it uses for two",
        claims(R),
        missed="one change was asked about, and for that the claim is right",
        found_by={"relations": [sl.Change(2)]},
    ),
    Fault("sum", "counts the smallest twice", is_now(bounded_sum, extra=min)),
    Fault(
        "sum",
        "clips one too high",
        is_now(bounded_sum, high=R + 1),
        missed=LEGAL,
        found_by={"universe": OUTSIDE},
    ),
    Fault("sum", "does not clip", is_now(sum), missed=LEGAL, found_by={"universe": OUTSIDE}),
    Fault(
        "sum",
        "adds in eight bits",
        is_now(sum_in, dtype=np.int8),
        missed="three records of at most 10 do not pass 127; thirteen do",
        found_by={"sizes": 13},
    ),
    Fault(
        "sum",
        "skips a record equal to the one before",
        is_now(sum_of_changes),
        missed="the function is given its records sorted, where equal ones stand together",
        found_by={"order": "any"},
    ),
    Fault(
        "sum",
        "counts a 7 as 20",
        is_now(sum_without_sevens),
        missed="no record is 7",
        found_by={"universe": sl.Universe.value_range(range(R + 1))},
    ),
    Fault("mean", "claims for one record more", claims(lambda size: R / (size + 1))),
    Fault("mean", "divides by one record less", is_now(bounded_mean, count=lambda x: len(x) - 1)),
    Fault(
        "mean",
        "divides by the records above 0",
        is_now(bounded_mean, count=lambda x: sum(value > 0 for value in x)),
    ),
    Fault("mean", "rounds to one digit", {"function": lambda: lambda x: round(bounded_mean(x), 1)}),
    Fault("mean", "is the sum", is_now(bounded_sum)),
    Fault("variance", "divides by n - 1", is_now(bounded_variance, ddof=1)),
    Fault("variance", "claims R²/n²", claims(lambda size: R**2 / size**2)),
    Fault("variance", "claims R, not R²", claims(lambda size: R * (size - 1) / size**2)),
    Fault(
        "variance",
        "does not clip",
        is_now(bounded_variance, clip=lambda value: value),
        missed=LEGAL,
        found_by={"universe": OUTSIDE},
    ),
    Fault("variance", "does not divide", is_now(sum_of_squares)),
    Fault("histogram", "promises it for a change", promises(sl.Change(1))),
    Fault("histogram", "claims it for two who join", promises(sl.Add(2))),
    Fault("histogram", "cumulates", is_now(cumulated)),
    Fault("histogram", "counts c twice", is_now(counts, weights=(1, 1, 2))),
    Fault(
        "histogram",
        "names only the keys that occur",
        {"function": lambda: lambda x: dict(Counter(x))},
        missed="a key that is absent counts as 0: the distance is right, and what keys tell is "
        "another question",
        found_by={"output_metric": keys_apart},
    ),
    Fault("median", "claims the mean's", claims(lambda size: R / size)),
    Fault("median", "claims half the range", claims(R / 2)),
    Fault(
        "median",
        "claims for odd sizes what is true of even ones",
        claims(lambda size: R / 2 if size % 2 else R),
    ),
    Fault("median", "has noise in it", {"function": restless_median}),
    Fault(
        "median", "adds 5 in every tenth call", {"function": median_every_tenth_call_of_which_adds}
    ),
    Fault(
        "median",
        "does not clip",
        is_now(median),
        missed=LEGAL,
        found_by={"universe": OUTSIDE},
    ),
    Fault("counts by team", "promises it for a change", promises(sl.Change(1))),
    Fault("counts by team", "counts all, too", is_now(team_sizes_and_all)),
    Fault("counts by team", "fills an absent team with -1", is_now(team_sizes, fill=-1)),
    Fault("counts by team", "leaves out teams of one", is_now(team_sizes, smallest=2)),
    Fault("counts by team", "loses the names", is_now(team_sizes_without_names)),
    Fault("pay of people", "claims one row's", claims(R)),
    Fault("pay of people", "keeps three rows of each", is_now(pay_of_all, most=3)),
    Fault("pay of people", "keeps two rows for each, of anybody", is_now(pay_of_first_rows)),
    Fault(
        "pay of people",
        "does not clip",
        is_now(pay_of_all, clip=False),
        missed=LEGAL,
        found_by={"universe": sl.Universe.people(sl.Universe.product(pay=[0, 2 * R]), most_rows=3)},
    ),
    Fault("scores", "promises it for a change", promises(sl.Change(1))),
    Fault("scores", "claims half", claims(0.5)),
    Fault("scores", "squares", is_now(scores, then=lambda difference, x: -(difference**2))),
    Fault("scores", "takes its candidates from the data", is_now(scores_of_own_candidates)),
    Fault("scores", "counts in unsigned bytes", is_now(scores_in_bytes)),
    Fault("filled sum", "fills one too high", is_now(filled_sum, fill=R + 1)),
    Fault("filled sum", "fills with the mean of the others", is_now(sum_filled_by_mean)),
    Fault("filled sum", "is NaN where a record is missing", is_now(nan_where_missing)),
    Fault("gradient", "promises C for a change", promises(sl.Change(1))),
    Fault("gradient", "cuts each coordinate", is_now(gradient_by_coordinate)),
    Fault("gradient", "cuts the sum", is_now(gradient_cut_at_the_end)),
]
