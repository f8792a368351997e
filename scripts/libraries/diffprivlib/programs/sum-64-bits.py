"""diffprivlib: sum, dtype int, bounds (0, 4,611,686,018,427,387,904), 1 changed."""

import numpy as np
from diffprivlib import tools
from diffprivlib.tools import utils

DATASETS = [(0, 2**62), (2**62, 2**62)]
seen = []
utils.GeometricTruncated.randomise = lambda self, value: (
    seen.append((self.sensitivity, value)) or value
)


def answer(dataset):
    tools.sum(np.array(dataset), bounds=(0, 2**62), dtype=int)
    return seen[-1][1].item()


def claim():
    answer(DATASETS[0])
    return seen[-1][0]


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
