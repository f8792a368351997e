"""What an audit was about, in words: without its scope a verdict says nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import brief, first_of, is_sequence
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.numbers.text import listed
from sensitivity_lab.relations import Relation, check_relation
from sensitivity_lab.universe import Universe

MOST_ROWS = 10_000
MOST_MOVES = 20_000_000  # of all rows: each lists its own
NAMED = 4  # relations, directions or single sizes; of more the rest is counted
ORDERS = {None: "", "any": ", in every order", "kept": ", as sequences edited in place"}


@dataclass(frozen=True)
class Scope:
    """What was asked: which universe, sizes and relations, in which order, measured how."""

    universe: Universe | None = None
    sizes: tuple[int, ...] | None = None
    sizes_within: range | None = None
    relations: tuple[Relation, ...] = ()
    norm: Norm = 1
    measured_by: str | None = None
    order: str | None = None
    trials: int | None = None
    seconds: float | None = None
    inputs: int | None = None

    def __str__(self) -> str:
        if self.trials is not None:
            return (
                f"Search: {self._spent} a row, from {self._what}. What it finds is a "
                "proof; a clean search proves nothing."
            )
        return f'Held against all pairs from {self._what}; "exact" and "loose" speak of these.'

    @property
    def _spent(self) -> str:
        if self.seconds is None:
            return f"{self.trials:,} pairs"
        return f"at most {self.seconds:g} seconds and {self.trials:,} pairs"

    @property
    def _what(self) -> str:
        measured = f", measured by {self.measured_by}" if self.measured_by else ""
        if self.universe is None:
            return f"{self.inputs:,} inputs{measured}"
        if not measured and self.norm != 1:
            measured = f", in L{'∞' if self.norm == math.inf else int(self.norm)}"
        sizes = f"both sizes {within_text(self.sizes_within)}" if self.sizes_within else ""
        sizes = sizes or sizes_text(self.sizes or ())
        under = and_more([str(relation) for relation in self.relations])
        return f"{self.universe!r}, {sizes}, under {under}{ORDERS[self.order]}{measured}"


def checked_relations(relations: Any) -> tuple[Relation, ...]:
    """Return the relations, each once."""
    if not is_sequence(relations):
        raise TypeError(f"relations must be a list of relations, got {brief(relations)}")
    given = first_of(relations, MOST_ROWS + 1, "relations")
    for relation in given:
        check_relation(relation)
    if not given:
        raise ValueError("relations must not be empty, got []")
    return tuple(dict.fromkeys(given))


def checked_sizes(
    universe: Universe, sizes: Any, within: Any, relations: Sequence[Relation]
) -> tuple[int, ...]:
    """Return the size of each row, if these are few enough for all the relations."""
    _require_one_of(sizes, within)
    name, given = ("sizes", sizes) if within is None else ("sizes_within", within)
    given = given if is_sequence(given) else [given]
    given = given if isinstance(given, range) else first_of(given, MOST_ROWS + 1, name)
    count = _length(given) if isinstance(given, range) else len(given)
    if not count:
        raise ValueError(f"{name} must not be empty, got {brief(given)}")
    _require_few_rows(name, count, relations)
    return tuple(dict.fromkeys(universe.checked_size(size) for size in given))


def _require_one_of(sizes: object, within: object) -> None:
    if (sizes is None) == (within is None):
        raise TypeError(
            "exactly one of sizes and sizes_within must be given, got "
            f"sizes={brief(sizes)}, sizes_within={brief(within)}"
        )
    if within is not None and not isinstance(within, range):
        raise TypeError(
            "sizes_within must be a range in which both sizes lie, such as range(1, 5), got "
            f"{brief(within)}; for sizes of the dataset alone there is sizes="
        )


def _require_few_rows(name: str, sizes: int, relations: Sequence[Relation]) -> None:
    moves = sum(len(relation.moves) for relation in relations)
    if sizes * len(relations) > MOST_ROWS or sizes * moves > MOST_MOVES:
        raise TooLarge(
            f"{name} and relations must make at most {MOST_ROWS:,} rows and {MOST_MOVES:,} moves, "
            f"got {count_text(sizes)} sizes × {len(relations):,} relations with {moves:,} moves"
        )


def _length(sizes: range) -> int:
    """How many sizes a range has; `len` knows no more than 2⁶³."""
    return max(0, -((sizes.start - sizes.stop) // sizes.step))


def count_text(number: int) -> str:
    """Write a count; of one that is beyond reason, that it is."""
    return f"{number:,}" if number < 10**18 else "over 10^18"


def sizes_text(sizes: Sequence[int]) -> str:
    """Name some sizes: one, a row of them, or a few."""
    least, most = min(sizes), max(sizes)
    if least == most:
        return f"size {least}"
    if len(set(sizes)) == most - least + 1:
        return f"sizes {least} to {most}"
    few = len(sizes) <= NAMED
    return f"sizes {listed(sizes)}" if few else f"{len(sizes)} sizes from {least} to {most}"


def within_text(sizes: range) -> str:
    """Name a range in which both sizes lie."""
    if len(sizes) == 1:
        return f"equal to {sizes[0]}"
    return f"from {sizes[0]} to {sizes[-1]}" if sizes.step == 1 else f"among {sizes}"


def and_more(names: Sequence[object]) -> str:
    """Name the first few of some things, and count the rest."""
    rest = len(names) - NAMED
    return listed(names[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
