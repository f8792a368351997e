"""Ask JAX Privacy for sums and sensitivities, and store them as jax_privacy.csv.

`clipped_fun` gets a function that gives its record back,
so that its answer on a batch is the sum of the clipped vectors. "answer to …" is that sum, as the
exact values of its floats, and each batch is written as runs: a vector, and how often it comes.
"sensitivity under …" is what `.sensitivity()` says, and "sensitivity by its docstring" what the
Formal Guarantees of `clipped_fun` say. Of matrix mechanisms six digits are kept: they are answered
in float32.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Any

import jax.numpy as jnp
import numpy as np
from asking import store
from dp_accounting import NeighboringRelation
from jax_privacy import clipping
from jax_privacy.matrix_factorization import sensitivity, toeplitz

Batch = tuple[tuple[float, ...], ...]

GRID = ((0, 0), (5, 0), (-5, 0), (3, 4))
SHORT = 2.0**-13  # its square is 0 in float16


def batches(vectors: tuple[Any, ...], most: int) -> list[Batch]:
    """Every batch of one or more of these vectors, up to so many."""
    return [b for n in range(1, most + 1) for b in combinations_with_replacement(vectors, n)]


@dataclass(frozen=True)
class Clipping:
    """One way to call clipped_fun, and the batches that it is asked about."""

    parameters: str
    settings: dict[str, Any]
    batches: list[Batch]
    type: Any = jnp.float32
    of_type: str = ""
    docstring: bool = False

    @property
    def query(self) -> str:
        """What is asked: the function, and the type of its vectors where the types matter."""
        return f"clipped_fun{self.of_type}"

    def answer(self, batch: Batch) -> tuple[float, ...]:
        clipped = clipping.clipped_fun(lambda record: record[0], **self.settings)
        dimension = len(self.batches[-1][0])
        data = jnp.array(batch, dtype=self.type).reshape(len(batch), dimension)
        return tuple(float(entry) for entry in np.asarray(clipped(data)).astype(np.float64))


ONES = [((1,),) * n for n in range(256, 261)]
FLAT = batches(((0,) * 4, (SHORT,) * 4), 2)
HALVES, QUARTERS = ({"l2_clip_norm": 5.0, "normalize_by": by} for by in (0.5, 4.0))
FIVE, UNIT = {"l2_clip_norm": 5.0}, {"l2_clip_norm": 1.0}
IN_32, IN_16, IN_B16 = " of float32", " of float16", " of bfloat16"
WIDE = {"dtype": jnp.float32}
CLIPPINGS = [
    Clipping("l2_clip_norm 5", FIVE, batches(GRID, 2)),
    Clipping(
        "l2_clip_norm 5, rescale_to_unit_norm",
        FIVE | {"rescale_to_unit_norm": True},
        batches(((0, 0), (5, 0), (-5, 0), (0, 5)), 2),
    ),
    Clipping("l2_clip_norm 5, normalize_by 4", QUARTERS, batches(GRID, 2), docstring=True),
    Clipping("l2_clip_norm 5, normalize_by 1/2", HALVES, batches(GRID, 2), docstring=True),
    Clipping("l2_clip_norm 1", UNIT, batches(((0, 0), (1, 4)), 2), of_type=IN_32),
    Clipping(
        "l2_clip_norm 1, normalize_by 3",
        UNIT | {"normalize_by": 3.0},
        batches(((0,), (1,)), 2),
        of_type=IN_32,
    ),
    Clipping("l2_clip_norm 1", UNIT, ONES, jnp.bfloat16, IN_B16),
    Clipping("l2_clip_norm 1, dtype float32", UNIT | WIDE, ONES, jnp.bfloat16, IN_B16),
    Clipping("l2_clip_norm 2**-13", {"l2_clip_norm": SHORT}, FLAT, jnp.float16, IN_16),
    Clipping(
        "l2_clip_norm 2**-13, dtype float32",
        {"l2_clip_norm": SHORT} | WIDE,
        FLAT,
        jnp.float16,
        IN_16,
    ),
]


def main() -> None:
    rows = (*clipping_rows(), *long_rows(), *participation_rows())
    store("jax_privacy", {"jax-privacy": rows})


def clipping_rows() -> Iterator[list[str]]:
    for asked in CLIPPINGS:
        about = [asked.query, asked.parameters]
        clipped = clipping.clipped_fun(lambda record: record[0], **asked.settings)
        for relation in NeighboringRelation:
            claim = float(clipped.sensitivity(relation))
            yield [*about, f"sensitivity under {relation.name}", repr(claim)]
        if asked.docstring and "Otherwise, the sensitivity is" in (
            clipping.clipped_fun.__doc__ or ""
        ):
            claim = asked.settings["l2_clip_norm"]
            yield [*about, "sensitivity by its docstring", repr(claim)]
        for batch in asked.batches:
            runs = [[list(vector), batch.count(vector)] for vector in dict.fromkeys(batch)]
            yield [*about, f"answer to {runs}", repr(asked.answer(batch))]


def long_rows() -> Iterator[list[str]]:
    """The same in float16 for a vector as long as a model has parameters."""
    clipped = clipping.clipped_fun(lambda record: record[0], l2_clip_norm=2.0**-4)
    answer = clipped(jnp.full((1, 2**20), SHORT, dtype=jnp.float16))
    length = np.linalg.norm(np.asarray(answer).astype(np.float64))
    about = "l2_clip_norm 2**-4; 2**20 entries of 2**-13"
    yield ["clipped_fun of float16", about, "length of the clipped vector", f"{length:.6g}"]


def lower(column: list[float], n: int) -> Any:
    """The lower triangular matrix with these numbers down each column, from the diagonal on."""
    matrix = sum(value * np.eye(n, k=-down) for down, value in enumerate(column))
    return jnp.array(matrix, dtype=jnp.float32)


ROOT = [comb(2 * k, k) / 4**k for k in range(8)]
ENCODERS = {
    "each round": lower([1], 8),
    "all totals": lower([1] * 8, 8),
    "square root": lower(ROOT, 8),
    "square root, 3 bands": lower(ROOT[:3], 8),
    "three rounds": jnp.array([[2, 0, 0], [-2, 2, 0], [-1, -1, 2]], dtype=jnp.float32),
}


def participation_rows() -> Iterator[list[str]]:
    """The sensitivities of matrix mechanisms, each with the limits on taking part."""
    for name, encoder in ENCODERS.items():
        n = len(encoder)
        for b, k in [(1, 3)] if n == 3 else [(1, 3), (2, None), (3, None)]:
            told = f"{name}; rounds {n}; min_sep {b}; most {k or 'any'}"
            bound = sensitivity.get_min_sep_sensitivity_upper_bound(encoder, b, k)
            yield ["get_min_sep_sensitivity_upper_bound", told, "sensitivity", f"{bound:.6g}"]
            if name in ("each round", "square root, 3 bands") and b == 3:
                found = sensitivity.get_sensitivity_banded(encoder, b, k)
                yield ["get_sensitivity_banded", told, "sensitivity", f"{found:.6g}"]
    for name in ("all totals", "square root"):
        alone = f"{name}; rounds 8; min_sep 1; most 1"
        found = sensitivity.single_participation_sensitivity(ENCODERS[name])
        yield ["single_participation_sensitivity", alone, "sensitivity", f"{found:.6g}"]
    for name, epochs in (("all totals", 2), ("square root", 2), ("three rounds", 3)):
        told = f"{name}; rounds {len(ENCODERS[name])}; epochs {epochs}"
        found = sensitivity.fixed_epoch_sensitivity(ENCODERS[name], epochs)
        yield ["fixed_epoch_sensitivity", told, "sensitivity", f"{found:.6g}"]
    for b, k in ((1, 3), (2, None)):
        told = f"square root; rounds 8; min_sep {b}; most {k or 'any'}"
        squared = toeplitz.minsep_sensitivity_squared(jnp.array(ROOT), b, k)
        yield ["minsep_sensitivity_squared", told, "its root", f"{float(squared) ** 0.5:.6g}"]


if __name__ == "__main__":
    main()
