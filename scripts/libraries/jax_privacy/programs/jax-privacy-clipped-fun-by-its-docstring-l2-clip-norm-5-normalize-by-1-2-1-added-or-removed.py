"""jax-privacy 2.0.0: the docstring of clipped_fun leaves normalize_by out."""
# pip install 'jax-privacy==2.0.0'

import math

import jax.numpy as jnp
from jax_privacy import clipping

L2_CLIP_NORM = 5.0
clipped_sum = clipping.clipped_fun(lambda v: v[0], l2_clip_norm=L2_CLIP_NORM, normalize_by=0.5)
DATASETS = [[(-5, 0)], [(-5, 0), (-5, 0)]]  # one record is added


def claim():
    return L2_CLIP_NORM  # "Otherwise, the sensitivity is `l2_clip_norm`"


def answer(dataset):
    return tuple(float(x) for x in clipped_sum(jnp.array(dataset, dtype=jnp.float32)))


if __name__ == "__main__":
    print("claimed:", claim(), "by the docstring,", clipped_sum.sensitivity(), "by .sensitivity()")
    print("moved:  ", math.dist(*map(answer, DATASETS)))
