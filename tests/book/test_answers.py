"""The fields under the exercises: right numbers, true witnesses, judges that say what is wrong."""

import math
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, count, product
from statistics import mean, median

import pytest
from conftest import a_third
from lab_copies import read, ties
from scipy.optimize import minimize_scalar
from scipy.stats import laplace
from sensitivity_book.answers import check_answer
from sensitivity_book.answers.check import check, verdict
from sensitivity_book.answers.kinds import DatasetAnswer, FunctionAnswer, NumberAnswer
from sensitivity_book.answers.page import elsewhere
from sensitivity_book.answers.registry import ANSWERS
from test_page_shape import PAGES as BOOK
from test_page_shape import PATH, SOLUTION, exercises, prose

MADE = {name: make() for name, make in ANSWERS.items()}
DAYS = [*map(Fraction, (1, 2, 3, 4, 5, 6, 7, 8, 15, 20))]
YEARS = [*map(Fraction, (1, 2, 2, 2, 5, 5, 7, 8, 9, 9))]
BADGES = [1, 2, 2, 5, 5]
SALARIES = [0, 50, 100] * 4  # copies enough for a table of three, and one who joins


def named(kind):
    return [name for name, made in MADE.items() if isinstance(made, kind)]


# ---- The second route: labelled records, plain Python -------------------------------------------


def swaps(records, size, k=1):
    """Every pair of selections of which at most k records are exchanged."""
    everyone = range(len(records))
    for inside in combinations(everyone, size):
        outside = [i for i in everyone if i not in inside]
        for most in range(k + 1):
            for out, into in product(combinations(inside, most), combinations(outside, most)):
                yield _pair(records, inside, [*(i for i in inside if i not in out), *into])


def moves(records, size, k=1):
    """Every pair of a selection and one with exactly k records more, or fewer."""
    everyone = range(len(records))
    for inside in combinations(everyone, size):
        outside = [i for i in everyone if i not in inside]
        for out in combinations(inside, k):
            yield _pair(records, inside, [i for i in inside if i not in out])
        for into in combinations(outside, k):
            yield _pair(records, inside, [*inside, *into])


def _pair(records, one, other):
    return tuple(tuple(sorted(records[i] for i in side)) for side in (one, other))


def span(x):
    return x[-1] - x[0]


def payers(rows=2):
    """All fines when a person brings up to so many, beside that of somebody who stays."""
    for some in product((None, -5, 0, 10, 20), repeat=rows):
        yield tuple(sorted((0, *(fine for fine in some if fine is not None))))


# A sensitivity: the query, and every pair of neighbours.
SENSITIVITIES = {
    "by-hand-sum-swapped": (sum, lambda: swaps(DAYS, 6)),
    "by-hand-sum-moved": (sum, lambda: moves(DAYS, 6)),
    "by-hand-span-moved": (span, lambda: moves(DAYS, 6)),
    "neighbours-fallen": (median, lambda: moves(DAYS, 1, 3)),
    "school-mean-swapped": (mean, lambda: swaps(YEARS, 6, 2)),
    "school-ceiling": (median, lambda: swaps(DAYS, 6, 4)),
    "people-joined": (sum, lambda: (((0,), table) for table in payers())),
    "people-exchanged": (sum, lambda: product(payers(), repeat=2)),
    "tables-second": (lambda x: x[-2], lambda: moves(SALARIES, 3)),
}


def two_people(wanted=lambda one, other: True):
    """How far two people, each with two of four subjects, move the four counts in L2."""
    pairs = product(combinations(range(4), 2), repeat=2)
    return max(
        math.hypot(*Counter(one + other).values()) for one, other in pairs if wanted(one, other)
    )


def smoothed(x, low, high, shrink):
    """The smooth sensitivity of a median, as its exercise finds it."""
    padded, middle = [low] * 9 + x + [high] * 9, 9 + len(x) // 2
    return max(
        (padded[first + t + 1] - padded[first]) * shrink**t
        for t in range(9)
        for first in range(middle - t - 1, middle + 1)
    )


def shares(*table):
    """What part of all that is earned goes to art, and what to law."""
    art, law = (sum(earned for team, earned in table if team == one) for one in ("art", "law"))
    return Fraction(art, art + law), Fraction(law, art + law)


