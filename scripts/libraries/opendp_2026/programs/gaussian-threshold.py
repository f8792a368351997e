"""OpenDP 0.16.0: table with a threshold, Gaussian on ints, threshold 5, scale 1. What is the δ?"""

import math

import opendp.prelude as dp

dp.enable_features("contrib")
table = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
metric = dp.l02inf_distance(dp.absolute_distance(T=int))
release = dp.m.make_gaussian_threshold(table, metric, scale=1.0, threshold=5)
DATASETS = [{}, {"a": 1}]  # a key that nobody else has


def claim():
    return release.map((1, 1, 1))[1]


def answer(dataset):
    """The chance that the key is released: noise of 4 or more, with P(z) ~ e^(−z²/2)."""
    weights = {z: math.exp(-z * z / 2) for z in range(-40, 41)}
    return sum(w for z, w in weights.items() if z >= 4) / sum(weights.values()) if dataset else 0


if __name__ == "__main__":
    print("claimed:", claim(), " exact:", answer(DATASETS[1]) - answer(DATASETS[0]))
