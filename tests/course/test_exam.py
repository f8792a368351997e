"""The exam bank, the matrix and the guide: marks add up, numbers are right, names exist."""

import math
import re
from fractions import Fraction
from itertools import combinations
from math import comb
from statistics import median

import pytest
from conftest import ROOT, a_third
from test_assignments import ends, exact_mean, most_changed, widest
from test_students import course

import sensitivity_lab as sl
from sensitivity_lab.definition import population_pairs

COURSE = ROOT / "book" / "course"
ASKED = course.matrix.questions()
TEN, SIX, YEARS = [1, 2, 3, 4, 5, 6, 7, 8, 15, 20], [1, 2, 4, 7, 11, 16], [1, 2, 2, 2, 7, 8, 9]


def asked(query, records, size, relation, **more):
    """By the package: known records, or (of a range) the values of a scale."""
    made = sl.Universe.value_range if isinstance(records, range) else sl.Universe.population
    return sl.global_sensitivity(query, made(records), size=size, relation=relation, **more).value


def near(most):
    """Subsets of six people, at most so many additions and removals from two of them."""
    every = [set(some) for n in range(7) for some in combinations(range(6), n)]
    return sum(len(one ^ {0, 1}) <= most for one in every)


def above(d):
    return sum(one * len(d) > sum(d) for one in d)


RATINGS, SIZES = range(1, 6), (3, 4, 5, 6)
# fmt: off
# ruff: disable[E501]
ROUTES = {  # by question: the numbers in bold, by the package and by another way
    "Q1": lambda: ([sl.Universe.population(range(12)).count(5), sl.Universe.population(range(12)).count(5) * 5 * 7], [comb(12, 5), 27720]),
    "Q2": lambda: ([asked(sl.SUM, SIX, 4, sl.Change(k)) for k in (1, 2, 3, 4)], [widest(sum, population_pairs(SIX, 4, "Change", k)) for k in (1, 2, 3, 4)]),
    "Q5": lambda: (["15.5 %"], [f"{100 / (1 + 9 * math.exp(-0.5)):.1f} %"]),
    "Q7": lambda: (["1.5", "73.1 %", "81.8 %"], [str(9 / 6), *(f"{100 / (1 + math.exp(-e)):.1f} %" for e in (1, 1.5))]),
    "Q9": lambda: ([len(list(relation.neighbours((0, 1), sl.Universe.population(range(6))))) for relation in (sl.AddRemove(1), sl.Change(1), sl.SymmetricDifference(2))], [near(1) - 1, 1 + 2 * 4, near(2)]),
    "Q10": lambda: ([asked(sl.MEAN, TEN, range(1, 11), sl.AddRemove(1))], [widest(exact_mean, population_pairs(TEN, range(1, 11), "AddRemove", 1))]),
    "Q13": lambda: ([asked(sl.MEDIAN, YEARS, 5, sl.Change(k)) for k in (1, 2)], [widest(median, population_pairs(YEARS, 5, "Change", k)) for k in (1, 2)]),
    "Q14": lambda: ([*(asked(sl.MEDIAN, RATINGS, n, sl.Change(1)) for n in SIZES), 2], [*(most_changed(lambda d: median(map(Fraction, d)), 1, 5, n, 1) for n in SIZES), Fraction(4, 2)]),
    "Q16": lambda: ([asked(sl.SUM, range(-4, 4), 3, relation(2)) for relation in (sl.Change, sl.SymmetricDifference)], [most_changed(sum, -4, 3, 3, 2), max(abs(sum(x)) for x in ends(-4, 3, 2))]),
    "Q17": lambda: ([Fraction(18, 4), asked(sl.MEAN, range(7), range(1, 6), sl.SymmetricDifference(3))], [Fraction(9, 2), widest(exact_mean, [((0,), (6,))])]),
    "Q19": lambda: ([80, 100, "7.59"], [80, 100, f"{math.exp(-9) / 200 / (math.exp(-900 / 80) / 160):.2f}"]),
    "Q21": lambda: ([asked(above, range(3), 6, sl.SymmetricDifference(1))], [widest(above, [([1] * 6, [1] * 6 + [0])])]),
    "Q22": lambda: ([asked(sl.SUM, range(0, 401, 400), 1, sl.SymmetricDifference(1)), 200, 50], [2 * 50 * 4, round(math.hypot(*[100] * 4)), 50]),
    "Q24": lambda: ([sum(max(0, n - m) * people for n, people in ((1, 60), (2, 30), (5, 10))) ** 2 + 2 * m**2 for m in (1, 2, 3, 5)], [70**2 + 2, 30**2 + 8, 20**2 + 18, 50]),
    "Q26": lambda: ([asked(sl.SUM, range(0, 201, 200), 3, sl.SymmetricDifference(1)), 600], [20 * 10, 10 * round(20 * math.log(20))]),
}
# ruff: enable[E501]
# fmt: on


@pytest.mark.parametrize("number", a_third([*ASKED]))
def test_a_scheme_adds_up_and_its_numbers_have_two_routes(number):
    """Catches marks that nobody can earn, a question without time, a wrong number marked right."""
    about = ASKED[number]
    marks = re.findall(r"\((\d)(?: for [^)]*)?\)", re.sub(r"\$.*?\$", "", about["scheme"]))
    assert sum(map(int, marks)) == about["marks"]
    assert about["marks"] <= about["minutes"] <= 2 * about["marks"]
    bold = re.findall(r"\*\*(?!Scheme)(.*?)\*\*", about["scheme"])
    package, other = ROUTES.get(number, lambda: ([], []))()
    assert [*map(str, package)] == [*map(str, other)] == [one.replace(",", "") for one in bold]


def test_every_objective_is_practised_and_examined():
    """Catches an objective that nobody asks about, and one that no chapter has."""
    said = course.matrix.objectives()
    rows = course.matrix.served()
    assert set(rows) <= set(said)
    assert len(said) == 44
    assert all(asked and (done or tasks) for done, tasks, asked in map(rows.get, said))


def test_every_exercise_of_the_path_is_in_the_matrix():
    """Catches an exercise that has gone, and a new one that serves no objective."""
    path = [document.path for document in course.chapters.listed()[0][1]]
    text = "".join(page.read_text(encoding="utf-8") for page in path)
    assert set(re.findall(r":label: (ex-[\w-]+)", text)) == set(course.PLAN["exercises"])


def test_what_the_guide_names_is_there():
    """Catches a figure, an exercise, a theorem, a task, a question or a page that has gone."""
    pages = [*ROOT.glob("book/chapters/*.md"), *ROOT.glob("book/*.md")]
    book = "".join(page.read_text(encoding="utf-8") for page in pages)
    texts = [*COURSE.glob("*.md"), ROOT / "book" / "teach.md"]
    said = "".join(text.read_text(encoding="utf-8") for text in texts)
    known = set(re.findall(r"[\w-]+", book))
    labels = set(re.findall(r"\b((?:ex|fig|thm|def|ch)-[a-z][a-z-]+[a-z])\b", said))
    assert len(labels) > 30
    assert labels <= known
    assert set(re.findall(r"\bQ\d+\b", said)) <= set(ASKED)