# A number whose solution says others near it.
NUMBERS = {
    "neighbours-listed": lambda: len({y for x, y in moves(BADGES, 3) if x == (2, 2, 5)}),
    "people-siblings-alike": two_people,
    "people-siblings-apart": lambda: two_people(lambda one, other: {*one}.isdisjoint(other)),
    "people-busiest": lambda: next(many for many in count() if many**2 > 2 * (192**2 - 191**2)),
    "local-and-smooth-five": lambda: smoothed([0, 4, 5, 6, 10], 0, 10, Fraction(1, 2)),
    "local-and-smooth-bimodal": lambda: next(
        2 * more for more in count() if 160 * math.exp(-more / 2) < 1
    ),
    "norms-total-worth": lambda: next(
        bins for bins in count() if bins * laplace(scale=1).var() > laplace(scale=2).var()
    ),
    "vehicle-copies": lambda: max(
        three.count(value) for three in combinations_with_replacement((1, 2), 3) for value in (1, 2)
    ),
    "clipping-shifted": lambda: max(abs(sum(x) - sum(y)) for x, y in moves([-1, -1, 0, 1, 1], 3)),
    "tables-share": lambda: max(
        sum(abs(a - b) for a, b in zip((1, 0), shares(("art", 50), one), strict=True))
        for one in product(("art", "law"), (0, 50, 100))
    ),
}


def test_every_number_has_a_second_route():
    """Catches a number that only the package has found, but for those of the solutions."""
    assert {name for name in MADE if getattr(MADE[name], "ladder", ())} == {*SENSITIVITIES}
    assert {*SENSITIVITIES, *NUMBERS} <= {*named(NumberAnswer)}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_right(name):
    """Catches a reader who is told wrong of a right number."""
    assert float(MADE[name].right) == pytest.approx(float(NUMBERS[name]()), rel=1e-7)


@pytest.mark.parametrize("name", a_third([*SENSITIVITIES]))
def test_a_ladder_leads_to_the_right_sensitivity(name):
    """Catches a wrong sensitivity, a witness that is no pair of neighbours, another gap."""
    query, pairs = SENSITIVITIES[name]
    query = cache(query)
    gaps = {pair: abs(query(pair[0]) - query(pair[1])) for pair in pairs()}
    made = MADE[name]
    assert made.right == max(gaps.values())
    rungs = [rung.gap for rung in made.ladder]
    assert rungs == sorted(set(rungs))
    assert rungs[-1] == made.right
    for rung in made.ladder:
        pair = tuple(map(dataset, re.findall(r"\(([^)]*)\)", rung.words)))
        assert gaps[pair] == rung.gap
        here, there, gap = re.findall(r"(?:has(?: the [\w ]+?)?|gap of) (-?[\d/]+)", rung.words)
        assert [*map(Fraction, (here, there, gap))] == [query(pair[0]), query(pair[1]), rung.gap]


def dataset(text):
    return tuple(Fraction(part) for part in text.split(","))


# ---- Datasets and functions: what is submitted, and what is said of it; the first is right ------

