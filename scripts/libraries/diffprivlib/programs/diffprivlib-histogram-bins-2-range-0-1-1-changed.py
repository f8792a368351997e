"""diffprivlib 0.6.6: a histogram has noise for 1; one changed record moves two counts."""
# pip install 'diffprivlib==0.6.6' 'scikit-learn<1.9'

import numpy as np
from diffprivlib import mechanisms, tools

DATASETS = [[0], [1]]  # one record is changed; for one added or removed, 1 is exact
handed = []  # what goes to the noise: a sensitivity, and a number to randomise


def randomise(mechanism, number):
    handed.append((mechanism.sensitivity, number))
    return number


def answer(dataset):
    handed.clear()
    mechanisms.GeometricTruncated.randomise = randomise
    tools.histogram(np.array(dataset), bins=2, range=(0, 1))
    return [int(number) for sensitivity, number in handed]


def claim():
    answer(DATASETS[0])
    return handed[0][0]


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {np.abs(np.subtract(x, y)).sum()}")
