"""The two tents: their numbers by a second route, and the sentence that stands without a script."""

from dataclasses import replace
from itertools import product

import pytest
from conftest import drawn
from scipy import stats
from sensitivity_book.stage.tents import Tents, big, sentence

STATES = [
    Tents(*state)
    for state in product(
        (0, 21, 60), (0, 22, 40, 60), (0.1, 1.0, 2.0), (-5, 3, 3.5, 5.1, 15), (None, 3, 19)
    )
]


def noises(state):
    """Laplace noise around each of the two answers, made for their distance or for another."""
    gap = abs(state.one - state.other) if state.made_for is None else state.made_for
    scale = max(gap, 3) / 6 / state.epsilon
    return [stats.laplace(centre / 6, scale) for centre in (state.one, state.other)]


def test_the_tents_are_scipys():
    """Catches a density, a ratio or a belief that is computed wrongly, in a part of 540 states."""
    for state in drawn(STATES, 4):
        tents = noises(state)
        heights = [float(tent.pdf(state.x)) for tent in tents]
        assert state.heights(state.x) == pytest.approx(heights, rel=1e-12)
        ratio = float(tents[0].logpdf(state.x) - tents[1].logpdf(state.x))
        assert state.loss == pytest.approx(ratio, rel=1e-9, abs=1e-9)
        if min(heights) > 0:
            assert state.belief == pytest.approx(heights[0] / sum(heights), rel=1e-9)


def test_the_areas_are_scipys():
    """Catches a wrong chance of a stretch, on either side and across an answer."""
    for state in drawn(STATES, 9):
        for end in (state.x - 0.1, state.x + 4, -4.9):
            low, high = sorted((state.x, end))
            for tent, area in zip(noises(state), replace(state, end=end).sizes, strict=True):
                from_left, from_right = tent.cdf(high) - tent.cdf(low), tent.sf(low) - tent.sf(high)
                assert area == pytest.approx(min(from_left, from_right), rel=1e-3, abs=1e-15)
                assert area == pytest.approx(from_left, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (-5, "Broken: at most 2.72 times was promised."),
        (5, "not here: at most 2.72 times was promised, and outside both answers it is 23.5"),
    ],
)
def test_noise_made_for_less_breaks_it(x, words):
    """Catches a sensitivity too small that goes unnoticed, at an end or between the answers."""
    state = Tents(0, 60, 1.0, x, made_for=19)
    assert not state.is_kept
    assert words in sentence(state)
    assert state.holds_here == (x == 5)
    assert (big(state) == ("23.5", "times as likely with Chris")) == (x == -5)
