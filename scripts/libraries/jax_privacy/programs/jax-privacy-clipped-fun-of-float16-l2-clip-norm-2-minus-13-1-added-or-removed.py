"""jax-privacy 2.0.0: it takes the norm of a float16 vector in float16 unless dtype is set."""
# pip install 'jax-privacy==2.0.0'

import math

import jax.numpy as jnp
from jax_privacy import clipping

clipped_sum = clipping.clipped_fun(lambda record: record[0], l2_clip_norm=2.0**-13)
DATASETS = [[(0,) * 4], [(0,) * 4, (2.0**-13,) * 4]]  # one record is added


def claim():
    return clipped_sum.sensitivity()


def answer(dataset):
    return tuple(float(x) for x in clipped_sum(jnp.array(dataset, dtype=jnp.float16)))


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print("claimed:", claim())
    print("moved:  ", math.dist(x, y))  # as claimed with dtype=jnp.float32
