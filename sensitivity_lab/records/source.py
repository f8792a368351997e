"""Records that are no numbers: which there are, and how a function is given some of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sensitivity_lab.numbers.exact import brief, sequence, told
from sensitivity_lab.records.seen import as_seen

Positions = Sequence[int] | np.ndarray
Stacked = tuple[np.ndarray, Any]  # of each row the number of its dataset, (N,); and the N rows


@dataclass(frozen=True, eq=False)
class Records:
    """Some different records, in an order of their own, and how many copies of each there are."""

    values: tuple[Hashable, ...]
    counts: np.ndarray  # (v,) whole numbers
    tabular: ClassVar[bool] = False  # functions receive tables

    @classmethod
    def of(cls, records: Iterable[Any], what: str) -> Records:
        """Count equal records; they are sorted where they can be, else in the order given."""
        listed = list(records)
        counted: Counter[Any] = Counter(
            listed if are_text(listed) else (hashed(record, what) for record in listed)
        )
        values = ordered(counted)
        return cls(values, np.array(list(map(counted.__getitem__, values)), dtype=np.intp))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Records)
            and self.are_those_of(other)
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.values))

    def are_those_of(self, other: object) -> bool:
        """Whether functions receive the same from others, however many copies there are."""
        return isinstance(other, Records) and self._content == other._content

    @property
    def _content(self) -> tuple[Any, ...]:
        """What functions can receive: each of the records once."""
        return type(self).__name__, as_seen(self.given(range(len(self.values))))

    def given(self, positions: Positions) -> Any:
        """The dataset at some positions, as a function receives it."""
        return tuple(self.values[i] for i in positions)

    def positions(self, dataset: Any, what: str) -> np.ndarray:
        """Where the records of a caller's dataset stand among the values."""
        position_of = {value: i for i, value in enumerate(self.values)}
        positions = []
        for record in self.listed(dataset, what):
            if hashed(record, what) not in position_of:
                raise ValueError(f"{what} must hold records of the universe, got {brief(record)}")
            positions.append(position_of[record])
        return np.array(positions, dtype=np.int64)

    def listed(self, dataset: Any, what: str) -> Iterable[Any]:
        """The records of a caller's dataset."""
        return sequence(dataset, what)

    def each(self, positions: Positions) -> Iterable[Any]:
        """The records at some positions, as functions of one record receive them."""
        return (self.values[i] for i in positions)

    @property
    def members(self) -> Iterable[Any]:
        """The m records, copies and all, as functions of one record receive them."""
        return self.each(
            np.repeat(np.arange(len(self.values), dtype=np.intp), self.counts).tolist()
        )

    def at(self, members: np.ndarray) -> Any:
        """The dataset of some of the m records, as a function receives it."""
        return self.given(self.positions_at(members))

    def positions_at(self, members: np.ndarray) -> np.ndarray:
        """Where some of the m records stand among the values."""
        each = np.arange(len(self.values), dtype=np.intp)
        positions: np.ndarray = np.repeat(each, self.counts)[members]
        return positions

    def said(self, what: Any, asked: str = "of") -> Any:
        """What a column, or a function, says of each of the m records: numbers, or keys."""
        if not callable(what):
            raise ValueError(
                f"{asked} must be a function of one record here, got {brief(what)}: "
                f"a record is {brief(self.values[0])}"
            )
        return [called_on(what, record, asked) for record in self.members]

    def tables(self, positions: Positions) -> dict[str | None, Any] | None:
        """The dataset as tables by name, where it is some; else None."""
        return None

    @property
    def whole(self) -> dict[str | None, Any]:
        """All tables by name, as the datasets' rows come from them; none where there are no tables."""
        return {}

    def stacked(self, datasets: Sequence[Positions]) -> dict[str | None, Stacked]:
        """The rows of many datasets in each table, one dataset after another; where there are tables."""
        raise NotImplementedError

    def __len__(self) -> int:
        return int(self.counts.sum(dtype=np.int64))


def end_to_end(datasets: Sequence[Positions]) -> tuple[np.ndarray, np.ndarray]:
    """The positions of many datasets in one array, and the number of the dataset each is from."""
    lengths = [len(dataset) for dataset in datasets]
    listed = (position for dataset in datasets for position in dataset)
    positions = np.fromiter(listed, dtype=np.int64, count=sum(lengths))
    return positions, np.repeat(np.arange(len(datasets), dtype=np.intp), lengths)


def codes_of(keys: Any) -> np.ndarray:
    """Equal keys as equal whole numbers, different keys as different ones."""
    if isinstance(keys, np.ndarray) and keys.dtype != object:
        return np.unique(keys, return_inverse=True)[1]
    code_of: dict[Any, int] = {}
    return np.array([code_of.setdefault(key, len(code_of)) for key in keys], dtype=np.int64)


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
            "a frozen dataclass of an object"
        ) from error
    if not same:
        raise TypeError(
            f"{what} must equal themselves, got {brief(record)}: write None for what is missing"
        )
    return record  # type: ignore[no-any-return]
