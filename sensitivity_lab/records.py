"""What the records of a universe can be: `Source`, which all kinds answer; values, and numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property, partial, reduce
from numbers import Rational
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sensitivity_lab import extension
from sensitivity_lab.numbers.exact import (
    Exact,
    brief,
    drawn,
    exact_number,
    is_missing,
    is_real,
    sequence,
    simplest,
)

if TYPE_CHECKING:
    from sensitivity_lab.problem import Problem
    from sensitivity_lab.queries import Query

Positions = Sequence[int] | np.ndarray
PLAIN = {int, bool, str, type(None)}  # kinds of which equals are the same


class Source:
    """The records that a universe holds: v different values, of which some have copies.

        records   a  b  b  c     m = 4 members, numbered 0 to 3, in the source's own order
        values    a  b  c        v = 3, at positions 0 to 2
        counts    1  2  1

    A dataset is told by the positions of its records. Functions of a dataset receive what `given`
    makes of them; functions of one record receive the entries of `each`.
    """

    numeric: ClassVar[bool] = False  # records are numbers, or None
    as_tuples: ClassVar[bool] = True  # functions receive tuples of records

    @cached_property
    def values(self) -> tuple[Hashable, ...]:
        """The different records, sorted where they can be."""
        raise NotImplementedError

    @cached_property
    def counts(self) -> np.ndarray:
        """How many copies of each there are, (v,) whole numbers."""
        raise NotImplementedError

    @cached_property
    def position_of(self) -> dict[Any, int]:
        """Where each different record stands among the values."""
        return {value: i for i, value in enumerate(self.values)}

    @property
    def has_missing(self) -> bool:
        """Whether a number may be missing."""
        return False

    def __len__(self) -> int:
        return int(self.counts.sum(dtype=np.int64))

    def are_those_of(self, other: Source) -> bool:
        """Whether functions receive the same from both, however many copies there are."""
        return type(self) is type(other) and self.content == other.content

    @property
    def content(self) -> Any:
        """What functions can receive: each of the records once."""
        return as_seen(self.given(range(len(self.values))))

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.values))

    def check(self, problem: Problem) -> None:
        """Refuse a problem that cannot be asked of these records, before any work."""
        if problem.query.exact and not self.numeric:
            raise self.no_numbers(f"query {problem.query.name} is asked of numbers")

    def asked_of(self, query: Query) -> str:
        """What of these records a query asks, for a result that names it alone."""
        return ""

    def written(self, kind: str, inside: str, name: str) -> str:
        """How a universe of them is written: by which method, of which values, with its name."""
        return f"Universe.{kind}({inside}{name})"

    # Where they are numbers

    @cached_property
    def exact_values(self) -> tuple[Exact | None, ...]:
        """The v different numbers as exact rationals."""
        raise self.no_numbers()

    @cached_property
    def scaled(self) -> tuple[np.ndarray, int]:
        """The same, without a missing one, as whole numbers over one denominator."""
        raise self.no_numbers()

    @cached_property
    def sorted_scaled(self) -> tuple[np.ndarray, int]:
        """The m numbers, ascending, as whole numbers over one denominator."""
        raise self.no_numbers()

    def no_numbers(self, rule: str = "universe must hold numbers here") -> TypeError:
        """What says that numbers are needed, and these are others."""
        return TypeError(
            f"{rule}, got records such as {brief(self.values[0])}: ask of a column or a "
            "function of a record, as in MEAN.of('column') or SUM.of(function)"
        )

    # What functions receive

    def given(self, positions: Positions) -> Any:
        """The dataset at some positions, as a function receives it."""
        return tuple(self.values[i] for i in positions)

    def giver(self, exact: bool = False, own: bool = False) -> Callable[[Positions], Any]:
        """What makes datasets of positions: `exact`, or for a caller's `own` function."""
        return self.given

    def each(self, positions: Iterable[int]) -> Iterable[Any]:
        """The records at some positions, as functions of one record receive them."""
        return (self.values[i] for i in positions)

    # The m members

    @property
    def sorted_records(self) -> np.ndarray:
        """The m records, copies and all, in the order of the values, (m,)."""
        each = np.fromiter(self.values, dtype=object, count=len(self.values))
        return np.repeat(each, self.counts)

    def at(self, members: np.ndarray) -> Any:
        """The dataset of some of the m records, as a function receives it."""
        return self.given(self.positions_at(members))

    def positions_at(self, members: np.ndarray) -> np.ndarray:
        """Where some of the m records stand among the values."""
        each = np.arange(len(self.values), dtype=np.intp)
        return np.asarray(np.repeat(each, self.counts)[members])

    # A caller's dataset

    def positions(self, dataset: Any, what: str) -> np.ndarray:
        """Where the records of a caller's dataset stand among the values."""
        positions = []
        for record in self.listed(dataset, what):
            if (key := self.key(record, what)) not in self.position_of:
                kind = "values" if self.numeric else "records"
                raise ValueError(f"{what} must hold {kind} of the universe, got {brief(record)}")
            positions.append(self.position_of[key])
        return np.array(positions, dtype=np.int64)

    def key(self, record: Any, what: str) -> Hashable:
        """What a record of a caller's dataset is looked up by."""
        return hashed(record, what)

    def listed(self, dataset: Any, what: str) -> Iterable[Any]:
        """The records of a caller's dataset."""
        return sequence(dataset, what)


