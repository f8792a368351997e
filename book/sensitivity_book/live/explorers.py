"""Any setting of an explorer, computed in the page when it is chosen."""

from __future__ import annotations

from functools import cache
from typing import Any

from sensitivity_book.stage.explorers.explorer import SHOWN, Explorer, in_page
from sensitivity_book.stage.explorers.gallery import explorers


def fields(asked: dict[str, str]) -> dict[str, Any]:
    """Return what can be typed into an explorer, beside the settings of its knobs."""
    explorer = _named(asked["explorer"])
    typed = {
        knob.argument: {"low": knob.typed.low, "high": knob.typed.high, "whole": knob.typed.whole}
        for knob in explorer.knobs
        if knob.typed
    }
    own = explorer.own and {"label": explorer.own.label, "example": explorer.own.example}
    return {"typed": typed, "own": own}


def frame(asked: dict[str, Any]) -> dict[str, str]:
    """Return what an explorer shows at some settings: sentence, words for the picture, picture."""
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
