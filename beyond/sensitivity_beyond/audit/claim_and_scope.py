"""What is asked and what is claimed: checked, and in words.
Without its scope a verdict says nothing."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sensitivity_beyond.tables.to_json import Travels
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import brief, first_of, is_sequence, simplest, told
from sensitivity_lab.numbers.gap import Norm, amount
from sensitivity_lab.numbers.text import listed
from sensitivity_lab.relations import Relation, check_relation, several
from sensitivity_lab.universe import Universe

NAMES = ("k", "size")  # what the function of a claim may be given
RTOL = Fraction(1, 10**9)  # floats this close, relative to the larger, are the same number
MOST_ROWS = 10_000
MOST_MOVES = 20_000_000  # of all rows: each lists its own
NAMED = 4  # relations, directions or single sizes; of more the rest is counted
ORDERS = {None: "", "any": ", in every order", "kept": ", as sequences edited in place"}


# --- claims --------------------------------------------------------------------------------------


def names_taken(claim: Any) -> list[str]:
    """Which of k and size a claim is given, by name;
    refused where it can be neither, nor a number."""
    if not callable(claim):
        amount(claim, "claim")
        return []
    try:
        signature = inspect.signature(claim)
    except (TypeError, ValueError):  # of one in C without a signature nothing is known
        signature = inspect.Signature()

    def can_be(bound: Callable[..., Any], *names: str) -> bool:
        with suppress(TypeError):
            bound(**dict.fromkeys(names))
            return True
        return False

    takes = [name for name in NAMES if can_be(signature.bind_partial, name)]
    if not takes or not can_be(signature.bind, *takes):
        given = ", ".join(map(str, signature.parameters.values())) or "no names that can be read"
        raise TypeError(
            "claim must be a number or a function of parameters named k and size, or of one of "
            f"them, such as lambda k, size: k / size; got a function of {given}: write "
            "lambda k: f(k) where that is the distance, lambda size: f(size) where it is the size"
        )
    return takes


def claimed_at(claim: Any, given: Mapping[str, Any], *values: Any, **named: Any) -> Any:
    """The number that a claim is, or gives; where it fails, say for what it was asked."""
    if not callable(claim):
        return amount(claim, "claim")
    at = ", ".join(f"{name}={brief(value)}" for name, value in given.items())
    try:
        claimed = claim(*values, **named)
    except Exception as error:  # the claim is the caller's: it may raise anything
        raise ValueError(f"claim failed at {at}: {told(error)}") from error
    return amount(claimed, f"claim at {at}")


def ratio(claimed: Any, gap: Any) -> Any:
    """Return the claim over the gap: exact for ints and Fractions; 1 where floats agree to 1e-9."""
    if claimed == gap:
        return 1
    if gap == 0 or claimed == math.inf:
        return math.inf
    if claimed == 0 or gap == math.inf:
        return 0
    quotient = Fraction(claimed) / Fraction(gap)
    if isinstance(claimed, (int, Fraction)) and isinstance(gap, (int, Fraction)):
        return simplest(quotient)
    if abs(quotient - 1) <= RTOL:
        return 1
    return float(quotient) if 1e-300 < quotient < 1e300 else quotient  # where floats have room


# --- relations and sizes -------------------------------------------------------------------------


def checked_relations(relations: Any) -> tuple[Relation, ...]:
    """Return the relations, each once."""
    for relation in (given := listed_few(several(relations), "relations", "a list of relations")):
        check_relation(relation)
    return tuple(dict.fromkeys(given))


def listed_few(values: Any, what: str, wanted: str, most: int = MOST_ROWS + 1) -> tuple[Any, ...]:
    """The first of some values, of which there must be any."""
    if not is_sequence(values):
        raise TypeError(f"{what} must be {wanted}, got {brief(values)}")
    if not (given := first_of(values, most, what)):
        raise ValueError(f"{what} must not be empty, got []")
    return given


def checked_sizes(
    universe: Universe, sizes: Any, within: Any, relations: Sequence[Relation]
) -> tuple[int, ...]:
    """Return the size of each row, if these are few enough for all the relations."""
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
    name, given = ("sizes", sizes) if within is None else ("sizes_within", within)
    if isinstance(given, range):  # `len` knows no more than 2⁶³
        count = max(0, -((given.start - given.stop) // given.step))
    else:
        is_one = isinstance(given, Mapping) or not is_sequence(given)
        given = first_of([given] if is_one else given, MOST_ROWS + 1, name)
        count = len(given)
    if not count:
        raise ValueError(f"{name} must not be empty, got {brief(given)}")
    moves = sum(len(relation.moves) for relation in relations)
    if count * len(relations) > MOST_ROWS or count * moves > MOST_MOVES:
        raise TooLarge(
            f"{name} and relations must make at most {MOST_ROWS:,} rows and {MOST_MOVES:,} moves, "
            f"got {count_text(count)} sizes × {len(relations):,} relations with {moves:,} moves"
        )
    return tuple(dict.fromkeys(universe.checked_size(size) for size in given))


# --- in words ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scope(Travels):
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
        if self.trials is None:
            return f'Held against all pairs from {self._what}; "exact" and "loose" speak of these.'
        timed = "" if self.seconds is None else f"at most {self.seconds:g} seconds and "
        return (
            f"Search: {timed}{self.trials:,} pairs a row, from {self._what}. What it finds is a "
            "proof; a clean search proves nothing."
        )

    @property
    def _what(self) -> str:
        measured = f", measured by {self.measured_by}" if self.measured_by else ""
        if self.universe is None:
            return f"{self.inputs:,} inputs{measured}"
        if not measured and self.norm != 1:
            measured = f", in L{'∞' if self.norm == math.inf else int(self.norm)}"
        if within := self.sizes_within:
            sizes = f"both sizes from {within[0]} to {within[-1]}"
            sizes = sizes if within.step == 1 else f"both sizes among {within}"
            sizes = sizes if len(within) > 1 else f"both sizes equal to {within[0]}"
        else:
            sizes = sizes_text(self.sizes or ())
        under = and_more([str(relation) for relation in self.relations])
        return f"{self.universe!r}, {sizes}, under {under}{ORDERS[self.order]}{measured}"


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


def and_more(names: Sequence[object]) -> str:
    """Name the first few of some things, and count the rest."""
    rest = len(names) - NAMED
    return listed(names[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
