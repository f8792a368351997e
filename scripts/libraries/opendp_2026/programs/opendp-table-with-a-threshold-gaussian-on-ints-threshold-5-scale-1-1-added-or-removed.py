"""A key of one row is seen more often than the claimed δ says. pip install 'opendp==0.16.0'"""

import math

import opendp.prelude as dp

DATASETS = [[], ["a"]]  # a row of a key that nobody else has; the table is {} or {"a": 1}
dp.enable_features("contrib")
table = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
metric = dp.l02inf_distance(dp.absolute_distance(T=int))
release = dp.m.make_gaussian_threshold(table, metric, scale=1.0, threshold=5)


def claim():
    return release.map((1, 1, 1))[1]  # δ, at ρ = 1/2


def answer(dataset):
    """The chance that a key is released: of noise of 4 or more, where P(z) is like e^(-z²/2)."""
    weights = {z: math.exp(-z * z / 2) for z in range(-40, 41)}
    return sum(w for z, w in weights.items() if z >= 4) / sum(weights.values()) if dataset else 0


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
    released = len(release({f"key {i}": 1 for i in range(100_000)}))
    print(f"of 100,000 such keys {released:,} were released")