class Values(Source):
    """Some different records, and how many copies of each there are."""

    values: tuple[Hashable, ...]
    counts: np.ndarray

    def __init__(self, records: Iterable[Any], what: str, once: bool = False) -> None:
        """Count equal records, or hold each `once`."""
        listed = list(records)
        counted: Counter[Any] = Counter(
            listed if are_text(listed) else (hashed(record, what) for record in listed)
        )
        self.values = ordered(counted)
        copies = [1 if once else counted[value] for value in self.values]
        self.counts = np.array(copies, dtype=np.intp)


def are_text(records: Iterable[Any]) -> bool:
    """Whether all of some records are text, which has a hash and equals itself."""
    return set(map(type, records)) == {str}


def ordered(records: Iterable[Any]) -> tuple[Any, ...]:
    """Records sorted where each can be compared with each, else as they come."""
    listed = tuple(records)
    try:
        return tuple(sorted(listed))
    except TypeError:  # text beside numbers, a null: there is no order but the one given
        return listed


def hashed(record: Any, what: str) -> Hashable:
    """Return a record, or refuse one that has no hash, or does not equal itself."""
    try:
        hash(record)
        same = bool(record == record)
    except Exception as error:
        raise TypeError(
            f"{what} must be hashable and comparable, got {brief(record)}: make a tuple of a list, "
            "a frozen dataclass of an object, a pandas.DataFrame of dicts or a structured array"
        ) from error
    if not same:
        raise TypeError(f"{what} must equal themselves, got {brief(record)}: missing is None")
    return record  # type: ignore[no-any-return]


def told_apart(record: Any) -> Any:
    """What tells a record apart from others: itself, of a number how large it is."""
    if isinstance(record, str):
        return record
    what = "values that are told apart"
    if record is None:
        raise TypeError(f"{what} must be there, got None")
    return exact_number(record) if is_real(record) else hashed(record, what)


def as_seen(value: Any) -> Any:
    """Return what equals that of another value only where no function tells the two apart."""
    kind = type(value)
    if kind in PLAIN:
        return kind, value
    if kind is float:
        return kind, repr(value)
    if isinstance(value, (tuple, list, np.ndarray)):
        return kind, *all_as_seen(value)
    if isinstance(value, Mapping):
        return kind, *all_as_seen(value.items())
    if isinstance(value, (set, frozenset)):
        return kind, frozenset(map(as_seen, value))
    has_text = kind.__repr__ is not object.__repr__  # type: ignore[comparison-overlap]
    if isinstance(value, (Rational, str)) or not has_text:
        return kind, value
    try:
        text = repr(value)
    except Exception:  # numbers within it may be too long for a text
        text = ""
    return kind, text, None if is_missing(value) else value


def all_as_seen(values: Any) -> tuple[Any, ...]:
    """As `as_seen`, of each of some values; of a million in no more than a few steps."""
    kinds = set(map(type, values))
    if len(kinds) == 1 and kinds <= PLAIN:
        return kinds.pop(), tuple(values)
    return tuple(map(as_seen, values))


# -- numbers --

