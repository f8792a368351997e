"""An explorer: knobs, and what a pure function shows at each of their settings.

It has three lives. With a kernel its knobs are widgets, and every setting is computed when it is
chosen. On a page without one the knobs are plain inputs, and all settings were computed when the
page was made; the page needs no network. Where a page runs Python itself, its script asks
`sensitivity_book.live.explorers` for any setting, also for those that are typed.
"""

from __future__ import annotations

import html
import io
import itertools
import json
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ipywidgets
import traitlets
from anywidget import AnyWidget
from matplotlib.figure import Figure

from sensitivity_book.pictures.drawings import lean, named_apart, themed
from sensitivity_book.pictures.phone import NO_VERSION, PAGE, as_png
from sensitivity_lab.plotting import STYLE

MOST_FRAMES = 1000
PAGE_FORM = "application/vnd.sensitivity-lab.page"  # what a stored notebook keeps for its page
IN_PAGE: bool = sys.platform == "emscripten"  # Python runs in the page that shows what it says

NO_SCRIPT = (
    "<noscript><p><em>The knobs need JavaScript, which is switched off. "
    "The picture shows one setting.</em></p></noscript>"
)


@dataclass(frozen=True)
class View:
    """What is shown at one setting: figures or SVG, a sentence, the pictures in words."""

    figures: tuple[Figure | str, ...]
    text: str
    alt: str
    phone: Callable[[], tuple[str, ...]] = tuple
    of_svg: Callable[[], tuple[Figure, ...]] = tuple  # what its SVG shows, as figures

    def stills(self) -> tuple[Figure, ...]:
        """The pictures as figures."""
        return self.of_svg() or tuple(one for one in self.figures if isinstance(one, Figure))


@dataclass(frozen=True)
class Range:
    """The numbers that may be typed, where a page runs Python: from `low` to `high`."""

    low: float
    high: float
    whole: bool = True

    @property
    def words(self) -> str:
        """The numbers in words."""
        return f"{'whole ' * self.whole}number from {self.low:g} to {self.high:g}"

    def read(self, text: str) -> int | float:
        """Return the number; raises ValueError for a text that is none of them."""
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not self.low <= number <= self.high or (self.whole and not number.is_integer()):
            raise ValueError(f"must be a {self.words}, got {text.strip() or 'nothing'}")
        return int(number) if self.whole else number