# ruff: disable[E501]
SUBMISSIONS = {
    "published-values": [
        ("2, 7", "the points move by 3: no two values of the whole scale show more"),
        ("3, 8", "the points move by 2. Two other values show more"),
    ],
    "by-hand-span-written": [
        ("def span(dataset):\n    return max(dataset) - min(dataset)", "all 34 inputs"),
        ("def span(dataset):\n    return dataset[-1] - dataset[-2]", "With [1] it stops. Line 2: IndexError"),
        ("def span(dataset):\n    return len(dataset) - 1", "With [1, 1] it gives 1. Right is 0."),
    ],
    "by-hand-both-widest": [
        ("1, 2, 3, 5, 8, 15\n2, 3, 5, 8, 15, 20", "no swap does more to either"),
        ("1, 2, 3, 4, 5, 6\n2, 3, 4, 5, 6, 20", "median moves by 1; the median lacks 3/2"),
        ("1, 2, 4, 8, 15, 20\n1, 2, 3, 4, 8, 15", "mean moves by 17/6 and the median moves by 5/2; the mean lacks 1/3"),
    ],
    "noise-promise-broken": [
        ("1, 2, 3, 4, 5, 6\n1, 2, 3, 4, 5, 20", "6 and 20, 14 apart: between these two she keeps ε = 7/6, more than the 1 that she promised; no pair is worse."),
        ("1, 2, 3, 4, 5, 8\n1, 2, 3, 4, 5, 20", "8 and 20, 12 apart: between these two she keeps ε = 1, and her promise holds."),
    ],
    "neighbours-not-possible": [
        ("2, 2, 2", "both take part already"),
        ("2, 5, 5", "(2, 5, 5) is possible"),
    ],
    "neighbours-bridged": [
        ("1, 2, 3, 4, 15, 20\n1, 2, 3, 4", "45 and 10, 35 apart, and no swap moves a sum by more than 19."),
        ("1, 2, 3, 4, 5, 6\n2, 3, 4, 5, 6, 20", "21 and 40, 19 apart. A swap can do that"),
        ("1, 2, 3, 4, 5, 6\n1, 2, 3", "no neighbours: at most 2 records added or removed."),
    ],
    "school-ceiling-reached": [
        ("1, 2, 3, 4, 15, 20\n1, 2, 7, 8, 15, 20", "2 swaps, and the medians are 7/2 and 15/2, 4 apart"),
        ("1, 2, 3, 4, 5, 6\n5, 6, 7, 8, 15, 20", "4 swaps, and the medians are 7/2 and 15/2, 4 apart: that is the ceiling. Fewer"),
        ("1, 2, 3, 4, 5, 6\n2, 3, 4, 5, 6, 20", "1 swap, and the medians are 7/2 and 9/2, 1 apart. Others are further"),
    ],
    "school-designed": [
        ("1, 1, 1, 7, 7, 7, 7, 20, 20, 20", "19, 38, 57, 57: straight up to k = 3, and then flat."),
        ("1, 1, 1, 6, 7, 7, 8, 20, 20, 20", "19, 38, 57, 59. At k = 4 it should be 57."),
        ("1, 2, 3, 4, 5, 6, 7, 8, 15, 20", "19, 32, 37, 40. At k = 2 it should be 38."),
    ],
    "people-gym-four": [
        ("0, 2, 0, 0, 2, 0, 0", "In L1 the counts move by 4, in L2 by √8 ≈ 2.83: no week does more to either."),
        ("1, 1, 1, 1, 0, 0, 0", "In L1 the counts move by 4, in L2 by 2. Another week does more in L2."),
        ("2, 2, 2, 0, 0, 0, 0", "These are 6 visits, and at most 4 are counted."),
    ],
    "people-uncut": [
        ("20, 20, 20, 20, 20, 20, 20, 20, 20, 7", "is 800. No other bound comes below it: the bound 19 loses 9 rows, and has 803."),
        ("20, 20, 20, 20, 20, 20, 20, 20, 19, 19", "is 800. But the bound 19 loses 8 rows, and has 786."),
        ("19, 19, 19, 19, 19, 19, 19, 19, 19, 19", "The busiest has 19 sessions, not 20."),
    ],
    "audits-midrange-broken": [
        ("0\n2", "(0) → 0 and (2) → 2 are 2 apart, and 3/2 is claimed; another pair breaks it further."),
        ("0, 3\n3, 3", "(0, 3) → 3/2 and (3, 3) → 3 are 3/2 apart, and 3/2 is claimed: this pair does not break it."),
    ],
    "audits-midrange-mended": [
        ("def mended(size):\n    return 3 if size == 1 else 3 / 2", "Your claim is exact in all 5 rows that were asked."),
        ("def mended(size):\n    return Fraction(3, 2)", "At size 1 you claim 3/2: too small, for (0) → 0 and (2) → 2 are 2 apart. It is exact in 4 of 5 rows."),
        ("def mended(size):\n    return 3", "At size 2 you claim 3: loose, for no two neighbours are so far apart. It is exact in 1 of 5 rows."),
    ],
    "audits-ten": [
        ("9, 2, 6", "2: a 3 joins; 6: a −1 leaves and a 1 joins; 9: 5 divided by ½ is 10."),
        ("2, 6, 7", "Number 7 holds: a record that changes moves it by at most 1"),
    ],
    "audits-repaired": [
        ("def shrunk(x):\n    return sum(x[1:-1]) / len(x)", "It pays with a bias: it makes 0.333333 of (1, 1, 1), and 1.66667 of (5, 5, 5)."),
        ("def shrunk(x):\n    return Fraction(sum(x[1:-1]), len(x) - 2)", "At size 3 the claim 4/n is 4/3: too small, for (1, 1, 3) → 1 and (1, 3, 3) → 3 are 2 apart. It is exact in 0 of 4 rows."),
        ("def shrunk(x):\n    return sum(x) / len(x)", "(1, 1, 1) → 1 and (1, 1, 5) → 2.33333: the smallest or the largest rating still counts."),
    ],
    "local-and-smooth-jumped": [
        ("0, 10, 10, 10, 10\n0, 0, 10, 10, 10", "(0, 10, 10, 10, 10) has the local sensitivity 0, (0, 0, 10, 10, 10) has 10: 10 apart, the whole range."),
        ("0, 0, 0, 0, 10\n0, 0, 0, 10, 10", "10 apart. These are quiet and loud. There are two others."),
        ("0, 4, 5, 6, 10\n0, 4, 5, 10, 10", "(0, 4, 5, 6, 10) has the local sensitivity 1, (0, 4, 5, 10, 10) has 5: 4 apart. Others are further apart."),
    ],
    "norms-weight-laplace": [
        ("def laplace_weight(a):\n    return (100 * a**2) ** (1 / 3)", "No weight is better, at the averages 10, 20, 40, 80."),
        ("def laplace_weight(a):\n    return (100 * a) ** 0.5", "With a = 10 it gives 31.6228, and 26.1 is better: the variance is 4.3 % lower there."),
    ],
    "norms-weight-gaussian": [
        ("def gaussian_weight(a):\n    return (100 * a) ** 0.5", "No weight is better, at the averages 10, 20, 40, 80."),
        ("def gaussian_weight(a):\n    return (100 * a**2) ** (1 / 3)", "With a = 10 it gives 21.5443, and 26.1 is better: the variance is"),
    ],
    "closed-forms-mixed": [
        ("0, 3, 3\n0, 0", "The means are 2 and 0, 2 apart: more than 9/5. The formula is refuted."),
        ("3, 3\n0, 0, 0, 3, 3", "The means are 3 and 6/5, 9/5 apart. The formula allows 9/5."),
        ("0\n3, 3", "Both need at least 2 records."),
    ],
    "vehicle-crossed": [
        ("1, 1, 1, 1, 3, 3\n1, 1, 3, 3, 3, 3", "1 and 3, 2 apart: two changes have carried both in the middle across."),
        ("1, 1, 1, 1, 1, 3\n1, 1, 1, 3, 3, 3", "1 and 2, 1 apart. The scale is 2 wide."),
        ("1, 1, 1, 1, 1, 3\n1, 1, 3, 3, 3, 3", "are no neighbours: at most 2 records changed."),
    ],
    "vehicle-scale": [
        ("2, -3", "Whoever joins or leaves moves the sum by up to 3, and a change by up to 5."),
        ("0, 1, 3", "by up to 3, and a change by up to 3: equally far."),
        ("1, 3, 3", "by up to 3, and a change by up to 2: that is less far."),
    ],
    "vehicle-alarm": [
        ("def alarm(ratings):\n    return int(len(ratings) >= 3 and set(ratings) == {1})", "From the copies it moves by up to 0, on the scale by 1, from (1, 1) to (1, 1, 1)."),
        ("def alarm(ratings):\n    return sum(ratings)", "The copies already show all that it can do: by 2, from (1, 1) to (1, 1, 2)."),
        ("def alarm(ratings):\n    return 1e999", "With [1, 1] it gives inf, which is no number."),
    ],
    "clipping-below-all": [
        ("27, 27, 27, 27, 27", "The best bound is 25, with an error² of 1,350, and clips all five. At 27 it would be 1,458."),
        ("6, 6, 6, 6, 6", "The best bound is 6, with an error² of 72. It clips none of the five."),
    ],
    "clipping-counted": [
        ("def smallest_bound(bins, most):\n    return next(U for U in range(len(bins)) if sum(bins[U + 1 :]) <= most)", "all 252 inputs"),
        ("def smallest_bound(bins, most):\n    return sum(sum(bins[U:]) > most for U in range(len(bins)))", "With [1] and 0 it gives 1. Right is 0."),
    ],
    "tables-refuted": [
        ("art 0, art 0, art 0, art 0\nart 50", "The count goes from 0 to 4, by 4, more than the 3 that were claimed."),
        ("art 0, art 0, art 0, law 0\nart 50", "from 0 to 3, by 3: here the claim holds."),
        ("art 0, art 0, art 0, art 0, art 0\nart 50", "about at most 4 people, and your table has 5."),
    ],
}  # fmt: skip
# ruff: enable[E501]


