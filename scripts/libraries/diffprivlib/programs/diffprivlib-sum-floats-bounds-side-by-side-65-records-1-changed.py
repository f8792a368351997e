"""diffprivlib 0.6.6: a sum of 65 floats side by side moves 64 times its claim."""
# pip install 'diffprivlib==0.6.6' 'scikit-learn<1.9'

import numpy as np
from diffprivlib import mechanisms, tools

DATASETS = [[0.0] * 65, [0.0] * 64 + [1.0]]
handed = []  # what goes to the noise: a sensitivity, and a number to randomise


def randomise(mechanism, number):
    handed.append((mechanism.sensitivity, number))
    return number


def answer(dataset):
    mechanisms.LaplaceTruncated.randomise = randomise
    tools.sum(np.array(dataset), bounds=(0.5000000000000034, 0.5000000000000036))
    return handed[-1][1].item()


def claim():
    answer(DATASETS[0])
    return handed[-1][0]


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
