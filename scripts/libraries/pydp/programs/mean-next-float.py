"""PyDP: mean, its sum about the middle, floats, bounds 1 and the next float, 1 added or removed."""

import struct

from pydp.algorithms.laplacian import BoundedMean

LOWER, UPPER = 1.0, 1.0000000000000002
DATASETS = [(), (UPPER,)]


def answer(dataset):
    mean = BoundedMean(epsilon=1.0, lower_bound=LOWER, upper_bound=UPPER, dtype="float")
    mean.add_entries(list(dataset))
    return struct.unpack("<d", mean.serialize().to_bytes()[-8:])[0]


def claim():
    return abs(UPPER - LOWER) / 2  # Google's cc/algorithms/bounded-mean.h


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