def submitted(name, text):
    return check({"name": name, "text": text})


def test_every_dataset_and_function_is_tried():
    """Catches a judge that nobody has asked."""
    assert sorted(SUBMISSIONS) == sorted(named((DatasetAnswer, FunctionAnswer)))
    assert min(map(len, SUBMISSIONS.values())) >= 2


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_a_judge_knows_right_from_wrong_and_says_why(name):
    """Catches a judge that lets a wrong answer pass, refuses a right one, or gives no witness."""
    for i, (text, words) in enumerate(SUBMISSIONS[name]):
        said = submitted(name, text)
        assert (said["right"], words in said["words"]) == (i == 0, True), said


@pytest.mark.parametrize("name", named(DatasetAnswer))
def test_an_example_is_read_and_is_not_right(name):
    """Catches the lines for JupyterLab giving the answer away, or showing what cannot be read."""
    made = MADE[name]
    assert len(made.example) == len(made.fields)
    said = verdict(name, *made.example)
    assert not said.right
    assert "no number" not in said.words
    assert "universe" not in said.words


def test_jupyterlab_takes_answers_as_they_are(capsys):
    """Catches an answer that must be written as text, and a misspelt name's KeyError."""
    assert verdict("by-hand-sum-swapped", 19) == verdict("by-hand-sum-swapped", "19 days")
    assert verdict("by-hand-sum-swapped", 19).right
    assert not verdict("by-hand-sum-swapped", ...).right
    assert verdict("audits-spent-right", math.exp(1.5) / (1 + math.exp(1.5))).right
    assert verdict("by-hand-both-widest", (1, 2, 3, 5, 8, 15), [2, 3, 5, 8, 15, 20]).right
    assert verdict("tables-refuted", [("art", 0)], [("art", 50)]).words.startswith("The count goes")
    assert verdict("by-hand-span-written", lambda x: max(x) - min(x)).right
    assert "it stops. NameError" in verdict("by-hand-span-written", lambda x: unknown).words  # noqa: F821
    check_answer("by-hand-sum-swapped", 19)
    assert capsys.readouterr().out.startswith("Right. ")
    with pytest.raises(ValueError, match="is it 'by-hand-sum-moved'"):
        check_answer("by-hand-sum-move", 20)


