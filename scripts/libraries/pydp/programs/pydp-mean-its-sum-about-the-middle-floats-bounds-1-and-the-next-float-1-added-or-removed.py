"""PyDP 1.1.5: the middle of two floats side by side is one of them, and half is claimed."""
# pip install 'python-dp==1.1.5'

import struct

from pydp.algorithms.laplacian import BoundedMean

LOWER, UPPER = 1.0, 1.0000000000000002
DATASETS = [[], [UPPER]]


def answer(dataset):
    mean = BoundedMean(epsilon=1.0, lower_bound=LOWER, upper_bound=UPPER, dtype="float")
    mean.add_entries(dataset)
    return struct.unpack("<d", mean.serialize().to_bytes()[-8:])[0]  # sum about the middle


def claim():
    return abs(UPPER - LOWER) / 2  # Google's cc/algorithms/bounded-mean.h


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
