"""jax-privacy 2.0.0: a batch of bfloat16 vectors is added up in bfloat16 unless dtype is set."""
# pip install 'jax-privacy==2.0.0'

import jax.numpy as jnp
from jax_privacy import clipping

clipped_sum = clipping.clipped_fun(lambda record: record[0], l2_clip_norm=1.0)
DATASETS = [[(1,)] * 257, [(1,)] * 258]  # one record is added


def claim():
    return clipped_sum.sensitivity()


def answer(dataset):
    return [float(clipped_sum(jnp.array(dataset, dtype=jnp.bfloat16))[0])]


if __name__ == "__main__":
    (x,), (y,) = map(answer, DATASETS)
    print("claimed:", claim())
    print("moved:  ", abs(y - x))  # 1 with dtype=jnp.float32
