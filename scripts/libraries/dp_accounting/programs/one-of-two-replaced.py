"""dp-accounting 0.6.0: RDP accountant, drawn Gaussian event, 1 of 2, multiplier 1, one record replaced."""

import math

import dp_accounting as dpa
from dp_accounting.rdp import RdpAccountant

DELTA = 1e-5
DATASETS = [[-1, 1], [-1, -1]]  # records have an absolute value of at most C = 1; the noise s is 1


def claim():
    accountant = RdpAccountant(neighboring_relation=dpa.NeighboringRelation.REPLACE_ONE)
    drawn = dpa.SampledWithoutReplacementDpEvent(2, 1, dpa.GaussianDpEvent(noise_multiplier=1))
    return accountant.compose(drawn).get_epsilon(DELTA)


def answer(dataset):
    """The chance that one of two records, with normal noise of deviation 1, is above 4.8."""
    return sum(math.erfc((4.8 - record) / math.sqrt(2)) for record in dataset) / 4


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print("claimed: ε =", claim(), " needed: at least", math.log((x - DELTA) / y))
