"""SmartNoise SQL 1.0.10: one more row moves a long sum of floats by more than its noise allows."""
# pip install 'smartnoise-sql==1.0.10'; SQLite before 3.43, which corrects the rounding of sums

import pandas as pd
import snsql
from snsql.sql._mechanisms.laplace import Laplace

UP, DOWN = 2.0**-33 * (0.5 + 2.0**-52), -(2.0**-33) * (0.5 - 2.0**-52)
DATASETS = [(((1.0,), n), ((UP, DOWN), 2**18)) for n in (2**19, 2**19 - 1)]  # (run, times)
TABLE = {"row_privacy": True, "censor_dims": False}
TABLE["v"] = {"type": "float", "lower": -1.0, "upper": 1.0}
handed = []


def answer(dataset):
    Laplace.release = lambda self, values: handed.append((self.scale, *values)) or values
    frame = pd.DataFrame({"v": [value for values, n in dataset for value in values * n]})
    privacy, told = snsql.Privacy(epsilon=1.0, delta=1e-6), {"": {"db": {"t": TABLE}}}
    reader = snsql.from_df({"db.t": frame}, privacy=privacy, metadata=told)
    reader.execute("SELECT SUM(v) AS a FROM db.t")
    return handed[-1][1]


def claim():
    return answer(DATASETS[0]) and handed[-1][0]  # the scale of its noise at epsilon 1


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
