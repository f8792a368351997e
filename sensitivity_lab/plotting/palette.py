"""Every colour that the package writes; no other of its files has one."""

INK, WORDS, GREY, PALE = "#222222", "#555555", "#777777", "#b0b0b0"
GRID, BAND, PAPER = "#e0e0e0", "#e8e8e8", "#ffffff"
# In cards and pictures what joins a dataset is blue, what leaves it orange; tints lie behind lines.
ADDED, ADDED_TINT, REMOVED, REMOVED_TINT = "#0072b2", "#cfe3f1", "#d55e00", "#f6cfb8"
# A claim, the exact number, and the two ways of missing it: none is a kind of record's colour.
CLAIMED, EXACT, LOOSE, TOO_SMALL = "#5e4fa2", "#008a64", "#b87800", "#a03060"
COLOURS = [ADDED, REMOVED, CLAIMED, "#009e73", TOO_SMALL, LOOSE, "#707070"]  # of other series
