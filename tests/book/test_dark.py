"""The colours of figures on a dark page."""

import pytest
from sensitivity_book import palette

from sensitivity_lab.plotting import style


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    high, low = sorted(map(luminance, (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_are_seen_in_the_dark():
    """Catches a line that fades into a dark page, and words that cannot be read on it."""
    paper = palette.DARK[style.PAPER]
    marks = (style.ADDED, style.REMOVED, style.EXACT, style.CLAIMED)
    words = {style.INK, palette.WORDS, "#000000", *marks}
    for light, dark in palette.DARK.items():
        if light not in palette.GROUNDS:
            assert contrast(dark, paper) >= (4.5 if light in words else 3), light
        else:  # what stands on it is seen
            assert contrast(palette.DARK[style.INK], dark) >= 4.5, light
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
