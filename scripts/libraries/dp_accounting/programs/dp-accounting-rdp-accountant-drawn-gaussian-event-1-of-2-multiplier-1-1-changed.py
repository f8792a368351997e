"""One of two records is drawn, under replace-one: the ε is told for C. pip install 'dp-accounting==0.6.0'"""

import math

import dp_accounting as dpa
from dp_accounting.rdp import RdpAccountant

DATASETS = [[-1.0, 1.0], [-1.0, -1.0]]  # a record's absolute value is at most C = 1
DELTA, EDGE = 1e-5, 4.837270532520616


def claim():
    accountant = RdpAccountant(neighboring_relation=dpa.NeighboringRelation.REPLACE_ONE)
    event = dpa.SampledWithoutReplacementDpEvent(2, 1, dpa.GaussianDpEvent(noise_multiplier=1))
    return accountant.compose(event).get_epsilon(DELTA)


def answer(dataset):
    """The logarithm of the chance that the noisy record is above EDGE, δ off where it is the larger."""
    chance = sum(math.erfc((EDGE - record) / math.sqrt(2)) for record in dataset) / 4
    return math.log(chance - DELTA if 1.0 in dataset else chance)


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed ε = {claim()}, answers {x} and {y}, distance {abs(x - y)}")