@dataclass(frozen=True)
class Knob:
    """One argument of a view: its label, and the settings by name."""

    argument: str
    label: str
    settings: dict[str, Any]
    start: str | None = None
    ordered: bool = True
    typed: Range | None = None

    def __post_init__(self) -> None:
        if not self.settings:
            raise ValueError(f"settings of knob {self.argument} must name at least one setting")
        if self.start is not None and self.start not in self.settings:
            raise ValueError(
                f"start of knob {self.argument} must be one of {', '.join(self.names)}, "
                f"got start={self.start!r}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The settings' names, in order."""
        return tuple(self.settings)

    @property
    def first(self) -> str:
        """The name of the setting at which the explorer opens."""
        return self.start or self.names[0]

    def value(self, name: str) -> Any:
        """The argument for a setting's name, or for a number that is typed."""
        if name in self.settings:
            return self.settings[name]
        if self.typed is None:
            raise ValueError(f"{self.label} must be one of {', '.join(self.names)}, got {name!r}")
        try:
            return self.typed.read(name)
        except ValueError as error:
            raise ValueError(f"{self.label} {error}") from None


@dataclass(frozen=True)
class Own:
    """A text field, where Python runs, whose value takes the place of a knob's setting."""

    argument: str
    label: str
    example: str
    parse: Callable[[str], Any]


class _Picture(AnyWidget):
    """The pictures of a live explorer, as HTML; a click on a part that makes a choice sends it."""

    _esm = """
        export default {
          render({ model, el }) {
            const draw = () => { el.innerHTML = model.get("value"); };
            model.on("change:value", draw);
            el.addEventListener("click", (event) => {
              const part = event.target.closest("[data-choice]");
              if (part) model.send(part.dataset.choice);
            });
            const keep = (event) => event.stopPropagation();  // JupyterLab's keys act on the cell
            const box = () => el.closest(".widget-vbox");
            requestAnimationFrame(() => box()?.addEventListener("keydown", keep));
            draw();
          },
        };
    """
    value = traitlets.Unicode().tag(sync=True)


class Explorer(ipywidgets.VBox):  # type: ignore[misc]
    """Knobs over a view, alive with a kernel and on a page without one."""

    def __init__(
        self, name: str, view: Callable[..., View], knobs: Sequence[Knob], own: Own | None = None
    ) -> None:
        self.name, self.knobs, self.own, self._view = name, tuple(knobs), own, view
        count = 1
        for knob in self.knobs:
            count *= len(knob.settings)
        if count > MOST_FRAMES:
            raise ValueError(
                f"knobs must have at most {MOST_FRAMES} combinations of settings, got {count}"
            )
        self._controls = {knob.argument: _control(knob) for knob in self.knobs}
        self._typed = (
            ipywidgets.Text(description=own.label, placeholder=own.example) if own else None
        )
        self._picture, self._sentence = _Picture(), ipywidgets.HTML()
        self._picture.on_msg(self._choose)
        controls = [*self._controls.values(), *([self._typed] if self._typed else [])]
        for control in controls:
            control.style.description_width = "initial"
            control.observe(self._refresh, names="value")
        super().__init__([*controls, self._sentence, self._picture])
        self._drawn = False

    def view(self, **names: str) -> View:
        """Return what is shown at the settings of these names; others are as they open."""
        return self.typed(names)

    def typed(self, names: Mapping[str, str], own: str = "") -> View:
        """Return what is shown where a name may be a typed number, and `own` the field's text."""
        left = dict(names)
        values = {
            knob.argument: knob.value(left.pop(knob.argument, knob.first)) for knob in self.knobs
        }
        if left:
            raise ValueError(f"{self.name} has no knob {', '.join(left)}")
        if self.own and own.strip():
            values[self.own.argument] = self.own.parse(own)
        return self._view(**values)

    def _refresh(self, _change: Any = None) -> None:
        """Show what the live controls say."""
        names = {argument: control.value for argument, control in self._controls.items()}
        try:
            shown = self.typed(names, self._typed.value if self._typed else "")
        except ValueError as error:
            self._sentence.value, self._picture.value = html.escape(str(error)), ""
            return
        self._sentence.value = f"<p>{html.escape(shown.text)}</p>"
        self._picture.value = "\n".join(map(svg, shown.figures))

    def _choose(self, _picture: Any, choice: str, _buffers: Any) -> None:
        """Turn the knob that a clicked part of the picture names."""
        argument, _, name = choice.partition("=")
        self._controls[argument].value = name

    def __repr__(self) -> str:
        return f"<Explorer {self.name}: {', '.join(knob.label for knob in self.knobs)}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        if IN_PAGE:
            SHOWN[self.name] = self
            return {"text/plain": repr(self), "text/html": self.html}
        if not self._drawn:  # the widgets draw nothing until they are shown
            self._drawn = True
            self._refresh()
        bundle: dict[str, Any] = {**super()._repr_mimebundle_(**options), "text/plain": repr(self)}
        _, metadata = self._picture._repr_mimebundle_() or ({}, {})  # where its script is, in Colab
        if PAGE in os.environ:
            bundle[PAGE_FORM] = self.html
        still, size = as_png(*self.view().stills())  # without a kernel
        return {**bundle, "image/png": still}, {**metadata, "image/png": size}

    @cached_property
    def frames(self) -> dict[tuple[str, ...], View]:
        """What is shown at every combination of settings, by their names."""
        arguments = [knob.argument for knob in self.knobs]
        return {
            names: self.view(**dict(zip(arguments, names, strict=True)))
            for names in itertools.product(*(knob.names for knob in self.knobs))
        }

    @cached_property
    def html(self) -> str:
        """The explorer as a piece of a page:
        plain inputs, and every frame for static/explorers.js."""
        opening = self.view()
        picture = in_page(self.name, opening) if IN_PAGE else "\n".join(pictures(opening))
        parts = [
            f'<div class="explorer" id="explorer-{self.name}" role="group" '
            f'aria-label="Explorer: {html.escape(self.name)}">',
            NO_SCRIPT,
            *(_input(knob, f"{self.name}-{knob.argument}") for knob in self.knobs),
            f'<p role="status" aria-live="polite">{html.escape(opening.text)}</p>',
            f'<div role="img" aria-label="{html.escape(opening.alt)}">{picture}</div>',
            *(() if IN_PAGE else (self._frames(),)),
            "</div>",
        ]
        return "\n".join(parts)

    def _frames(self) -> str:
        frames = self.frames.values() if os.environ.get(PAGE, "all") == "all" else ()
        data = json.dumps(_packed(frames), ensure_ascii=False, separators=(",", ":"))
        quoted = data.replace("</", "<\\/")
        return f'<script type="application/json">{quoted}</script>'


PART = re.compile(r"(?:<(?:g|defs)\b.*\n)*.+(?:\n</.*)*")  # a drawn line, and what is around it
SHOWN: dict[str, Explorer] = {}  # by name, the explorers that a page's own cells have shown


def _packed(frames: Iterable[View]) -> dict[str, list[Any]]:
    """All frames: the lines of SVG that they share and their styles are written once."""
    styles: dict[str, int] = {}
    lines: dict[tuple[str, int], int] = {}

    def numbered(shown: View) -> Iterator[int]:
        for picture in pictures(shown):
            before: Counter[str] = Counter()
            for line in PART.findall(picture):
                short = re.sub(
                    r'style="([^"]*)"',
                    lambda found: f'style="§{styles.setdefault(found[1], len(styles))}"',
                    line,
                )
                yield lines.setdefault((short, before[short]), len(lines))
                before[short] += 1

    packed = [[shown.text, shown.alt, _runs(numbered(shown))] for shown in frames]
    return {"styles": list(styles), "lines": [line for line, _ in lines], "frames": packed}


def _runs(numbers: Iterable[int]) -> list[int]:
    """Numbers as runs that climb by one: the first of each, and its length."""
    runs: list[int] = []
    for number in numbers:
        if runs and number == runs[-2] + runs[-1]:
            runs[-1] += 1
        else:
            runs += [number, 1]
    return runs


def pictures(shown: View) -> list[str]:
    """The pictures of a page, in all their forms."""
    first, *others = shown.figures
    return [*map(svg, (first, *shown.phone(), *others))]


def in_page(name: str, shown: View) -> str:
    """The pictures as a page that runs Python shows them:
    it has stored ones beside, of other names."""
    every = enumerate(pictures(shown))
    return themed("\n".join(named_apart(each, f"live-{name}-{i}") for i, each in every))


def _control(knob: Knob) -> Any:
    kind = ipywidgets.SelectionSlider if knob.ordered else ipywidgets.Dropdown
    return kind(options=knob.names, value=knob.first, description=knob.label)


def _input(knob: Knob, place: str) -> str:
    """A knob as HTML. It is disabled until the script has come alive: no dead control."""
    at, count = knob.names.index(knob.first), len(knob.names)
    label = f'<label for="{place}">{html.escape(knob.label)}</label>'
    known = f'id="{place}" name="{knob.argument}" data-count="{count}"'
    if not knob.ordered:
        options = "".join(
            f'<option value="{i}"{" selected" if i == at else ""}>{html.escape(name)}</option>'
            for i, name in enumerate(knob.names)
        )
        body = f"<select {known} disabled>{options}</select>"
    else:
        names = html.escape(json.dumps(knob.names, ensure_ascii=False))
        body = (
            f'<input {known} type="range" min="0" max="{count - 1}" step="1" value="{at}" '
            f'data-options="{names}" aria-valuetext="{html.escape(knob.first)}" '
            f'disabled><output for="{place}">{html.escape(knob.first)}</output>'
        )
    return f'<div class="knob">{label}{body}</div>'


def svg(figure: Figure | str) -> str:
    """Return a figure as lean SVG: one element a line, without what a page does not need."""
    if isinstance(figure, str):
        return figure
    import matplotlib.pyplot as plt

    buffer = io.StringIO()
    with plt.rc_context(STYLE):
        figure.savefig(buffer, format="svg", metadata=NO_VERSION)
    return lean(buffer.getvalue())
