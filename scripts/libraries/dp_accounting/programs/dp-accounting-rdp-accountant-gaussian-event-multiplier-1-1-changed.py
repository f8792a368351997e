"""One Gaussian event under replace-one: its ε is told as under add-or-remove. pip install 'dp-accounting==0.6.0'"""

import math

import dp_accounting as dpa
from dp_accounting.rdp import RdpAccountant

DATASETS = [[1.0], [-1.0]]  # a record's absolute value is at most C = 1
DELTA, EDGE = 1e-5, 4.998628073217404


def claim():
    accountant = RdpAccountant(neighboring_relation=dpa.NeighboringRelation.REPLACE_ONE)
    event = dpa.GaussianDpEvent(noise_multiplier=1)
    return accountant.compose(event).get_epsilon(DELTA)


def answer(dataset):
    """The logarithm of the chance that the noisy sum is above EDGE, δ off where it is the larger."""
    chance = math.erfc((EDGE - sum(dataset)) / math.sqrt(2)) / 2
    return math.log(chance - DELTA if sum(dataset) > 0 else chance)


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed ε = {claim()}, answers {x} and {y}, distance {abs(x - y)}")
