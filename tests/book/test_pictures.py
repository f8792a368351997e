"""What the pictures of the chapters draw: their texts, their marks, and the values behind them."""

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from sensitivity_board import Case
from sensitivity_board.pictures import LEFT, RIGHT, plot_lanes
from sensitivity_book.pictures.costs import GAUSSIAN, plot_costs
from sensitivity_book.pictures.layouts import ROLES, plot_layouts
from sensitivity_book.pictures.levels import plot_shrink_and_grow
from sensitivity_book.pictures.norms import plot_moves
from sensitivity_book.pictures.ticks import Ticks

import sensitivity_lab as sl
from sensitivity_lab.plotting.style import ADDED, INK, REMOVED


def texts(axes):
    return [text.get_text() for text in axes.texts]


def row(claimed, found, relation="Change"):
    return sl.AuditRow(relation, 1, 5, claimed=claimed, found=found)


def points(collection):
    """The places of a scatter's marks."""
    return [tuple(map(float, place)) for place in collection.get_offsets()]


# --- the sweep -----------------------------------------------------------------------------

SCHOOL = (1, 2, 3, 10)


def test_what_reaches_a_dataset_are_the_extremes_of_its_neighbours():
    """Catches a box whose numbers are not those of the neighbours under Change(1)."""
    axes = plot_shrink_and_grow(SCHOOL, ((2, 10), 2, (1, 2))).axes[0]
    at = {(round(t.get_position()[1], 1), t.get_text().split("\n")[0]): t.get_text()
          for t in axes.texts}  # fmt: skip
    school = sl.Universe.population(SCHOOL)
    for pair in combinations(SCHOOL, 2):
        sums = [sum(neighbour) for neighbour in sl.Change(1).neighbours(pair, school)]
        assert at[0, str(pair)] == f"{pair}\n{min(sums)}…{max(sums)}"
        assert at[2, str(pair)] == f"{pair}\n{sum(pair)}"
    for core in SCHOOL:
        sums = [core + other for other in SCHOOL if other != core]
        assert at[1, str(core)] == f"{core}\n{min(sums)}…{max(sums)}"


# --- layouts -------------------------------------------------------------------------------

TEN = [1, 2, 3, 4, 5, 6, 7, 8, 15, 20]
TRADE = [("before", Fraction(-3), "BB.CCA.CA."), ("after", Fraction(7, 2), "BB.CC..CAA")]


def test_every_record_has_the_mark_of_its_letter():
    """Catches a record in another role, or out of its place on the line."""
    axes = plot_layouts(TEN, {"one": TRADE}).axes[0]
    keys = len(ROLES)
    for i, (_, _, layout) in enumerate(TRADE):
        drawn = axes.collections[6 * i + 1 : 6 * i + 5]  # after the row's number line
        for letter, marks in zip("ABC.", drawn, strict=True):
            at = [(record, -i) for record, role in zip(TEN, layout, strict=True) if role == letter]
            assert points(marks) == at
            assert to_hex(marks.get_facecolor()[0]) == to_hex(ROLES[letter][2])
    assert len(axes.collections) == 6 * len(TRADE) + keys


# --- vectors of counts ---------------------------------------------------------------------


def test_the_balls_are_as_large_as_the_sensitivities_in_their_norms():
    """Catches a diamond or a circle that leaves a move outside, or is larger than need be."""
    bins, values = sl.histogram([0, 5, 10]), sl.Universe.value_range([1, 7])
    relations = {"moved": sl.SymmetricDifference(2), "changed": sl.Change(1)}
    moves = {
        title: {
            tuple(np.subtract(bins(y), bins(x)).tolist())
            for n in range(4) for x in values.datasets(n) for y in relation.neighbours(x, values)
        }
        for title, relation in relations.items()
    }  # fmt: skip
    for axes, (title, relation) in zip(plot_moves(moves).axes, relations.items(), strict=True):
        l1, l2 = (
            float(sl.global_sensitivity(bins, values, size=range(4), relation=relation, norm=norm))
            for norm in (1, 2)
        )
        diamond, circle, dots = axes.lines
        assert {tuple(map(int, place)) for place in dots.get_xydata()} == moves[title]
        assert np.abs(diamond.get_xydata()).sum(axis=1) == pytest.approx(l1)
        assert np.hypot(*circle.get_xydata().T) == pytest.approx(l2)
        assert axes.get_xlabel() == f"L1 {l1:g}, L2 {l2:.4g}"
        assert axes.get_title() == title


