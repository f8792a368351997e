"""Records that bring rows: what is asked of their source beyond what is asked of any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import narwhals as nw
import numpy as np

from sensitivity_beyond.tables.order import InOrders, called_on
from sensitivity_lab.extension import Asked
from sensitivity_lab.numbers.exact import brief
from sensitivity_lab.problem import Problem
from sensitivity_lab.records import Positions, Source, all_as_seen, as_seen
from sensitivity_lab.universe import Universe

Stacked = tuple[np.ndarray, Any]  # of each row the number of its dataset, (N,); and the N rows
Tables = dict[str | None, Any]  # by name; one table alone has none


class TableSource(Source):
    """Records that are rows of a table, or bring some; functions receive tables."""

    as_tuples = False
    id: str | None = None  # the column that tells people apart, where a record is a person
    one_row_each: ClassVar[bool] = False  # a record is a row
    order_shows: ClassVar[bool] = False  # records in another order are rows in another order
    brings_any: bool = True  # where anybody brings rows, any mix of them

    def check(self, problem: Problem) -> None:
        query = problem.query
        counts = query.proved is None or query.proved.of_anything
        if not (counts or isinstance(query.function, Asked)):
            raise self.no_numbers(f"query {query.name} is asked of numbers")
        super().check(problem)

    @property
    def brings(self) -> tuple[Source, tuple[int, int]] | None:
        """The rows that anybody may bring, and how many at least and at most;
        None for who is known."""
        return None

    def listed_once(self) -> tuple[Sequence[Any], Sequence[Sequence[int]] | None]:
        """All different rows, as functions of one receive them; and of people whose rows are where,
        None where a record is a row."""
        return self.values, None

    def tables(self, positions: Positions) -> Tables:
        """The dataset as tables by name."""
        return {None: self.given(positions)}

    @property
    def whole(self) -> Tables:
        """All tables by name, as the datasets' rows come from them."""
        raise NotImplementedError

    def stacked(self, datasets: Sequence[Positions]) -> dict[str | None, Stacked]:
        """The rows of many datasets in each table, one dataset after another."""
        raise NotImplementedError

    @property
    def content(self) -> Any:
        every = self.tables(range(len(self.values)))
        frames = {name: nw.from_native(one, eager_only=True) for name, one in every.items()}
        return tuple(  # what equals another's only where no function tells the two apart
            (
                name,
                type(every[name]),
                _schema(every[name]),
                *(all_as_seen(column.to_list()) for column in frame.iter_columns()),
            )
            for name, frame in frames.items()
        )

    def giver(self, exact: bool = False, own: bool = False) -> Any:
        return InOrders(self) if own else self.given


def tables_of(universe: Universe) -> TableSource | None:
    """The source of a universe whose records bring rows; None for numbers and values."""
    return universe.source if isinstance(universe.source, TableSource) else None


def said(universe: Universe, what: Any, asked: str = "of") -> Any:
    """What a column, or a function of a record, says of each of the m records: numbers, or keys."""
    source = universe.source
    if says := getattr(source, "said", None):
        return says(what, asked)
    return said_by_each(source, what, asked)


def said_by_each(source: Source, what: Any, asked: str) -> Any:
    """What a function says of each of the m records, one after another."""
    if not callable(what):
        words = f"{asked} must be a function of one record here, got {brief(what)}"
        raise ValueError(f"{words}: a record is {brief(source.values[0])}")
    positions = source.positions_at(np.arange(len(source), dtype=np.intp)).tolist()
    return [called_on(what, record, asked) for record in source.each(positions)]


def end_to_end(datasets: Sequence[Positions]) -> tuple[np.ndarray, np.ndarray]:
    """The positions of many datasets in one array, and the number of the dataset each is from."""
    lengths = [len(dataset) for dataset in datasets]
    listed = (position for dataset in datasets for position in dataset)
    positions = np.fromiter(listed, dtype=np.int64, count=sum(lengths))
    return positions, np.repeat(np.arange(len(datasets), dtype=np.intp), lengths)


def _schema(native: Any) -> tuple[Any, ...]:
    """The columns of a table with all that their types say, and what else is noted of it."""
    if nw.dependencies.is_pandas_dataframe(native):
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