WIDE = Context(prec=1_000)  # any sum of floats is exact in it: they reach from 1e-324 to 2e308
LISTS = (list, tuple, range, np.ndarray)  # of no library of tables
SHORT_FLOATS = (np.float16, np.float32)  # functions receive them as they are


@dataclass(frozen=True, eq=False)
class Numbers(Source):
    """Some numbers, and None for one that is missing, in order; equal ones are copies of one."""

    held: np.ndarray | tuple[Any, ...]  # an array is read-only
    once: bool = False  # each counts once, however often it is given

    numeric = True

    def __post_init__(self) -> None:
        if isinstance(self.held, np.ndarray):
            read_only(self.held)  # one that has travelled arrives writeable

    def __reduce__(self) -> tuple[Any, ...]:
        return Numbers, (self.held, self.once)

    def __len__(self) -> int:
        return int(self.counts.sum(dtype=np.int64)) if self.once else len(self.held)

    @cached_property
    def has_missing(self) -> bool:
        return isinstance(self.held, tuple) and None in self.held

    @cached_property
    def different(self) -> np.ndarray | tuple[Any, ...]:
        """The v numbers that differ, ascending, a missing one last: an array of an array."""
        return self._counted[0]

    @cached_property
    def counts(self) -> np.ndarray:
        return self._counted[1]

    @cached_property
    def _counted(self) -> tuple[np.ndarray | tuple[Any, ...], np.ndarray]:
        if isinstance(self.held, np.ndarray):
            ordered = self._sorted
            first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
            different: Any = read_only(ordered[first])
            counts = np.diff(np.append(first, len(ordered)))
        else:
            # Equal numbers are one value, in the form that came first.
            exact = [None if value is None else exact_number(value) for value in self.held]
            form = dict(zip(exact[::-1], self.held[::-1], strict=True))
            counted = Counter(exact)
            keys = sorted(form, key=lambda key: (key is None, key or 0))
            different = tuple(form[key] for key in keys)
            counts = np.array([counted[key] for key in keys], dtype=np.intp)
        return different, read_only(np.ones_like(counts) if self.once else counts)

    @cached_property
    def _sorted(self) -> np.ndarray:
        """The numbers of an array, ascending."""
        return read_only(np.sort(self.held))

    @cached_property
    def sorted_records(self) -> np.ndarray:
        """The m numbers, ascending: an array as it was given, else objects."""
        if isinstance(self.held, np.ndarray) and self.held.dtype not in SHORT_FLOATS:
            return np.asarray(self.different) if self.once else self._sorted
        return read_only(super().sorted_records)

    @cached_property
    def values(self) -> tuple[Any, ...]:
        return _as_given(self.different)

    @cached_property
    def exact_values(self) -> tuple[Exact | None, ...]:
        if not isinstance(self.held, np.ndarray):
            return tuple(None if value is None else exact_number(value) for value in self.values)
        integers, scale = self.scaled
        if scale == 1:
            return tuple(integers.tolist())
        return tuple(simplest(Fraction(integer, scale)) for integer in integers.tolist())

    @cached_property
    def scaled(self) -> tuple[np.ndarray, int]:
        if isinstance(self.different, np.ndarray):
            return _scaled_array(self.different)
        integers, scale = in_whole_numbers(v for v in self.exact_values if v is not None)
        return read_only(integers), scale

    @cached_property
    def sorted_scaled(self) -> tuple[np.ndarray, int]:
        if isinstance(self.held, np.ndarray) and self.held.dtype.kind == "i" and not self.once:
            return _scaled_array(self._sorted)
        integers, scale = self.scaled
        return read_only(np.repeat(integers, self.counts)), scale

    def giver(self, exact: bool = False, own: bool = False) -> Callable[[Positions], Any]:
        return partial(_at, self.exact_values if exact else self.values)

    def are_those_of(self, other: Source) -> bool:
        return isinstance(other, Numbers) and _same_values(self.different, other.different)

    def __hash__(self) -> int:
        first, last = self.different[0], self.different[-1]
        ends = [None if end is None else exact_number(end) for end in (first, last)]
        return hash((len(self.different), *ends))

    @cached_property
    def position_of(self) -> dict[Any, int]:
        return {value: i for i, value in enumerate(self.exact_values)}

    def key(self, record: Any, what: str) -> Exact | None:
        return None if record is None else exact_number(record, f"{what} record")

    def positions(self, dataset: Any, what: str) -> np.ndarray:
        of_array = type(dataset) is np.ndarray and dataset.ndim == 1  # no mask, no rows
        records = dataset if of_array else sequence(dataset, what)
        positions = self._positions_in_array(records)
        return super().positions(records, what) if positions is None else positions

    def _positions_in_array(self, records: np.ndarray | tuple[Any, ...]) -> np.ndarray | None:
        """The positions of records that are all of the array's own kind and in it, else None."""
        values, given = self.different, records
        if not isinstance(given, np.ndarray):
            given = _as_array(given)
        if not isinstance(values, np.ndarray) or not isinstance(given, np.ndarray):
            return None
        both_whole = values.dtype.kind == given.dtype.kind == "i"
        if not both_whole and values.dtype != given.dtype:
            return None
        positions = np.searchsorted(values, given)
        positions[positions == len(values)] = 0
        return positions if np.array_equal(values[positions], given) else None


