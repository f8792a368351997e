"""PyDP: sum, floats, bounds (-1.0, 1.0), 268,435,456 records, Records added or removed, at most 1."""

import struct

from pydp.algorithms.laplacian import BoundedSum

DATASETS = [2**27, 2**27 - 1]  # so many ones, and then 2**27 records UP, DOWN, UP, DOWN, ...
UP, DOWN = 2**-25 * (0.5 + 2**-52), -(2**-25) * (0.5 - 2**-52)


def answer(ones):
    total = BoundedSum(epsilon=1.0, lower_bound=-1.0, upper_bound=1.0, dtype="float")
    for _ in range(ones // 2**20):
        total.add_entries([1.0] * 2**20)
    total.add_entries([1.0] * (ones % 2**20))
    for _ in range(2**7):
        total.add_entries([UP, DOWN] * 2**19)
    return struct.unpack("<d", total.serialize().to_bytes()[-8:])[0]


def claim():
    return 1.0  # the larger absolute bound: Google's cc/algorithms/bounded-sum.h


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
