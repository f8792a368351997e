"""Beat the package: a hunt for the widest gap between neighbours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sensitivity_lab as sl
from sensitivity_book.stage.dots.picture import BEGIN, Picture, pair
from sensitivity_book.stage.words import decimals, listed, text

MOST = {"most": "Show the most that is possible", **BEGIN}
ON = {"on": "Go on from here", **MOST}  # under Change a neighbour has the size of the dataset
CHOOSE = {"choose": "Choose another start", "on": "Pull from this start", **MOST}
QUERIES = {
    "count": sl.COUNT,
    "sum": sl.SUM,
    "mean": sl.MEAN,
    "median": sl.MEDIAN,
    "minimum": sl.MIN,
    "maximum": sl.MAX,
}


def beat(
    name: str,
    query: str,
    records: Mapping[str, int] | Sequence[int],
    *,
    size: int,
    relation: sl.Relation,
    axis: tuple[int, int],
    unit: str = "",
    claim: str = "No two neighbours are further apart.",
) -> Picture:
    """Return a hunt for the widest gap: the reader's record,
    and the most there is with its witness."""
    if query not in QUERIES:
        raise ValueError(f"query must be one of {', '.join(QUERIES)}, got query={query!r}")
    if isinstance(records, Mapping):
        universe = sl.Universe.population(list(records.values()))
    else:
        universe = sl.Universe.value_range(list(records))
    most = sl.global_sensitivity(QUERIES[query], universe, size=size, relation=relation)
    first, second = (QUERIES[query](side) for side in most.witness)
    if isinstance(records, Mapping):
        shown = _pulled_in(records, size, relation, most)
    else:
        shown = _pulled_along(records, size, relation, most)
    moved = f"the {query} moves from {text(first)} to {text(second)}, by {text(most.value)}"
    return Picture(
        name,
        label=f"How far can a neighbour move the {query}?",
        big=(decimals(most.value), "is the most there is"),
        sentence=f"{shown.pop('who')}: {moved}. {claim}",
        axis=(
            math.floor(min(axis[0], *universe.values)),  # nobody is beyond
            math.ceil(max(axis[1], *universe.values)),
        ),
        unit=unit,
        answer=second,
        before=first,
        data={
            "query": query,
            "moves": relation.moves,
            "most": pair(most.value),
            "claim": claim,
            **shown.pop("data"),
        },
        actions=ON if isinstance(relation, sl.Change) else CHOOSE,
        **shown,
    )


def _pulled_in(
    records: Mapping[str, int], size: int, relation: sl.Relation, most: sl.Sensitivity
) -> dict[str, Any]:
    """The witness in a population: who is pulled out and who is pulled in."""
    names, values = list(records), list(records.values())
    first, second = (set(side) for side in _positions(values, *most.witness))
    kinds = {(True, True): "in", (True, False): "removed", (False, True): "added"}
    out, into = ([names[i] for i in sorted(side)] for side in (first - second, second - first))
    moves = [f"{listed(some)} {where}" for some, where in ((out, "out"), (into, "in")) if some]
    return {
        "game": "moving",
        "names": names,
        "values": values,
        "kinds": [kinds.get((i in first, i in second), "open") for i in range(len(names))],
        "who": ", ".join(moves),
        "data": {
            "witness": [sorted(first), sorted(second)],
            "opening": [*range(size)],
            "hint": _hint(relation),
        },
    }


def _positions(values: list[int], *sides: Sequence[int]) -> Iterable[list[int]]:
    """Which records each dataset holds: of equal values the first,
    so that shared ones are shared."""
    for side in sides:
        left = Counter(side)
        yield [i for i, value in enumerate(values) if left[value] > values[:i].count(value)]


def _pulled_along(
    scale: Sequence[int], size: int, relation: sl.Relation, most: sl.Sensitivity
) -> dict[str, Any]:
    """The witness on a scale: which records are pulled, from where to where."""
    if not isinstance(relation, sl.Change):
        raise ValueError(f"relation must be Change where records lie on a scale, got {relation}")
    first, second = map(Counter, most.witness)
    common, out, into = (
        sorted(some.elements()) for some in (first & second, first - second, second - first)
    )
    pairs = [*((one, one) for one in common), *zip(out, into, strict=True)]
    before, after = zip(*pairs, strict=True)
    return {
        "game": "sliding",
        "names": [f"record {i + 1}" for i in range(len(pairs))],
        "values": after,
        "kinds": ["in" if before == after else "added" for before, after in pairs],
        "ghosts": out,
        "who": listed([f"{one} to {other}" for one, other in zip(out, into, strict=True)]),
        "data": {
            "scale": [*scale],
            "witness": [before, after],
            "opening": spread(scale, size),
            "hint": f"Pull {_many(relation)} along the line.",
        },
    }


def spread(scale: Sequence[int], size: int) -> list[int]:
    """Return where the records of a scale begin: evenly along it, from its lowest value."""
    return [scale[i * len(scale) // size] for i in range(size)]


def _many(relation: sl.Relation) -> str:
    return "one record" if relation.k == 1 else f"up to {relation.k} records"


def _hint(relation: sl.Relation) -> str:
    """What the reader is asked to do: one pull, or several, that make a neighbour."""
    k = relation.k
    if isinstance(relation, sl.Change):
        return "Pull one out and another in." if k == 1 else f"Pull up to {k} out, and as many in."
    many = f"up to {k}" if relation.at_most and k > 1 else {1: "one"}.get(k, str(k))
    if isinstance(relation, (sl.Add, sl.Remove)):
        return f"Pull {many} {'in' if isinstance(relation, sl.Add) else 'out'}."
    return f"Pull {many} in{' or' if k == 1 or relation.at_most else ', or ' + many} out."
