"""dp-accounting 0.6.0: RDP accountant, Gaussian event, multiplier 1, one record replaced."""

import math

import dp_accounting as dpa
from dp_accounting.rdp import RdpAccountant

DELTA = 1e-5
DATASETS = [[1], [-1]]  # records have an absolute value of at most C = 1; the noise s is 1


def claim():
    accountant = RdpAccountant(neighboring_relation=dpa.NeighboringRelation.REPLACE_ONE)
    return accountant.compose(dpa.GaussianDpEvent(noise_multiplier=1)).get_epsilon(DELTA)


def answer(dataset):
    """The chance that the sum, with normal noise of deviation 1, is above 5."""
    return math.erfc((5 - sum(dataset)) / math.sqrt(2)) / 2


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print("claimed: ε =", claim(), " needed: at least", math.log((x - DELTA) / y))
