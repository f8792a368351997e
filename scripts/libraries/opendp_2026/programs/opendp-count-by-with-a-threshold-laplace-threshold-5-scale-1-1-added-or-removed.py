"""A key of one row is seen more often than the claimed δ says. pip install 'opendp==0.16.0'"""

import math

import opendp.prelude as dp

DATASETS = [[], ["a"]]  # a row of a key that nobody else has
dp.enable_features("contrib")
rows = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
release = dp.t.make_count_by(*rows) >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)


def claim():
    return release.map(1)[1]  # δ, at ε = 1


def answer(dataset):
    """The chance that a key is released: of noise of 4 or more, where P(z) is like e^-|z|."""
    return math.exp(-4) / (1 + math.exp(-1)) if dataset else 0


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
    released = len(release([f"key {i}" for i in range(100_000)]))
    print(f"of 100,000 such keys {released:,} were released")
