"""A worst pair as its two datasets, which are built when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from sensitivity_lab import extension
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.text import number_repr
from sensitivity_lab.proved.worst_pair import AtPositions, WorstPair, records_in
from sensitivity_lab.universe import Dataset, Universe

LONGEST_BUILT = 20_000_000  # records; larger datasets are not built
SIDES = ("dataset", "neighbour")


class CompactWitness(Sequence[Dataset]):
    """A dataset and its neighbour, held as what they share, what left and what joined.

    >>> from sensitivity_lab import SUM, Change, Universe, global_sensitivity
    >>> numbers = Universe.population(range(5000))
    >>> found = global_sensitivity(SUM, numbers, size=2000, relation=Change(1), method="solver")
    >>> found.witness
    <2,000 records; removed (4999,), added (0,)>
    >>> len(found.witness.common), found.witness.removed, found.witness.added
    (1999, (4999,), (0,))

    It unpacks to the two datasets like the tuple that small results have, and equals that tuple
    unless they are tables; they are built when they are first asked for. `common`, `removed` and
    `added` are sorted tuples of records, or tables as those of the universe. Raises ValueError
    where one of more than 20,000,000 records would have to be built.
    """

    def __init__(self, worst: WorstPair) -> None:
        self._worst = worst

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._worst,)

    @cached_property
    def _pair(self) -> tuple[Dataset, Dataset]:
        self._require_short(self._worst.size)
        return self._worst.pair()

    @property
    def size(self) -> int:
        """How many records the larger of the two has; neither is built."""
        return self._worst.size

    def _require_short(self, size: int) -> None:
        if size > LONGEST_BUILT:
            raise TooLarge(
                f"a witness is built up to {LONGEST_BUILT:,} records, got {size:,}; "
                "its `removed` and `added` show how the two datasets differ"
            )

    @cached_property
    def common(self) -> Dataset:
        """The records that are in both. Cost: O(n log n) for n records, once."""
        self._require_short(records_in(self._worst.common))
        return self._worst.records.dataset(self._worst.common)

    @cached_property
    def removed(self) -> Dataset:
        """The records that leave the dataset."""
        return self._worst.records.dataset(self._worst.removed)

    @cached_property
    def added(self) -> Dataset:
        """The records that join it."""
        return self._worst.records.dataset(self._worst.added)

    @property
    def positions(self) -> list[list[int]]:
        """Where the records of the two stand among the values of a universe of tables."""
        records: Any = self._worst.records
        return [records.positions(side) for side in self._worst.sides()]

    def __len__(self) -> int:
        return 2

    def __getitem__(self, side: Any) -> Any:
        return self._pair[side]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CompactWitness):
            return self._content == other._content
        if self._has_tables or not isinstance(other, Sequence):
            return False  # tables are no values that could be compared
        return self._content == tuple(other)

    def __hash__(self) -> int:
        return hash(self._content)

    @cached_property
    def _content(self) -> tuple[Any, Any]:
        """The two datasets; where they are not built, their values with numbers of copies."""
        worst = self._worst
        if worst.size <= LONGEST_BUILT and not self._has_tables:
            return self._pair
        dataset, neighbour = map(worst.records.multiset, worst.sides())
        return dataset, neighbour

    @property
    def _universe(self) -> Universe | None:
        """The universe of the two datasets, where it is known."""
        records = self._worst.records
        return records.universe if isinstance(records, AtPositions) else None

    @property
    def _has_tables(self) -> bool:
        return self._universe is not None and not self._universe.source.as_tuples

    def in_parts(self) -> tuple[list[Any], list[int]]:
        """What both share, what leaves and what joins, and how many records each has."""
        worst = self._worst
        counts = list(map(records_in, worst.parts))
        common = self.common if counts[0] <= LONGEST_BUILT else None
        return [common, self.removed, self.added], counts

    def _repr_html_(self) -> str | None:
        shown = extension.marked(self._universe, self) if self._universe else None
        return shown.html(SIDES) if shown else None  # numbers by their repr

    def __repr__(self) -> str:
        if self._universe is not None and self._has_tables:
            shown = extension.marked(self._universe, self)
            return f"<{shown.summary}>\n{shown.text()}"
        removed, added = number_repr(self.removed), number_repr(self.added)
        return f"<{self._worst.size:,} records; removed {removed}, added {added}>"