@pytest.mark.parametrize("off", [0.99, 1, 1.01])
@pytest.mark.parametrize(
    ("name", "squared"),
    [
        ("norms-weight-laplace", lambda w: (100 + w) ** 2),
        ("norms-weight-gaussian", lambda w: 100**2 + w**2),
    ],
)
def test_a_judge_of_weights_agrees_with_a_search(name, squared, off):
    """Catches a best weight that another one betters, and one a hundredth off that passes."""

    def typed(a):
        def error(w):
            return squared(w) * (1 + (a / w) ** 2)

        return off * minimize_scalar(error, bounds=(1, 1000), method="bounded").x

    assert MADE[name].judge(typed).right == (off == 1)


RULES = [  # by another rule, which of so many datasets are right
    ("people-gym-four", range(3), 7, lambda week: sum(week) == 4 and Counter(week)[2] == 2),
    # As ex-people-one-more has it: N² > 2(2 · 20 − 1).
    ("people-uncut", (1, 5, 13, 18, 19, 20), 10, lambda loans: Counter(loans)[20] >= 9),
]


@pytest.mark.parametrize(("name", "values", "size", "is_right"), RULES)
def test_a_judge_of_datasets_agrees_with_another_rule(name, values, size, is_right):
    """Catches a judge that calls a right dataset wrong, or a wrong one right."""
    judged = {
        one: MADE[name].judge(one).right for one in combinations_with_replacement(values, size)
    }
    assert judged == {one: is_right(one) for one in judged}
    assert {*judged.values()} == {True, False}


