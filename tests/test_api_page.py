"""The page of the package, held against the package."""

import re
from pathlib import Path

import sensitivity_lab as sl

API = Path(__file__).parents[1] / "book" / "api.md"


def test_every_public_name_is_on_the_api_page() -> None:
    """Catches a name that is made public and never documented."""
    named = set(re.findall(r"\w+", API.read_text(encoding="utf-8")))
    assert set(sl.__all__) <= named
