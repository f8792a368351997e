"""diffprivlib 0.6.6: a mean of three floats side by side moves thrice its claim."""
# pip install 'diffprivlib==0.6.6' 'scikit-learn<1.9'

import numpy as np
from diffprivlib import mechanisms, tools

NEXT = 1.0000000000000002  # the float after 1
DATASETS = [[1.0, 1.0, NEXT], [NEXT, NEXT, 1.0]]
handed = []  # what goes to the noise: a sensitivity, and a number to randomise


def randomise(mechanism, number):
    handed.append((mechanism.sensitivity, number))
    return number


def answer(dataset):
    mechanisms.LaplaceTruncated.randomise = randomise
    tools.mean(np.array(dataset), bounds=(1.0, NEXT))
    return handed[-1][1].item()


def claim():
    answer(DATASETS[0])
    return handed[-1][0]


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