def test_what_a_page_calls_needs_no_large_library():
    """Catches an import that the Python in a page does not have, or that makes its start slow."""
    code = (
        "import sys; from sensitivity_book.answers.check import check; "
        "print(*({'scipy', 'opendp', 'matplotlib', 'ipywidgets', 'IPython'} & {*sys.modules}))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == []


# ---- What is typed, and what cannot be read ------------------------------------------------------

PAIR, ROWS, SPAN = "by-hand-both-widest", "tables-refuted", "by-hand-span-written"
WRITTEN = [
    (PAIR, "{15,8,5,3,2,1}\n(20, 15, 8, 5, 3, 2)"),
    (PAIR, " 1,2, 3,5,8,15,\n[2, 3, 5, 8, 15.0, 40/2]"),
    (ROWS, "(art, 0), (art, 0), (art, 0), (art, 0)\nart, 50"),
    (ROWS, "[('art', 0)]; 'art': 0; ART 0 Art 0\n{art: 50}"),
    ("vehicle-scale", "2, −3"),
    (SPAN, "def helper(x): return max(x) - min(x)\nspan = helper"),
]


@pytest.mark.parametrize(("name", "text"), WRITTEN)
def test_an_answer_is_read_however_it_is_written(name, text):
    """Catches a reader sent away for brackets, quotes, capitals, order, spaces or a true minus."""
    assert submitted(name, text)["right"]


# ruff: disable[E501]
UNREAD = [
    (PAIR, "1, 2\n3", "(1, 2) has 2 records, not 6."),
    (PAIR, "1, 2, 3, 4, 5, 6", "Write 2 lines, one for each dataset."),
    (PAIR, "1/0\n2", "'1/0' is no number."),
    (PAIR, "1 1 2, 3  4 5\n1, 2, 3, 4, 5, 6", "Of 1 there is only 1 record, and you use 2."),
    (PAIR, "1, 2, 3, 4, 5, 9\n1, 2, 3, 4, 5, 6", "9 is not in the universe: 1, 2, 3, 4, 5, 6, 7, 8, 15, 20."),
    (PAIR, "1, 2, 3, 4, 5, 6\n1, 2, 3, 4, 15, 20", "(1, 2, 3, 4, 5, 6) and (1, 2, 3, 4, 15, 20) are no neighbours: at most 1 record changed."),
    (ROWS, "art 0, law\nart 0", "Write 2 cells for each row, such as law 100."),
    (ROWS, "art 0, art 30\nart 0", "art 30 is not in the universe: art 0, art 50, art 100, law 0, law 50, law 100."),
    (SPAN, "def span(dataset)\n    return 1", "Line 1 is no Python: expected ':'."),
    (SPAN, "def span(dataset):\n    return (", "Line 2 is no Python: '(' was never closed."),
    (SPAN, "def span(dataset):\n    max(dataset)", "With [1] it gives nothing. Is a return missing?"),
    (SPAN, "def span(dataset):\n    return 'a'", "With [1] it gives 'a', which is no number."),
    (SPAN, "def span(x):\n    return helper(x)", "With [1] it stops. Line 2: NameError: name 'helper' is not defined."),
    (SPAN, "def span(dataset):\n    exit()", "With [1] it stops. Line 2: "),
    (SPAN, "raise SystemExit", "Line 1: SystemExit."),
    (SPAN, "def span(x):\n    low, high = min(x), max(x)\n    x.clear()\n    return low - high", "With [1, 2] it gives -1. Right is 1."),
]  # fmt: skip
# ruff: enable[E501]


@pytest.mark.parametrize(("name", "text", "words"), UNREAD)
def test_what_cannot_be_read_is_said_in_a_sentence(name, text, words):
    """Catches a traceback, a strange record, a name of an earlier try, an emptied list."""
    said = submitted(name, text)
    assert not said["right"]
    assert said["words"].startswith(words)
    assert "\n" not in said["words"]


# ---- On the pages --------------------------------------------------------------------------------

FIELD = re.compile(r"^```\{answer\} (\S+)\n(.*?)\n```$", re.DOTALL | re.MULTILINE)


def fields(text):
    return FIELD.findall(text)


USED = {page: fields(prose(page)) for page in BOOK}
ANSWERED = [page for page, found in USED.items() if found]


def test_every_field_is_used_once_and_on_its_page():
    """Catches an answer that no exercise asks for, and a field that two exercises share."""
    used = [(name, page.split("/")[-1]) for page, found in USED.items() for name, _ in found]
    assert sorted(name for name, _ in used) == sorted(ANSWERS)
    assert [name for name, page in used if not name.startswith(f"{page}-")] == []


@pytest.mark.parametrize("name", ANSWERS)
def test_jupyterlab_shows_the_lines_that_check_the_answer(name):
    """Catches lines in a notebook that ask for another field, or cannot be run."""
    [inside] = [inside for found in USED.values() for one, inside in found if one == name]
    assert inside == elsewhere(name, MADE[name])
    compile(inside, name, "exec")


@pytest.mark.parametrize("page", PATH)
def test_a_page_of_the_path_takes_answers_and_one_of_them_is_a_dataset(page):
    """Catches a page on which a reader can only look solutions up."""
    own = [MADE[name] for name, _ in USED[page]]
    assert len(own) >= 2
    assert any(isinstance(one, DatasetAnswer) for one in own)


@pytest.mark.parametrize("page", ANSWERED)
def test_a_field_stands_between_its_exercise_and_the_hint(page):
    """Catches a field that stands below its solution, or belongs to no exercise."""
    placed = [
        name
        for _, after in exercises(page)
        for name, _ in fields(after.split("{dropdown} A hint")[0])
    ]
    assert placed == [name for name, _ in USED[page]]


WRITTEN = re.compile(r"(?<![\w.,/])(\d+(?:\{?,\}?\d{3})*(?:\.\d+)?)(?:/(\d+)|( ?\\?%))?(?![\d/])")


def numbers(text):
    """The numbers in a text, and how far off each may be: half a unit of a decimal's last digit."""
    for digits, below, percent in WRITTEN.findall(text):
        plain = re.sub(r"[{},]", "", digits)
        shrunk = int(below or 1) * (100 if percent else 1)
        off = Fraction(1, 2 * 10 ** len(plain.partition(".")[2]))
        yield Fraction(plain) / shrunk, off / shrunk if "." in plain else 0


def solution(page, name):
    """What stands from the solution of a field to the next exercise, with what cells print."""
    below = with_outputs(page).split(f"{{answer}} {name}\n")[1].split("{exercise}")[0]
    return ties.TIE.sub("", below[SOLUTION.search(below).end() :])


def with_outputs(page):
    """The text of a page, and what its cells print."""
    texts = []
    for cell in read(page.rpartition("/")[2]).cells:
        texts += [cell.source] if cell.cell_type == "markdown" else []
        for output in cell.get("outputs", ()):
            texts.append(output.get("text") or output.get("data", {}).get("text/plain", ""))
        texts.append("\n\n")
    return "".join(texts)


def says(text, number):
    return any(abs(value - number) <= slack for value, slack in numbers(text))


@pytest.mark.parametrize("page", ANSWERED)
def test_a_solution_says_the_number_that_its_field_takes(page):
    """Catches a field that calls the number of the solution wrong, or one near it right."""
    for name in [name for name, _ in USED[page] if isinstance(MADE[name], NumberAnswer)]:
        right, text = Fraction(MADE[name].right), solution(page, name)
        assert says(text, right), (name, right)
        if name not in {*SENSITIVITIES, *NUMBERS}:
            near = (right - 1, right + 1, right / 2, 2 * right)
            assert not any(says(text, number) for number in near), name
