"""Every colour of the pages, in the light and in the dark,
and the style sheet that is made of them.

The pictures' own are the package's, `sensitivity_lab.plotting`. A script or a style takes a colour
by its name: `var(--lab-blue)`.
"""

from collections.abc import Mapping

from sensitivity_lab.plotting import (
    ADDED,
    ADDED_TINT,
    BAND,
    CLAIMED,
    COLOURS,
    EXACT,
    GREY,
    GRID,
    INK,
    LOOSE,
    PALE,
    PAPER,
    REMOVED,
    REMOVED_TINT,
    TOO_SMALL,
    WORDS,
)

MIDDLE = (
    "#888"  # it is seen on a light and on a dark page; a digit behind it lets them shine through
)

# What each colour of a figure is on a dark page, where the ground is the page's own. Of what is a
# line or a mark the contrast with it is 3 or more, of what writes words 4.5.
DARK = {
    INK: "#d9dfe5",
    PAPER: "#14181d",
    GREY: "#9aa3ab",
    PALE: "#6f7a84",
    GRID: "#2f3841",
    BAND: "#2a323b",
    ADDED: "#5cb3ea",
    REMOVED: "#f28e45",
    ADDED_TINT: "#1d3d52",
    REMOVED_TINT: "#53301a",
    CLAIMED: "#ab9df0",
    EXACT: "#35c79a",
    LOOSE: "#e6c04a",
    TOO_SMALL: "#ee82ad",
    COLOURS[3]: "#4fd0a8",
    COLOURS[6]: "#a0a7ae",
    "#808080": "#8f99a2",
    WORDS: "#b4bcc4",
    "#d5d5d5": "#3a434c",
    "#c8c8c8": "#4a545e",
    "#000000": "#d9dfe5",
}
# What lies behind lines and words.
GROUNDS = {PAPER, GRID, BAND, ADDED_TINT, REMOVED_TINT, "#d5d5d5", "#c8c8c8"}

# A page's colours, light and dark: one blue and one orange, the logo's; then the board's verdicts.
PAGE = {
    "blue": ("#1b6293", "#86c1ea"),
    "orange": ("#944607", "#f0a75c"),
    "grey": ("#5b6875", "#a6b0ba"),
    "line": ("#d5dee6", "#36414d"),
    "tint": ("#f0f5f9", "#1d2530"),
    "paper": (PAPER, DARK[PAPER]),
    "white": (PAPER, PAPER),
    "shade": ("#0003", "#fff3"),
    "chosen": ("#6aa9d855", "#6aa9d855"),
    "failed": ("#a3142b", "var(--pst-color-danger)"),
    "too-small": (TOO_SMALL, DARK[TOO_SMALL]),
    "loose": ("#7d5200", DARK[LOOSE]),
    "exact": ("#00704f", DARK[EXACT]),
}
# What the theme draws with.
THEME = {"primary": PAGE["blue"], "link": PAGE["blue"], "inline-code": ("#7c3a00", "#f3bd86")}
THEME_IN_THE_DARK = {
    "background": DARK[PAPER],
    "on-background": "#1b2128",
    "text-base": DARK[INK],
    "text-muted": PAGE["grey"][1],
}


def stylesheet() -> str:
    """Return every colour as a variable of a page, dark where the page or JupyterLab is."""
    own, theme = ((_side(pairs, 0), _side(pairs, 1)) for pairs in (PAGE, THEME))
    blocks = {
        ":root": _named("lab", own[0]),
        'html[data-theme="dark"], [data-jp-theme-light="false"]': _named("lab", own[1]),
        'html[data-theme="light"]': _named("pst-color", theme[0]),
        'html[data-theme="dark"]': _named("pst-color", theme[1] | THEME_IN_THE_DARK),
        '@media screen { html[data-theme="dark"]': _named("fig", {c[1:]: DARK[c] for c in DARK}),
        "@media print { html[data-theme]": _named("lab", own[0] | {"tint": PAPER}),
    }
    return "".join(
        f"{where} {{\n{lines}}}{' }' * where.startswith('@')}\n" for where, lines in blocks.items()
    )


def _side(pairs: Mapping[str, tuple[str, str]], side: int) -> dict[str, str]:
    return {name: pair[side] for name, pair in pairs.items()}


def _named(family: str, colours: Mapping[str, str]) -> str:
    return "".join(f"  --{family}-{name}: {colour};\n" for name, colour in colours.items())