def _at(values: Sequence[Any], positions: Positions) -> tuple[Any, ...]:
    """The values at some positions."""
    return tuple(values[i] for i in positions)


def source_given(source: Any, what: str, once: bool) -> Source:
    """What a caller gives as records: an array stays one where it holds ints or floats alone."""
    if not isinstance(source, LISTS) and extension.is_foreign(source):
        return extension.source(source, what)
    if isinstance(source, (str, bytes, dict)) or not isinstance(source, Iterable):
        raise TypeError(
            f"{what} must be a sequence of numbers or other records, or a table, got "
            f"{brief(source)}: a list, as [1, 2, 3], or pandas.DataFrame(columns), or "
            "pandas.read_csv(file)"
        )
    array = source if isinstance(source, LISTS) else _entries_listed(source)
    if isinstance(array, np.ma.MaskedArray):
        array = array.tolist()  # what is masked becomes None: sorting would lay it bare
    if not isinstance(array, np.ndarray):
        array = _as_array(drawn(array, what))
    if isinstance(array, np.ndarray) and array.ndim != 1:
        raise ValueError(
            f"{what} must be one-dimensional, or a DataFrame, got {array.shape}: "
            "pandas.DataFrame(array) makes a table, list(map(tuple, array)) vectors"
        )
    if len(array) == 0:
        raise ValueError(f"{what} must not be empty, got {brief(source)}")
    if isinstance(array, np.ndarray) and _is_kept(array.dtype):
        if not np.isfinite(array).all():
            strange = array[~np.isfinite(array)][0]
            drop = ": drop it, as by .dropna(), or give None" * bool(np.isnan(strange))
            raise ValueError(f"{what} must be finite, got {strange}{drop}")
        # the caller may change theirs before ours is first sorted
        return Numbers(array.copy(), once)
    there = [value for value in array if value is not None]
    if are_text(array) or (there and not any(map(is_real, there))):
        return Values(array, what, once)
    for value in there:
        exact_number(value, what)
    if not there:
        raise ValueError(f"{what} must hold at least one number, got only None")
    if isinstance(array, np.ndarray) and array.dtype.kind in "bu":
        array = array.tolist()
    return Numbers(tuple(array), once)


def require_values(values: Any, what: str) -> None:
    """Refuse a pair of bounds, and a mapping: two values, and the keys, would be taken."""
    pair = type(values) is tuple and len(values) == 2
    if pair and all(is_real(end) and not isinstance(end, bool) for end in values):
        raise ValueError(
            f"{what} must be listed, got the pair {brief(values)}: {brief(list(values))} is two "
            "values, range(101) all whole numbers up to 100"
        )
    if isinstance(values, Mapping):
        raise TypeError(f"{what} must be listed, got {brief(values)}: list(...) lists its keys")


