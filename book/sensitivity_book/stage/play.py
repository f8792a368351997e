"""What all plays are made of, as pieces of a page that static/stage.js brings to life,
and as a notebook shows them."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from importlib import resources
from typing import Any

import traitlets
from anywidget import AnyWidget

from sensitivity_book.palette import stylesheet
from sensitivity_book.pictures.phone import PAGE
from sensitivity_book.stage.explorers.explorer import IN_PAGE, PAGE_FORM

STATIC = resources.files("sensitivity_book.stage") / "static"
RUN = "<p><em>Run this cell to play.</em></p>"
RENDER = """
export default {
  render({ model, el }) {
    el.innerHTML = model.get("value");
    // JupyterLab's keys act on the cell.
    el.addEventListener("keydown", (event) => event.stopPropagation());
    globalThis.NAME.start(el.firstElementChild);
  },
};
"""


def no_script(words: str) -> str:
    """What a reader without JavaScript is told."""
    return f"<noscript><p><em>{words}</em></p></noscript>"


def says(number: str, what: str, sentence: str) -> str:
    """The number that is said first, what it counts, and the sentence."""
    return (
        f'<p class="says" role="status" aria-live="polite"><span class="big"><b>{number}</b>'
        f'<span> {what}</span></span> <span class="sentence">{html.escape(sentence)}</span></p>'
    )


def dial(place: str, ends: tuple[str, str, str], value: str, shown: str, spoken: str = "") -> str:
    """The dial for ε, from one end to the other by steps;
    a page without JavaScript does not show it."""
    low, high, step = ends
    told = f' aria-valuetext="{spoken}"' if spoken else ""
    return (
        f'<div class="dial"><label for="{place}">privacy dial ε</label>'
        f'<input id="{place}" type="range" min="{low}" max="{high}" step="{step}" '
        f'value="{value}"{told} disabled><output for="{place}">{shown}</output></div>'
    )


def slider(
    kind: str,
    label: str,
    ends: tuple[float, float],
    now: str,
    look: str,
    content: str,
    more: str = "",
) -> str:
    """A part that is pulled along the line, and moved by keys."""
    return (
        f'<span class="{kind}"{more} role="slider" aria-disabled="true" aria-label="{label}" '
        f'aria-valuemin="{ends[0]:g}" aria-valuemax="{ends[1]:g}" aria-valuenow="{now}" '
        f'style="{look}">{content}</span>'
    )


def buttons(actions: Mapping[str, str]) -> str:
    """A button for each action, dead until the script has come alive."""
    return "\n".join(
        f'<button type="button" data-action="{action}" disabled>{label}</button>'
        for action, label in actions.items()
    )


def static(name: str) -> str:
    """A script or a style of the book's pages;
    where a page runs Python, the page has it already."""
    return "" if IN_PAGE else (STATIC / name).read_text(encoding="utf-8")


def style(name: str) -> str:
    """The style of a play, and the colours that it takes."""
    return "" if IN_PAGE else stylesheet() + static("stage.css") + static(name)


def script(name: str) -> str:
    """The script of a play, started where it is shown."""
    return static("stage.js") + static(f"{name.lower()}.js") + RENDER.replace("NAME", name)


class Drawn(AnyWidget):
    """A play by its own script and style: alive in a session, its HTML on a page made of it."""

    value = traitlets.Unicode().tag(sync=True)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        data = {**(data or {}), "text/plain": repr(self)}
        data["text/html"] = self.value if IN_PAGE else RUN
        if PAGE in os.environ:
            data[PAGE_FORM] = self.value
        return data, metadata
