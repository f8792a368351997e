"""The two tents: their numbers by a second route, and the sentence that stands without a script."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats
from sensitivity_book.stage.tents import Tents, big, sentence

STATES = [
    Tents(one, other, epsilon, x, made_for)
    for one, other, epsilon, x, made_for in product(
        (0, 21, 60), (0, 22, 40, 60), (0.1, 1.0, 2.0), (-5, 3, 3.5, 5.1, 15), (None, 3, 19)
    )
]


def test_the_tents_are_scipys():
    """Catches a density, a ratio or a belief that is computed wrongly, in 540 states."""
    for state in STATES:
        gap = abs(state.one - state.other) if state.made_for is None else state.made_for
        tents = [
            stats.laplace(centre / 6, max(gap, 3) / 6 / state.epsilon)
            for centre in (state.one, state.other)
        ]
        heights = [float(tent.pdf(state.x)) for tent in tents]
        assert state.heights(state.x) == pytest.approx(heights, rel=1e-12)
        ratio = float(tents[0].logpdf(state.x) - tents[1].logpdf(state.x))
        assert state.loss == pytest.approx(ratio, rel=1e-9, abs=1e-9)
        if min(heights) > 0:
            assert state.belief == pytest.approx(heights[0] / sum(heights), rel=1e-9)


def test_the_areas_are_scipys():
    """Catches a chance of a stretch that is computed wrongly, on either side and across an answer."""
    for state in STATES[::3]:
        for end in (state.x - 0.1, state.x + 4, -4.9):
            stretch = replace(state, end=end)
            ends = sorted((state.x, end))
            for centre, area in zip(stretch.centres, stretch.sizes, strict=True):
                from_left = np.diff(stats.laplace.cdf(ends, centre, stretch.scale))[0]
                from_right = -np.diff(stats.laplace.sf(ends, centre, stretch.scale))[0]
                assert area == pytest.approx(min(from_left, from_right), rel=1e-3, abs=1e-15)
                assert area == pytest.approx(from_left, rel=1e-9, abs=1e-14)


def test_noise_made_for_less_breaks_it():
    """Catches a picture in which a sensitivity that is too small goes unnoticed."""
    state = Tents(0, 60, 1.0, -5, made_for=19)
    assert not state.is_kept
    assert big(state) == ("23.5", "times as likely with Chris")
    assert sentence(state).startswith("Broken: at most 2.72 times was promised.")


def test_a_broken_promise_is_broken_between_the_answers_too():
    """Catches a picture that says "allowed" at a number where the two tents happen to be near."""
    state = Tents(0, 60, 1.0, 5, made_for=19)
    assert state.holds_here
    assert not state.is_kept
    assert (
        "though not here: at most 2.72 times was promised, and outside both answers it is 23.5"
        in sentence(state)
    )
