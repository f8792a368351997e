"""OpenDP 0.16.0: count-by with a threshold, Laplace, threshold 5, scale 1. What is the δ?"""

import math

import opendp.prelude as dp

dp.enable_features("contrib")
rows = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
release = dp.t.make_count_by(*rows) >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)
DATASETS = [[], ["a"]]  # one row of a key that nobody else has


def claim():
    return release.map(1)[1]


def answer(dataset):
    """The chance that the key is released: noise of 5 − size or more, with P(z) ~ e^−|z|."""
    return math.exp(len(dataset) - 5) / (1 + math.exp(-1)) if dataset else 0


if __name__ == "__main__":
    print("claimed:", claim(), " exact:", answer(DATASETS[1]) - answer(DATASETS[0]))
    drawn = len(release([f"person {i}" for i in range(100_000)])) / 100_000
    print("drawn, of 100,000 such keys:", drawn)
