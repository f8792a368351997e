"""diffprivlib 0.6.6: a sum of zeros and ones in int8 has noise for 1; from 127 it wraps to -128."""
# pip install 'diffprivlib==0.6.6' 'scikit-learn<1.9'

import numpy as np
from diffprivlib import mechanisms, tools

DATASETS = [[0] + [1] * 127, [1] * 128]  # one record is changed
handed = []  # what goes to the noise: a sensitivity, and a number to randomise


def randomise(mechanism, number):
    handed.append((mechanism.sensitivity, number))
    return number


def answer(dataset):
    handed.clear()
    mechanisms.GeometricTruncated.randomise = randomise
    tools.sum(np.array(dataset, dtype=np.int8), bounds=(0, 1), dtype=np.int8)
    return int(handed[0][1])


def claim():
    answer(DATASETS[0])
    return handed[0][0]


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
