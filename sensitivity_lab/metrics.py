"""How far apart two answers that are no numbers lie: ready functions for `output_metric`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from sensitivity_lab.numbers.exact import brief, is_sequence


def labels_that_differ(a: Any, b: Any) -> int:
    """Return how many labels differ: of two labels, of two lists by place, of two dicts or Series by key.

    >>> labels_that_differ("ann", "bo"), labels_that_differ(["ann", "bo"], ["ann", "cy"])
    (1, 1)
    >>> labels_that_differ({"law": "ann", "art": "bo"}, {"law": "ann"})
    1

    A place or a key that one answer alone has differs. Sets are measured by `symmetric_distance`.
    Cost: linear in the labels.
    """
    here, there = _by_key(a), _by_key(b)
    return sum(
        bool(key not in here or key not in there or here[key] != there[key])
        for key in {**here, **there}
    )


def _by_key(answer: Any) -> dict[Any, Any]:
    if isinstance(answer, Mapping):
        return dict(answer)
    if hasattr(answer, "items"):  # a Series of pandas
        return dict(answer.items())
    return dict(enumerate(answer if is_sequence(answer) else [answer]))


def rank_distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Return how many pairs of labels two rankings put the other way round (Kendall's distance).

    >>> rank_distance(["ann", "bo", "cy"], ["cy", "ann", "bo"])
    2

    Both must rank the same labels, each once; ValueError says which they do not.
    Cost: quadratic in the labels.
    """
    for name, ranking in (("a", a), ("b", b)):
        if not is_sequence(ranking):
            raise TypeError(f"{name} must be a ranking, a list of labels, got {brief(ranking)}")
    one, other = list(a), list(b)
    if Counter(one) != Counter(other) or len({*one}) < len(one):
        raise ValueError(
            f"rankings must have the same labels, each once, got {brief(one)} and {brief(other)}"
        )
    place = {label: i for i, label in enumerate(other)}
    return sum(place[first] > place[then] for first, then in combinations(one, 2))
