"""OpenDP's claims of 2026: every number behind them is met by another route."""

import math
from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats
from sensitivity_board import figures
from sensitivity_board.cases import opendp_2026 as of

AT = "threshold 5, scale 1"


@pytest.fixture(scope="module")
def cases():
    return {(case.function, case.setting): case for case in of.opendp_2026_cases()}


@pytest.fixture(scope="module")
def asked():
    return {(one.function, one.setting): one for one in figures.asked("opendp_2026")}


def test_every_case_says_what_was_compared_and_every_gap_what_it_costs(cases):
    """Catches a card without its scope or note, and a cost where the claim is exact."""
    for case in cases.values():
        assert case.scope
        assert case.note
        assert bool(case.loss) == (case.verdict != "exact")


# --- thresholds ------------------------------------------------------------------------------


def released(size, scale, least, top):
    """What of a key with so many rows is released, with Laplace noise: its chances, tails in one."""
    noise = stats.dlaplace(1 / scale)
    if not size:
        return {None: 1.0}
    seen = {count: float(noise.pmf(count - size)) for count in range(least, top)}
    return {
        **seen,
        "more": float(noise.sf(top - 1 - size)),
        None: float(noise.cdf(least - 1 - size)),
    }


def slack(p, q, epsilon):
    """The smallest δ for two distributions and an ε."""
    return sum(max(0.0, chance - math.exp(epsilon) * q.get(o, 0.0)) for o, chance in p.items())


@pytest.mark.parametrize("scale", [1, 3])
@pytest.mark.parametrize("least", [2, 5, 6])
def test_no_two_counts_need_more_than_a_new_key(scale, least):
    """Catches a δ that is not the worst: all counts to 9 are compared with all that are 1 away."""
    worst = max(
        slack(released(a, scale, least, 12), released(b, scale, least, 12), 1 / scale)
        for a, b in permutations(range(10), 2)
        if abs(a - b) == 1
    )
    assert worst == pytest.approx(stats.dlaplace(1 / scale).sf(least - 2), abs=1e-13)


def test_the_chance_of_a_new_key_is_that_of_the_noise_alone(cases):
    """Catches a tail that begins one too early or too late, by sums of the distribution's terms."""
    laplace = sum(stats.dlaplace(1).pmf(step) for step in range(4, 200))
    weights = {step: math.exp(-step * step / 2) for step in range(-40, 41)}
    gaussian = {
        n: sum(w for s, w in weights.items() if s >= n) / sum(weights.values()) for n in (4, 5)
    }
    exact = {name: case.row.found for name, case in cases.items()}
    assert exact["count-by with a threshold", f"Laplace, {AT}"] == pytest.approx(laplace)
    assert exact["table with a threshold", f"Gaussian on ints, {AT}"] == pytest.approx(gaussian[4])
    polars = "Polars count by group with a threshold"
    assert exact[polars, f"Laplace, {AT}"] == pytest.approx(laplace / math.e)
    assert exact[polars, f"Gaussian, {AT}"] == pytest.approx(gaussian[5])
    floats = exact["table with a threshold", f"Laplace on floats, {AT}"]
    assert floats == pytest.approx(float(stats.laplace.sf(4)))


def test_what_stays_is_what_the_notes_say(asked):
    """Catches a note about counts at the threshold that the library does not keep so."""
    for (function, _), one in asked.items():
        if "threshold" in function:
            stays = {len(rows): kept for rows, kept in one.answers.items()}
            assert stays == {4: False, 5: not function.startswith("Polars"), 6: True}


def test_the_claims_are_the_tails_that_the_notes_name(asked):
    """Catches a note that explains another number than the library's."""
    for (function, setting), one in asked.items():
        if "threshold" in function:
            tail = {"Gaussian": stats.norm.sf(4), "Laplace": stats.dlaplace(1).sf(4)}
            tail["Laplace on floats"] = stats.laplace.sf(4)
            named = setting.partition(",")[0].removesuffix(" on ints")
            assert one.claims[of.DELTA] == pytest.approx(float(tail[named]), rel=1e-6)


