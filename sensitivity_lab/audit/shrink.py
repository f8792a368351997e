"""A pair made plainer: fewer records and fewer values, as long as its gap stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sensitivity_lab.audit.layouts import Layout
from sensitivity_lab.audit.trials import Trials

MOST_TARGETS = 4  # values that a rarer one is replaced by


def shrink(trials: Trials) -> None:
    """Make the widest pair plainer, step by step. Raises Spent."""
    assert trials.best is not None
    while True:
        held = trials.best
        plainer = (trials.ask(layout) for layout in _plainer(trials, held.layout))
        kept = next((tried for tried in plainer if tried.gap >= held.gap), None)
        if kept is None:
            return
        trials.best = kept


def _plainer(trials: Trials, layout: Layout) -> Iterator[Layout]:
    """The pairs with a shared record fewer, where sizes are free, then those with fewer values."""
    if layout.common and layout.move in trials.problem.plan.get(layout.size - 1, ()):
        for value, _ in Counter(layout.common).most_common():
            common = list(layout.common)
            common.remove(value)
            yield Layout(tuple(common), layout.removed, layout.added)
    held = Counter(layout.common + layout.removed + layout.added).most_common()
    for old, _ in reversed(held):
        for new, _ in held[:MOST_TARGETS]:
            replaced = _replaced(layout, old, new)
            if old != new and replaced.fits(trials.universe):
                yield replaced


def _replaced(layout: Layout, old: int, new: int) -> Layout:
    """A layout with one value in the place of another."""
    return Layout.of([[new if value == old else value for value in part] for part in layout.parts])
