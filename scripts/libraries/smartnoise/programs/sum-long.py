"""SmartNoise SQL: SUM, floats, bounds (-1.0, 1.0), 1,048,576 records, Records added or removed, at most 1."""

import pandas as pd
import snsql
from snsql.sql._mechanisms.laplace import Laplace

UP, DOWN = 2**-33 * (0.5 + 2**-52), -(2**-33) * (0.5 - 2**-52)
DATASETS = [[1.0] * ones + [UP, DOWN] * 2**18 for ones in (2**19, 2**19 - 1)]
COLUMN = {"type": "float", "lower": -1.0, "upper": 1.0}
TABLE = {"row_privacy": True, "censor_dims": False, "v": COLUMN}
seen = []
Laplace.release = lambda self, values: seen.append((self.scale * self.epsilon, *values)) or values


def answer(dataset):
    frames = {"db.t": pd.DataFrame({"v": dataset})}
    privacy, told = snsql.Privacy(epsilon=1.0, delta=1e-6), {"": {"db": {"t": TABLE}}}
    reader = snsql.from_df(frames, privacy=privacy, metadata=told)
    reader.execute("SELECT SUM(v) AS a FROM db.t")
    return seen[-1][1]  # SQLite adds; from its version 3.43 on it corrects its rounding


def claim():
    answer(DATASETS[0][:1])
    return seen[-1][0]


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
