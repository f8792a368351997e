"""dp-accounting 0.6.0: RDP accountant, Laplace event, multiplier 1, one record replaced."""

import math

import dp_accounting as dpa
from dp_accounting.rdp import RdpAccountant

DELTA = 1e-5
DATASETS = [[1], [-1]]  # records have an absolute value of at most C = 1; the noise has scale 1


def claim():
    accountant = RdpAccountant(neighboring_relation=dpa.NeighboringRelation.REPLACE_ONE)
    return accountant.compose(dpa.LaplaceDpEvent(noise_multiplier=1)).get_epsilon(DELTA)


def answer(dataset):
    """The chance that the sum, with Laplace noise of scale 1, is above 1."""
    return math.exp(sum(dataset) - 1) / 2


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print("claimed: ε =", claim(), " needed: at least", math.log((x - DELTA) / y))
