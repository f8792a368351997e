"""OpenDP 0.16.0: squared deviations of floats near 2⁵⁰ claim 30.2; one change moves them 31.9."""
# pip install 'opendp==0.16.0'

import opendp.prelude as dp

LARGE = 2.0**50  # floats near it are quarters apart
DATASETS = [[LARGE + 0.25] * 511, [LARGE + 0.25] * 510 + [LARGE + 0.5]]  # one record is changed
dp.enable_features("contrib")
records = dp.vector_domain(dp.atom_domain(bounds=(LARGE, LARGE + 1), nan=False), size=511)
squares = dp.t.make_sum_of_squared_deviations(records, dp.symmetric_distance())


def claim():
    return squares.map(2)  # one record removed and one added


def answer(dataset):
    return squares(dataset)


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
