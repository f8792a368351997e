"""OpenDP 0.16.0: a step of Theil–Sen regression claims 1 for one point more; 2 of its rows differ."""
# pip install 'opendp==0.16.0' numpy

from collections import Counter

import numpy as np
import opendp.prelude as dp
from opendp.extras.sklearn.linear_model._make_private_theil_sen import make_pairwise_predict

DATASETS = [[(0.0, 0.0), (1.0, 1.0)], [(0.0, 0.0), (2.0, 4.0), (1.0, 1.0)]]  # one is added
dp.enable_features("contrib", "honest-but-curious")
predict = make_pairwise_predict(np.array([1.0, 2.0]))  # heights of the line through each pair


def claim():
    return predict.map(1)


def answer(dataset):
    return [tuple(row) for row in predict(np.array(dataset)).tolist()]


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    distance = (Counter(x) - Counter(y)).total() + (Counter(y) - Counter(x)).total()
    print(f"claimed {claim()}, answers {x} and {y}, distance {distance}")
