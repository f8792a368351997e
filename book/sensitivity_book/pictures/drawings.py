"""Drawings that are a part of a page: lean, of colours that follow its theme,
and with a form for a phone.

Where a drawing has a form for a phone, hidden in it, the two stand side by side, and the style
sheet shows one of them; the other is not there for a screen reader either.
"""

import re
from collections.abc import Callable, Iterator

from sensitivity_book.palette import DARK
from sensitivity_book.pictures.phone import HIDDEN

COLOUR = re.compile(r"\b(fill|stroke): ?(#[0-9a-f]{6})\b")


def inline(image: str, svg: str) -> str:
    """A drawing, and its form for a phone, in the place of its image, with its words."""
    wide, hidden, narrow = svg.partition(HIDDEN)
    if not hidden:
        return drawing(image, wide, "")
    narrow = narrow[: narrow.rindex("</svg>")]
    return drawing(image, wide + "</svg>", "wide") + drawing(image, "<svg" + narrow, "phone")


def drawing(image: str, svg: str, form: str) -> str:
    """A drawing as a part of a page, named by the words and of the look that its image has."""
    has = dict(re.findall(r'(alt|class|style)="([^"]*)"', image))
    classes = " ".join(filter(None, ["drawing", form, has.get("class", "")]))
    look = f' style="{has["style"]}"' if "style" in has else ""
    told = f'role="img" aria-label="{has["alt"]}"' if has.get("alt") else 'aria-hidden="true"'
    return lean(svg).replace("<svg", f'<svg {told} class="{classes}"{look}', 1)


def themed(body: str) -> str:
    """Colours of the style become variables; without a style sheet they are what they were."""

    def variable(found: re.Match[str]) -> str:
        name, colour = found.groups()
        return f"{name}: var(--fig-{colour[1:]}, {colour})" if colour in DARK else found[0]

    return COLOUR.sub(variable, body)


def named_apart(drawing: str, place: str) -> str:
    """Give the names inside a drawing a prefix, also where they are used."""
    return re.sub(r'(\sid="|href="#|url\(#)', rf"\g<1>{place}-", drawing)


def lean(drawn: str) -> str:
    """Return the SVG that Matplotlib writes without what a page does not need."""
    text = drawn[drawn.index("<svg") :]
    for pattern, short in LEANER:
        text = re.sub(pattern, short, text, flags=re.DOTALL)
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', text))
    text = re.sub(r' id="([^"]*=[^"]*)"', r' data-choice="\1" cursor="pointer"', text)
    text = re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in used else "", text)
    return "\n".join(_without_plain_groups(text.splitlines()))


# What matplotlib writes and a page does not need, and what takes its place.
LEANER: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"<metadata>.*?</metadata>|<!--.*?-->", ""),
    (r"\n\s*(?=[^<\s])", " "),  # an element that is written over several lines
    (r"'DejaVu Sans', 'Bitstream Vera Sans'.*?sans-serif", "'DejaVu Sans', sans-serif"),
    (r' transform="rotate\(-0 [^)]*\)"', ""),
    (r"<[^<>]*>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0])),  # no number that is written
    (r"<[^<>]*>", lambda tag: re.sub(r" +(?=[\"/>])", "", tag[0])),
    (r'<g (id="[^"]*=[^"]*")>\s*(<\w+) ([^<>]*/>)\s*</g>', r"\2 \1 \3"),  # a choice of one element
)


def _without_plain_groups(lines: list[str]) -> Iterator[str]:
    """Leave out the groups that have no attribute, which matplotlib nests ten deep."""
    kept: list[bool] = []  # for each open group, whether it stays
    for line in filter(None, map(str.strip, lines)):
        if line.startswith("<g"):
            kept.append(line != "<g>")
            if not kept[-1]:
                continue
        elif line == "</g>" and not kept.pop():
            continue
        yield line
