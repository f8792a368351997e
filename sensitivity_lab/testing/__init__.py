"""For other people's tests: claims that must hold, spies for claims, datasets for Hypothesis."""

from sensitivity_lab.audit.worst_pairs import Pair, worst_pairs
from sensitivity_lab.testing.asserted import assert_sensitivity
from sensitivity_lab.testing.claimed import Claimed
from sensitivity_lab.testing.spies import Spied, claims_of, spied
from sensitivity_lab.testing.strategies import datasets, neighbouring_pairs

__all__ = [
    "Claimed",
    "Pair",
    "Spied",
    "assert_sensitivity",
    "claims_of",
    "datasets",
    "neighbouring_pairs",
    "spied",
    "worst_pairs",
]
