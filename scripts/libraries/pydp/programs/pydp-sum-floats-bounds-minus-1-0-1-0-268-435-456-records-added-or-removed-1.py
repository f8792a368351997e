"""PyDP 1.1.5: one more record moves a long sum of floats from -1 to 1 by 3."""
# pip install 'python-dp==1.1.5'

import struct

from pydp.algorithms.laplacian import BoundedSum

UP, DOWN = 2.0**-25 * (0.5 + 2.0**-52), -(2.0**-25) * (0.5 - 2.0**-52)
PAIRS = ((UP, DOWN), 2**26)  # records, and how often they come
DATASETS = [(((1.0,), 2**27), PAIRS), (((1.0,), 2**27 - 1), PAIRS)]


def answer(dataset):
    total = BoundedSum(epsilon=1.0, lower_bound=-1.0, upper_bound=1.0, dtype="float")
    for records, times in dataset:
        for _ in range(times // 2**19):
            total.add_entries(list(records) * 2**19)
        total.add_entries(list(records) * (times % 2**19))
    return struct.unpack("<d", total.serialize().to_bytes()[-8:])[0]


def claim():
    return 1.0  # the larger absolute bound: Google's cc/algorithms/bounded-sum.h


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
