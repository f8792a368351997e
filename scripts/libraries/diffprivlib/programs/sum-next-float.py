"""diffprivlib: sum, floats, bounds 1 and the next float, 1 changed."""

import numpy as np
from diffprivlib import tools
from diffprivlib.tools import utils

NEXT = 1.0000000000000002  # the float after 1
DATASETS = [(1.0, NEXT, NEXT), (NEXT, NEXT, NEXT)]
seen = []
utils.LaplaceTruncated.randomise = lambda self, value: (
    seen.append((self.sensitivity, value)) or value
)


def answer(dataset):
    tools.sum(np.array(dataset), bounds=(1.0, NEXT))
    return seen[-1][1].item()


def claim():
    answer(DATASETS[0])
    return seen[-1][0]


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
