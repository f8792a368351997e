"""dp-accounting 0.6.0: RDP accountant, 10 Gaussian events, multiplier 1, one record replaced."""

import math

import dp_accounting as dpa
from dp_accounting.rdp import RdpAccountant

DELTA = 1e-5
DATASETS = [[1], [-1]]  # records have an absolute value of at most C = 1; the noise s is 1


def claim():
    accountant = RdpAccountant(neighboring_relation=dpa.NeighboringRelation.REPLACE_ONE)
    return accountant.compose(dpa.GaussianDpEvent(noise_multiplier=1), 10).get_epsilon(DELTA)


def answer(dataset):
    """The chance that ten sums, each with noise of its own, come to more than 23.1."""
    return math.erfc((23.1 - 10 * sum(dataset)) / math.sqrt(20)) / 2


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print("claimed: ε =", claim(), " needed: at least", math.log((x - DELTA) / y))
