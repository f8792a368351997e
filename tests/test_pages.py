"""What the README shows is what the package prints."""

import doctest
from pathlib import Path

import pytest

from scripts.cover import COVER, draw

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("page", ["README.md", "book/intro.md"])
def test_examples_on_the_front_pages_run(page):
    """Would catch a front page that shows what the package no longer does."""
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False)
    assert tried > 0
    assert failed == 0


def test_the_cover_is_what_the_package_draws(tmp_path):
    """Would catch a cover left behind by a change of the package."""
    draw(tmp_path / "cover.svg")
    assert (tmp_path / "cover.svg").read_text() == COVER.read_text()
