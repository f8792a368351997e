"""A figure's colours on a dark page."""

from sensitivity_lab.plotting.style import (
    ADDED,
    ADDED_TINT,
    BAND,
    CLAIMED,
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
)

# What each colour of a figure is on a dark page, where the ground is the page's own. Of what is a line or
# a mark the contrast with it is 3 or more, of what writes words 4.5.
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
    "#009e73": "#4fd0a8",
    "#707070": "#a0a7ae",
    "#808080": "#8f99a2",
    "#555555": "#b4bcc4",
    "#d5d5d5": "#3a434c",
    "#c8c8c8": "#4a545e",
    "#000000": "#d9dfe5",
}
GROUNDS = {
    PAPER,
    GRID,
    BAND,
    ADDED_TINT,
    REMOVED_TINT,
    "#d5d5d5",
    "#c8c8c8",
}  # what lies behind lines and words
