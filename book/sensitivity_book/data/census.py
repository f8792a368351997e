"""A census-like table of people who do not exist, made to meet published totals."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sensitivity_lab.numbers import whole_number

YOUNGEST, OLDEST = 17, 90

# Rows and sum of ages by education, as *Programming Differential Privacy* prints them for its
# census table ("Sensitivity"); the sum of the second group is its sum of all ages, 1,360,238,
# less that of the first.
EDUCATION_ABOVE_10 = {"rows": 10_517, "sum_of_ages": 441_431}
EDUCATION_UP_TO_10 = {"rows": 22_046, "sum_of_ages": 918_807}


def census_like(*, seed: int = 1994) -> pd.DataFrame:
    """Return 32,563 made-up people with their age (17 to 90) and level of education (1 to 16)."""
    rng = np.random.default_rng(whole_number(seed, "seed", 0))
    groups = [
        _group(rng, [9, 10, *range(1, 9)], [6, 4, *[0.25] * 8], **EDUCATION_UP_TO_10),
        _group(rng, [13, 11, 12, 14, 15, 16], [5, 1.4, 1.1, 1.7, 0.6, 0.4], **EDUCATION_ABOVE_10),
    ]
    people = np.concatenate(groups)[rng.permutation(sum(map(len, groups)))]
    names = [f"person {i:05}" for i in range(1, len(people) + 1)]
    return pd.DataFrame({"person": names, "age": people[:, 0], "education_num": people[:, 1]})


def _group(
    rng: np.random.Generator, levels: list[int], weights: list[float], rows: int, sum_of_ages: int
) -> np.ndarray:
    """Rows (age, level): levels by weight, ages that add up to `sum_of_ages`."""
    level = rng.choice(levels, size=rows, p=np.array(weights) / sum(weights))
    years = np.rint((OLDEST - YOUNGEST) * rng.beta(1.9, 3.6, size=rows))
    age = YOUNGEST + years.astype(np.int64)
    while missing := sum_of_ages - int(age.sum()):
        step = 1 if missing > 0 else -1
        movable = np.flatnonzero((age + step >= YOUNGEST) & (age + step <= OLDEST))
        age[rng.choice(movable, size=min(abs(missing), len(movable)), replace=False)] += step
    return np.stack([age, level], axis=1)