# --- what is enumerated ------------------------------------------------------------------------


def coded(numbers):
    """The codes of bins that are numbered as they appear."""
    order = list(dict.fromkeys(number > 1 for number in numbers))
    return [order.index(number > 1) for number in numbers]


def answer_by_hand(function, setting, dataset):
    """What the query says of a dataset, in words of our own."""
    match function, setting:
        case "cut and to_physical", "sum of the codes":
            return sum(coded(dataset))
        case "cut and to_physical", _:
            counts = Counter(coded(dataset))
            return counts[0], counts[1]
        case "cut", _:
            high = sum(number > 1 for number in dataset)
            return len(dataset) - high, high
        case "sum of a comparison", _:
            return sum(number > 1 for number in dataset)
        case "truncation", "2 groups each":
            return tuple(sum(group in person for person in dataset) for group in (0, 1))
        case "truncation", _:
            return (len(dataset),)
        case "truncation, then a new column", _:
            return (sum(len(set(person)) for person in dataset),)
    gaps = np.full((2, 2), -0.25)
    for person in dataset:
        for cell in person:
            gaps[cell] += 1
    return abs(gaps).sum() if function == "AIM scores" else abs(gaps).sum(axis=0).max()


def test_the_library_answered_as_its_queries_read(asked):
    """Catches a script that asks another query, or writes an answer under another dataset."""
    compared = 0
    for (function, setting), one in asked.items():
        if of.SENSITIVITY in one.claims:
            for dataset, answer in one.answers.items():
                by_hand = answer_by_hand(function, setting, dataset)
                assert answer == pytest.approx(by_hand), (function, setting, dataset)
                compared += 1
    assert compared == 5 * 15 + 3 * 21 + 210 + 2 * (2 * 66 + 120)


def apart(x, y):
    """How many records two datasets differ by, whatever their order."""
    return sum((Counter(a) - Counter(b)).total() for a, b in permutations((x, y)))


def test_no_smaller_pair_shows_a_gap(cases):
    """Catches a witness with more records than are needed, or whose datasets are not one apart."""
    for (function, _), case in cases.items():
        if case.verdict == "too small" and case.answers:
            pair = case.row.dataset, case.row.neighbour
            assert apart(*pair) == 1
            for (x, a), (y, b) in combinations(case.answers, 2):
                gap = float(np.abs(np.subtract(a, b)).sum())
                if apart(x, y) == 1 and gap > case.row.claimed:
                    smaller = len(x) + len(y) < sum(map(len, pair))
                    assert not smaller or function == "AIM scores"


def test_codes_move_by_the_size_of_the_data(asked):
    """Catches a wrong law of growth in the notes: n for the sum, 2n − 1 for the counts."""
    for size in range(2, 30):
        low, high = (0.5,) * size, (2.0,) + (0.5,) * size
        assert sum(coded(high)) - sum(coded(low)) == size
        counts = [Counter(coded(data)) for data in (low, high)]
        assert sum(abs(counts[0][code] - counts[1][code]) for code in (0, 1)) == 2 * size - 1
    answers = asked["cut and to_physical", "sum of the codes"].answers
    assert answers[2.0, 0.5, 0.5] != answers[0.5, 0.5, 2.0]  # the same rows


# --- the noisy maximum -----------------------------------------------------------------------


@pytest.mark.parametrize("scores", [(0, 0), (1, -1), (2, 0, 1), (0, 1, 1)])
def test_permute_and_flip_is_the_maximum_with_exponential_noise(scores):
    """Catches a wrong distribution: the same by an integral over the winner's noise."""
    steps = np.linspace(0, 40, 400_001)
    for position, chance in of.permute_and_flip(scores).items():
        density = np.exp(-steps)
        for other, score in enumerate(scores):
            if other != position:
                room = np.maximum(steps + scores[position] - score, 0)
                density = density * -np.expm1(-room)
        assert chance == pytest.approx(np.trapezoid(density, steps), abs=1e-6)
