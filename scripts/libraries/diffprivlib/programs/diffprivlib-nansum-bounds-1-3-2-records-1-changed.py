"""diffprivlib 0.6.6: nansum of values from 1 to 3 has noise for 2; a 3 becomes NaN, and takes 3."""
# pip install 'diffprivlib==0.6.6' 'scikit-learn<1.9'

import numpy as np
from diffprivlib import mechanisms, tools

DATASETS = [[1, 3], [1, None]]  # None stands for NaN; one record is changed
handed = []  # what goes to the noise: a sensitivity, and a number to randomise


def randomise(mechanism, number):
    handed.append((mechanism.sensitivity, number))
    return number


def answer(dataset):
    handed.clear()
    mechanisms.LaplaceTruncated.randomise = randomise
    tools.nansum(np.array(dataset, dtype=float), bounds=(1, 3))
    return float(handed[0][1])


def claim():
    answer(DATASETS[0])
    return handed[0][0]


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
