"""For other people's tests: claims that must hold, datasets for Hypothesis.

The widest pairs feed other auditors. A dataset generator of Google's DP-Auditorium is a function of
the last estimate that gives two datasets:

>>> from itertools import cycle
>>> from sensitivity_lab import SUM, Change, Universe
>>> ages = Universe.value_range([0, 30, 100])
>>> widest = worst_pairs(SUM, ages, size=2, relation=Change(1), count=5)
>>> pairs = cycle((pair.dataset, pair.neighbour) for pair in widest)
>>> def generator(last_estimate):
...     return next(pairs)
>>> generator(None)
((0, 0), (0, 100))

dp-recorder runs a mechanism on a dataset, and replays it on a neighbour: `pair.dataset` and
`pair.neighbour`.
"""

from sensitivity_beyond.audit.worst_pairs import Pair, worst_pairs
from sensitivity_beyond.testing.asserted import assert_sensitivity
from sensitivity_beyond.testing.conformance import check_query
from sensitivity_beyond.testing.strategies import datasets, neighbouring_pairs

__all__ = [
    "Pair",
    "assert_sensitivity",
    "check_query",
    "datasets",
    "neighbouring_pairs",
    "worst_pairs",
]
