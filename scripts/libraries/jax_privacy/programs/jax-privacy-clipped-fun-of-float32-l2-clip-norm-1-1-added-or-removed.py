"""jax-privacy 2.0.0: a float32 vector that is clipped to length 1 comes out a hair longer."""
# pip install 'jax-privacy==2.0.0'

from fractions import Fraction

import jax.numpy as jnp
from jax_privacy import clipping

clipped_sum = clipping.clipped_fun(lambda record: record[0], l2_clip_norm=1.0)
DATASETS = [[(0, 0)], [(0, 0), (1, 4)]]  # one record is added


def claim():
    return clipped_sum.sensitivity()


def answer(dataset):
    return tuple(Fraction(float(x)) for x in clipped_sum(jnp.array(dataset, dtype=jnp.float32)))


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    squared = sum((b - a) ** 2 for a, b in zip(x, y, strict=True))
    print("claimed, squared:", claim() ** 2)
    print("moved, squared:   1 +", float(squared - 1))