# --- audits --------------------------------------------------------------------------------


def cases(*numbers):
    return [
        Case("a library", "1.0", str(i), "none", (row(*each),)) for i, each in enumerate(numbers)
    ]


def test_lanes_hold_their_cases_and_count_those_that_agree():
    """Catches a count that is off by one, a lane in another's place, and 0 or ∞ off the axis."""
    lanes = {"first": cases((1, 2), (2, 4), (3, 3)), "second": cases((0, 1), (1, 0), (5, 4))}
    figure = plot_lanes(lanes)
    axes = figure.axes[0]
    marks = {
        (line.get_marker(), *map(float, line.get_xydata()[0]))
        for line in axes.lines if line.get_marker() in "Xo^"
    }  # fmt: skip
    assert marks == {
        ("X", 0.5, 0.2), ("o", 1, 0), ("X", LEFT, 1.2), ("^", RIGHT, 0.8), ("^", 1.2, 0.8),
    }  # fmt: skip
    assert texts(axes) == ["2"]
    assert axes.texts[0].xy == (0.5, 0.2)
    assert [text.get_text() for text in figure.legends[0].texts] == ["too small", "exact", "loose"]
    low, high = axes.get_xlim()
    assert low < LEFT
    assert high > RIGHT


def test_two_peaks_are_as_far_apart_as_the_answers_and_as_wide_as_the_claim():
    """Catches a cost that is not the one drawn."""
    (axes,) = plot_costs({"sum": row(2, 3)}).axes
    here, there = (line.get_xydata() for line in axes.lines)
    assert here[here[:, 1].argmax()].tolist() == [0, 1]
    assert there[there[:, 1].argmax()].tolist() == [3, 1]
    # Laplace noise of scale 2: the logarithms of the densities fall by 1/2 a unit, and two
    # outputs of one dataset tell the same
    away = np.abs(here[:, 0]) / 2
    assert np.log(here[:, 1]) == pytest.approx(-away)
    assert axes.get_title(loc="left") == "sum: ε = 1.5"


def test_gaussian_noise_is_paid_in_rho():
    """Catches a bell that is not that of σ² = claim² / 2, at which ρ is 1."""
    (axes,) = plot_costs({"tree": row(2, 3)}, GAUSSIAN).axes
    x, density = axes.lines[0].get_xydata().T
    assert np.log(density) == pytest.approx(-(x**2) / (2 * (2**2 / 2)))
    assert axes.get_title(loc="left") == "tree: ρ = 2.25"


def test_a_claim_of_nothing_has_no_noise_and_costs_everything():
    """Catches a division by a claim of 0."""
    axes, other = plot_costs({"a": row(0, 2), "b": row(2, 2)}).axes
    assert axes.get_title(loc="left") == "a: ε = ∞"
    assert axes.get_xlim() == pytest.approx((-0.04, 2.04))
    assert other.get_xlim() == (-12, 14)
    assert {to_hex(line.get_color()) for line in axes.lines} == {ADDED, REMOVED}
    assert to_hex(axes.spines["bottom"].get_edgecolor()) == INK


def test_a_tick_shows_who_is_a_neighbour():
    """Catches a table that calls a dataset a neighbour which the relation does not list."""
    universe = sl.Universe.population([1, 2, 3, 4])
    others = [*universe.datasets(size=2), *universe.datasets(size=3), (1, 2, 3, 4)]
    relations = [sl.Change(1), sl.AddRemove(2), sl.SymmetricDifference(2)]
    table = Ticks((1, 2, 3), others, relations)
    for j, relation in enumerate(relations):
        listed = set(relation.neighbours((1, 2, 3), universe))
        said = [row[j] == "yes" for row in table.answers]
        assert said == [other in listed for other in others]
    cells = re.findall(r'<td class="tick(\d)"><i>\?</i><b>(.*?)</b>', table._repr_html_())
    assert cells == [(str(j), said) for row in table.answers for j, said in enumerate(row)]
