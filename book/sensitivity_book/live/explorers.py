"""Any setting of an explorer, computed in the page when it is chosen."""

from __future__ import annotations

from functools import cache
from typing import Any

from sensitivity_book.explorers.explorer import SHOWN, Explorer, in_page
from sensitivity_book.explorers.gallery import explorers


def fields(asked: dict[str, str]) -> dict[str, Any]:
    """Return what can be typed into an explorer, beside the settings of its knobs.

    >>> found = fields({"explorer": "people"})
    >>> found["typed"]["groups"], found["own"]
    ({'low': 1, 'high': 1000, 'whole': True}, None)
    """
    explorer = _named(asked["explorer"])
    typed = {
        knob.argument: {
            "low": knob.typed.low,
            "high": knob.typed.high,
            "whole": knob.typed.whole,
        }
        for knob in explorer.knobs
        if knob.typed
    }
    own = explorer.own and {
        "label": explorer.own.label,
        "example": explorer.own.example,
    }
    return {"typed": typed, "own": own}


def frame(asked: dict[str, Any]) -> dict[str, str]:
    """Return what an explorer shows at some settings: sentence, words for the picture, picture.

    >>> shown = frame({"explorer": "formula", "settings": {"claim": "sum", "k": "5"}})
    >>> shown["text"].partition(":")[2]
    ' the formula min(k, n)·R gives 12, enumeration finds 12: exact. At most 5 records added or removed: the formula k·max(|L|, |U|) gives 15, enumeration finds 15: exact.'

    A setting may be a number that is typed; `own` is the text of the reader's own records. What is
    refused is said in place of the three.
    """
    explorer = _named(asked["explorer"])
    try:
        shown = explorer.typed(asked["settings"], asked.get("own", ""))
    except ValueError as error:
        return {"refused": str(error)}
    return {"text": shown.text, "alt": shown.alt, "picture": in_page(explorer.name, shown)}


def _named(name: str) -> Explorer:
    """The explorer of this name: the last that a cell of the page has shown, or the book's."""
    known = _gallery() | SHOWN
    if name not in known:
        raise ValueError(f"no explorer {name} is known; run the cell that shows it")
    return known[name]


@cache
def _gallery() -> dict[str, Explorer]:
    return explorers()