def _entries_listed(source: Any) -> Any:
    """The entries of a column of pandas, polars or pyarrow; anything else as it is."""
    kind = type(source)  # is asked for its attributes: an object may fail where it is looked at
    if hasattr(kind, "isna"):
        import pandas as pd  # who gives a Series has it

        # Among numbers NaN stays NaN, and is refused later; among other records it is None.
        gone = source.isna()
        masked = getattr(source.dtype, "na_value", None) is pd.NA
        numbers = pd.api.types.is_numeric_dtype(source.dtype) or any(map(is_real, source[~gone]))
        if not gone.any() or (not masked and (numbers or gone.all())):
            return source.to_numpy()
        return [None if missing else value for value, missing in zip(source, gone, strict=True)]
    lists = getattr(kind, "to_pylist", None) or getattr(kind, "to_list", None)
    if lists is None:
        return source
    entries = lists(source)
    if "Datetime" in str(getattr(source, "dtype", "")) and len({*entries}) < source.n_unique():
        raise ValueError(
            f"column {source.name} must hold whole microseconds, as Python's times do, got times "
            "that differ by less: cast it, or make whole numbers of it"
        )
    return entries


def _as_array(values: tuple[Any, ...]) -> np.ndarray | tuple[Any, ...]:
    """An array where all are ints of 64 bits or all are floats of one kind; else as they are."""
    kinds = set(map(type, values))
    if kinds == {int} and -(2**63) <= min(values) and max(values) < 2**63:
        return np.array(values, dtype=np.int64)
    if len(kinds) == 1 and kinds <= {float, *SHORT_FLOATS}:
        return np.array(values, dtype=kinds.pop())
    return values


def _is_kept(dtype: np.dtype[Any]) -> bool:
    """Whether an array of a dtype is kept as it is."""
    return dtype.kind == "i" or dtype in (np.float64, *SHORT_FLOATS)


def read_only(array: np.ndarray) -> np.ndarray:
    """An array, which from now on cannot be written to."""
    array.flags.writeable = False
    return array


def _as_given(values: np.ndarray | tuple[Any, ...]) -> tuple[Any, ...]:
    """Values as functions receive them: Python's own numbers, and short floats as they are."""
    if not isinstance(values, np.ndarray):
        return values
    return tuple(values if values.dtype in SHORT_FLOATS else values.tolist())


def _same_values(a: np.ndarray | tuple[Any, ...], b: np.ndarray | tuple[Any, ...]) -> bool:
    """Whether values are the same, and in the same form: 1 is not 1.0, nor 0.0 the same as -0.0."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return (
            (a.dtype == b.dtype or a.dtype.kind == b.dtype.kind == "i")
            and np.array_equal(a, b)
            and np.array_equal(np.signbit(a), np.signbit(b))
        )
    return bool(as_seen(_as_given(a)) == as_seen(_as_given(b)))


def in_whole_numbers(numbers: Any) -> tuple[np.ndarray, int]:
    """Return numbers, in their order, as whole ones over one denominator."""
    if isinstance(numbers, np.ndarray) and _is_kept(numbers.dtype) and np.isfinite(numbers).all():
        return _scaled_array(numbers)
    listed = list(numbers)
    if set(map(type, listed)) == {int}:
        return _integers(listed), 1
    exact = [Fraction(exact_number(number, "of")) for number in listed]
    scale = math.lcm(*(number.denominator for number in exact))
    return _integers([int(number * scale) for number in exact]), scale


def _scaled_array(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Numbers in an array as integers over one denominator."""
    if values.dtype.kind == "i":
        return read_only(values.astype(np.int64, copy=False)), 1
    values = values.astype(np.float64, copy=False)  # a float32 of 0.1 is 0.10000000149011612
    # Short decimals are whole numbers over a power of ten, which floats themselves tell: at once.
    for digits in range(16):
        integers = np.rint(values * 10.0**digits)
        if np.abs(integers).max() >= 1e15:
            break
        if np.array_equal(integers / 10.0**digits, values):
            return read_only(integers.astype(np.int64)), 10**digits
    # All others are read as they are written: 20.0 is 20, not 200 tenths.
    written = [Decimal(repr(value).removesuffix(".0")) for value in values.tolist()]
    finest = int(reduce(WIDE.add, written).as_tuple().exponent)  # of a sum: that of its finest
    digits = max(0, -finest)
    whole = [int(number.scaleb(digits, WIDE)) for number in written]
    return read_only(_integers(whole)), 10**digits


def _integers(numbers: list[int]) -> np.ndarray:
    """Integers as an array, in 64 bits where that is enough."""
    return np.array(numbers, dtype=np.int64 if max(map(abs, numbers)) < 2**62 else object)
