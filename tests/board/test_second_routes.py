"""Exact numbers of the board without a table of answers, each by another route."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sensitivity_board as sb
from scipy import integrate, stats
from sensitivity_board.cases import accounting, opendp_2026, sums_asked
from sensitivity_board.cases.jax_privacy import ENCODERS, THREE_ROUNDS, jax_privacy_cases
from sensitivity_board.figures import figures
from sensitivity_book.theory.vectors import by_every_contribution, gram, published_bound

ROOT_10, STEPS = math.sqrt(10), np.linspace(-30, 30, 1_200_001)
SAMPLED, DRAWN = "Gaussian, Poisson sample of 1/10", "Gaussian, 1 of 2 drawn"
# Event, relation, and the two noisy answers of its widest pair: centres with their chances.
PAIRS = [
    ("Gaussian", "ADD_OR_REMOVE_ONE", {1: 1}, {0: 1}),
    ("Gaussian", "REPLACE_SPECIAL", {1: 1}, {0: 1}),
    ("Gaussian", "REPLACE_ONE", {1: 1}, {-1: 1}), ("Laplace", "REPLACE_ONE", {1: 1}, {-1: 1}),
    ("10 Gaussians", "ADD_OR_REMOVE_ONE", {ROOT_10: 1}, {0: 1}),
    ("10 Gaussians", "REPLACE_ONE", {ROOT_10: 1}, {-ROOT_10: 1}),
    (SAMPLED, "ADD_OR_REMOVE_ONE", {0: 0.9, 1: 0.1}, {0: 1}),
    (SAMPLED, "REPLACE_ONE", {0: 0.9, 1: 0.1}, {0: 0.9, -1: 0.1}),
    (DRAWN, "REPLACE_ONE", {-1: 0.5, 1: 0.5}, {-1: 1}),
    ("Laplace", "ADD_OR_REMOVE_ONE", {1: 1}, {0: 1}),
]  # fmt: skip


@pytest.mark.parametrize(("event", "relation", "here", "there"), PAIRS)
def test_an_event_needs_what_an_integral_needs(event, relation, here, there):
    """Catches a pair that is not the widest, a lost tail, and an ε that leaves another δ."""
    noise = stats.laplace if event == "Laplace" else stats.norm
    sides = here.items(), there.items()
    p, q = (sum(chance * noise.pdf(STEPS, at) for at, chance in side) for side in sides)
    factor = math.exp(accounting.worst(event, relation).loss[0])
    excesses = (np.maximum(one - factor * other, 0) for one, other in ((p, q), (q, p)))
    slack = max(integrate.trapezoid(excess, STEPS) for excess in excesses)
    assert slack == pytest.approx(1e-5, rel=3e-5)


@pytest.mark.parametrize(("relation", "other"), [("REPLACE_ONE", 0.25), ("REPLACE_SPECIAL", 0.5)])
def test_randomized_response_meets_all_its_events(relation, other):
    """Catches an outcome that is not the worst: each is asked, in both orders."""
    chances = [(0.75, other), (other, 0.75), (0.25, 1 - other), (1 - other, 0.25)]
    needed = max(math.log((p - 1e-5) / q) for p, q in chances)
    assert accounting.worst("randomized response", relation).loss[0] == pytest.approx(needed)


@pytest.fixture(scope="module")
def jax_cases():
    return jax_privacy_cases()


def test_matrix_mechanisms_by_the_definition(jax_cases):
    """Catches a pattern that is left out: the longest C·u over all u of −1, 0 and 1."""
    for case in jax_cases:
        name, *limits = case.setting.split("; ")
        if case.row.relation == "Person" and name in ENCODERS and "epochs" not in case.setting:
            told = dict(limit.rsplit(" ", 1) for limit in limits)
            most = None if told["most"] == "any" else int(told["most"])
            squared = by_every_contribution(ENCODERS[name], int(told["min_sep"]), most)
            assert case.row.found == pytest.approx(math.sqrt(squared), rel=1e-12)


def test_the_published_bound_is_the_librarys():
    """Catches a bound of ours that is another one: the library's, to six digits."""
    table = figures("jax_privacy")
    for figure in table[table["query"] == "get_min_sep_sensitivity_upper_bound"].itertuples():
        name, _, sep, most = figure.parameters.split("; ")
        encoder, k = {**ENCODERS, "three rounds": THREE_ROUNDS}[name], most.removeprefix("most ")
        bound = published_bound(encoder, int(sep.split()[1]), None if k == "any" else int(k))
        assert f"{math.sqrt(bound):.6g}" == figure.value


