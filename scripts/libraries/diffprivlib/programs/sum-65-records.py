"""diffprivlib: sum, floats, bounds side by side, 65 records, 1 changed."""

import numpy as np
from diffprivlib import tools
from diffprivlib.tools import utils

DATASETS = [[0.0] * 65, [0.0] * 64 + [1.0]]
seen = []
utils.LaplaceTruncated.randomise = lambda self, value: (
    seen.append((self.sensitivity, value)) or value
)


def answer(dataset):
    tools.sum(np.array(dataset), bounds=(0.5000000000000034, 0.5000000000000036))
    return seen[-1][1].item()


def claim():
    answer(DATASETS[0])
    return seen[-1][0]


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
