"""What the records of a universe can be: the interface that numbers, values,
rows and people answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from numbers import Rational
from typing import Any, ClassVar

import narwhals as nw
import numpy as np

from sensitivity_lab.numbers.exact import Exact, brief, sequence, told
from sensitivity_lab.numbers.lazy import pd

Positions = Sequence[int] | np.ndarray
Stacked = tuple[np.ndarray, Any]  # of each row the number of its dataset, (N,); and the N rows
Tables = dict[str | None, Any]  # by name; one table alone has none
PLAIN = {int, bool, str, type(None)}  # kinds of which equals are the same


class Source:
    """The records that a universe holds: v different values, of which some have copies.

        records   a  b  b  c     m = 4 members, numbered 0 to 3, in the source's own order
        values    a  b  c        v = 3, at positions 0 to 2
        counts    1  2  1

    A dataset is told by the positions of its records. Functions of a dataset receive what `given`
    makes of them; functions of one record receive the entries of `each`.
    """

    id: str | None = None  # the column that tells people apart, where a record is a person

    numeric: ClassVar[bool] = False  # records are numbers, or None
    tabular: ClassVar[bool] = False  # functions receive tables
    one_row_each: ClassVar[bool] = False  # a record is a row
    order_shows: ClassVar[bool] = False  # records in another order are rows in another order
    brings_any: bool = True  # where anybody brings rows, any mix of them

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

    @property
    def brings(self) -> tuple[Source, tuple[int, int]] | None:
        """The rows that anybody may bring, and how many at least and at most;
        None for who is known."""
        return None

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

    def no_numbers(self) -> TypeError:
        """What says that numbers were needed."""
        return TypeError(
            f"universe must hold numbers here, got records such as {brief(self.values[0])}: ask "
            "of a column or a function of a record, as in MEAN.of(...)"
        )

    # What functions receive

    def given(self, positions: Positions) -> Any:
        """The dataset at some positions, as a function receives it."""
        return tuple(self.values[i] for i in positions)

    def giver(self, exact: bool = False) -> Callable[[Positions], Any]:
        """What makes datasets of positions; `exact` numbers are ints and Fractions."""
        return self.given

    def each(self, positions: Iterable[int]) -> Iterable[Any]:
        """The records at some positions, as functions of one record receive them."""
        return (self.values[i] for i in positions)

    def tables(self, positions: Positions) -> Tables:
        """The dataset as tables by name, where datasets are tables."""
        return {None: self.given(positions)}

    @property
    def whole(self) -> Tables:
        """All tables by name, as the datasets' rows come from them."""
        return {}

    def stacked(self, datasets: Sequence[Positions]) -> dict[str | None, Stacked]:
        """The rows of many datasets in each table, one dataset after another."""
        raise NotImplementedError

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

    def said(self, what: Any, asked: str = "of") -> Any:
        """What a column, or a function, says of each of the m records: numbers, or keys."""
        if not callable(what):
            words = f"{asked} must be a function of one record here, got {brief(what)}"
            raise ValueError(f"{words}: a record is {brief(self.values[0])}")
        positions = self.positions_at(np.arange(len(self), dtype=np.intp)).tolist()
        return [called_on(what, record, asked) for record in self.each(positions)]

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


def is_table(value: Any) -> bool:
    """Whether a value is a table of one of the three libraries; `table` refuses a lazy one."""
    known = nw.dependencies
    return bool(known.is_into_dataframe(value) or known.is_polars_lazyframe(value))


def end_to_end(datasets: Sequence[Positions]) -> tuple[np.ndarray, np.ndarray]:
    """The positions of many datasets in one array, and the number of the dataset each is from."""
    lengths = [len(dataset) for dataset in datasets]
    listed = (position for dataset in datasets for position in dataset)
    positions = np.fromiter(listed, dtype=np.int64, count=sum(lengths))
    return positions, np.repeat(np.arange(len(datasets), dtype=np.intp), lengths)


def called_on(function: Any, record: Any, asked: str = "of") -> Any:
    """Call a function of one record, which messages call `asked`; where it fails, say on which."""
    try:
        return function(record)
    except Exception as error:
        raise ValueError(f"{asked} failed on record {brief(record)}: {told(error)}") from error


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


def as_seen(value: Any) -> Any:
    """Return what equals that of another value only where no function tells the two apart."""
    kind = type(value)
    if kind in PLAIN:
        return kind, value
    if kind is float:
        return kind, repr(value)
    if isinstance(value, (tuple, list, np.ndarray)):
        return kind, *_all_as_seen(value)
    if nw.dependencies.is_into_dataframe(value):
        frame = nw.from_native(value, eager_only=True)
        cells = tuple(_all_as_seen(column.to_list()) for column in frame.iter_columns())
        return kind, _schema(value), cells
    if isinstance(value, Mapping):
        return kind, *_all_as_seen(value.items())
    if isinstance(value, (set, frozenset)):
        return kind, frozenset(map(as_seen, value))
    has_text = kind.__repr__ is not object.__repr__  # type: ignore[comparison-overlap]
    if isinstance(value, (Rational, str)) or not has_text:
        return kind, value
    try:
        text = repr(value)
    except Exception:  # numbers within it may be too long for a text
        text = ""
    return kind, text, value if value is pd.NA or value == value else None  # NaN


def _all_as_seen(values: Any) -> tuple[Any, ...]:
    """As `as_seen`, of each of some values; of a million in no more than a few steps."""
    kinds = set(map(type, values))
    if len(kinds) == 1 and kinds <= PLAIN:
        return kinds.pop(), tuple(values)
    return tuple(map(as_seen, values))


def _schema(native: Any) -> tuple[Any, ...]:
    """The columns of a table with all that their types say, and what else is noted of it."""
    if isinstance(native, pd.DataFrame):
        types = [
            (as_seen(name), repr(kind), as_seen(list(getattr(kind, "categories", ()))))
            for name, kind in native.dtypes.items()
        ]
        return tuple(types), as_seen(native.columns.names), as_seen(native.attrs)
    if nw.dependencies.is_polars_dataframe(native):
        return (repr(native.schema),)
    dictionaries = [
        [chunk.dictionary.to_pylist() for chunk in column.chunks]
        for column in native.columns
        if hasattr(column.type, "value_type") and hasattr(column.type, "index_type")
    ]
    return native.schema.serialize().to_pybytes(), as_seen(dictionaries)