def test_a_person_in_a_plane_in_three_rounds(jax_cases):
    """Catches vectors too long or turned otherwise, and a claim that its note misnames."""
    rows = [case.row for case in jax_cases if case.setting.startswith("three rounds")]
    (found,) = {row.neighbour[0] for row in rows}
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1, 1])
    assert np.linalg.norm(np.array(THREE_ROUNDS) @ np.array(found)) ** 2 == pytest.approx(76 / 3)
    sizes = sum(abs(x) for row in gram(THREE_ROUNDS) for x in row)
    assert {row.claimed for row in rows} == {float(f"{math.sqrt(sizes):.6g}")}


def test_the_chance_of_a_new_key_is_that_of_the_noise_alone():
    """Catches a tail that begins one too early or too late, by sums of the distribution's terms."""
    laplace = sum(stats.dlaplace(1).pmf(step) for step in range(4, 200))
    weights = {step: math.exp(-step * step / 2) for step in range(-40, 41)}
    gaussian = {n: sum(w for s, w in weights.items() if s >= n) for n in (4, 5, -40)}
    polars = "Polars count by group with a threshold"
    expected = {
        ("count-by with a threshold", "Laplace"): laplace,
        ("table with a threshold", "Laplace on floats"): float(stats.laplace.sf(4)),
        ("table with a threshold", "Gaussian on ints"): gaussian[4] / gaussian[-40],
        (polars, "Laplace"): laplace / math.e,
        (polars, "Gaussian"): gaussian[5] / gaussian[-40],
    }
    cases = [case for case in sb.opendp_2026_cases() if case.function.endswith("threshold")]
    found = {(case.function, case.setting.split(", thr")[0]): case.row.found for case in cases}
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("scores", [(0, 0), (1, -1), (2, 0, 1), (0, 1, 1)])
def test_permute_and_flip_is_the_maximum_with_exponential_noise(scores):
    """Catches a wrong distribution: the same by an integral over the winner's noise."""
    steps = np.linspace(0, 40, 400_001)
    for position, chance in opendp_2026.permute_and_flip(scores).items():
        rooms = (np.maximum(steps + scores[position] - score, 0) for score in scores)
        others = [-np.expm1(-room) for i, room in enumerate(rooms) if i != position]
        density = np.prod([np.exp(-steps), *others], axis=0)
        assert chance == pytest.approx(np.trapezoid(density, steps), abs=1e-6)


LONG = [("pydp", 2**27), ("pipelinedp_sums", 2**17), ("smartnoise_sums", 2**19)]  # and m, below


@pytest.mark.parametrize(("name", "m"), LONG)
def test_the_long_sums_move_as_the_paper_says(name, m):
    """Catches a long dataset, which no checker builds, that is not the one it is said to be.

    With m ones, each of the m/2 pairs that follow adds the spacing at m, m/2⁵², and with one fewer
    none does: the gap is 1 + m²/2⁵³.
    """
    (tool,) = [one for one in sums_asked.watched(name) if "(-1.0, 1.0)" in one.setting]
    x, y = tool.answers
    assert [sums_asked.size_of(side) for side in (x, y)] == [2 * m, 2 * m - 1]
    assert x[0] == ((1.0,), m)
    up, down = x[1][0]
    spacing = Fraction(m, 2**52)
    assert (Fraction(up) + Fraction(down), x[1]) == (spacing / 2**51, y[1])
    assert 0 < up - spacing / 2 < spacing / 1000
    assert Fraction(tool.answers[x]) - Fraction(tool.answers[y]) == 1 + Fraction(m**2, 2**53)
