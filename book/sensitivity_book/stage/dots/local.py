"""Beat the package: a dataset whose neighbours are as far away as can be, or as near."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import sensitivity_lab as sl
from sensitivity_book.stage.dots.hunt import QUERIES, spread
from sensitivity_book.stage.dots.picture import BEGIN, Picture
from sensitivity_book.stage.words import decimals, text

LOCAL = {
    "ask": "How far can one record move it?",
    "most": "Show the largest",
    "least": "Show the smallest",
    **BEGIN,
}
LARGEST, SMALLEST = "No dataset has a larger one.", "No dataset has a smaller one."


def local_hunt(
    name: str,
    query: str,
    scale: Sequence[int],
    *,
    size: int,
    axis: tuple[int, int],
    calm: Sequence[int],
) -> Picture:
    """Return a hunt for the largest local sensitivity, and the smallest, under `Change(1)`."""
    if query not in QUERIES:
        raise ValueError(f"query must be one of {', '.join(QUERIES)}, got query={query!r}")
    asked, universe, change = QUERIES[query], sl.Universe.value_range(list(scale)), sl.Change(1)
    least = sl.local_sensitivity(asked, calm, universe, relation=change).value
    if least != 0:
        raise ValueError(f"calm must have the local sensitivity 0, got calm={calm} with {least}")
    most = sl.global_sensitivity(asked, universe, size=size, relation=change)
    dataset, neighbour = map(Counter, most.witness)
    (out,), (into,) = ((a - b).elements() for a, b in ((dataset, neighbour), (neighbour, dataset)))
    common = sorted((dataset & neighbour).elements())
    first, second = (asked(side) for side in most.witness)
    moved = f"the {query} moves from {text(first)} to {text(second)}, by {text(most.value)}"
    return Picture(
        name,
        "local",
        f"How far can a neighbour of a dataset move the {query}?",
        (decimals(most.value), "is the local sensitivity"),
        f"{out} to {into}: {moved}. {LARGEST}",
        [f"record {i + 1}" for i in range(size)],
        [*common, into],
        axis,
        "",
        kinds=["in"] * len(common) + ["added"],
        answer=second,
        before=first,
        ghosts=[out],
        data={
            "query": query,
            "scale": [*scale],
            "witness": [[*calm], [*common, out]],
            "ends": [SMALLEST, LARGEST],
            "opening": spread(scale, size),
            "hint": "Pull the records; then ask how far one changed record could move it.",
        },
        actions=LOCAL,
    )
