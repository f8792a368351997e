"""jax-privacy 2.0.0: it divides its float32 sum by 3 in float32, and its sensitivity in float64."""
# pip install 'jax-privacy==2.0.0'

import jax.numpy as jnp
from jax_privacy import clipping

clipped_sum = clipping.clipped_fun(lambda record: record[0], l2_clip_norm=1.0, normalize_by=3.0)
DATASETS = [[(0,)], [(0,), (1,)]]  # one record is added


def claim():
    return clipped_sum.sensitivity()


def answer(dataset):
    return [float(clipped_sum(jnp.array(dataset, dtype=jnp.float32))[0])]


if __name__ == "__main__":
    (x,), (y,) = map(answer, DATASETS)
    print("claimed:", claim())
    print("moved:  ", abs(y - x))
