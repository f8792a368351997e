"""What became of a claim: a row for each relation, k and size, its verdict, and how it is shown."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from textwrap import fill
from typing import Any

import pandas as pd

from sensitivity_lab.exact import simplest
from sensitivity_lab.results import Snippet, runnable
from sensitivity_lab.text import dataset_text

RTOL = Fraction(1, 10**9)  # floats this close, relative to the larger, are the same number
TOO_SMALL, EXACT, LOOSE = "too small", "exact", "loose"
CLEAN_SEARCH, INFEASIBLE = "no violation found", "infeasible"
COLUMNS = ["relation", "k", "size", "claimed", "exact", "ratio", "verdict", "dataset", "neighbour"]
ROWS_SHOWN = 4
LINE = 72  # characters
LONGEST_LINE = 12  # records; longer datasets are shown as runs of equal ones


@dataclass(frozen=True)
class AuditRow:
    """One claim held against one number: the widest gap between neighbours, with its witness.

    >>> print(AuditRow("Change", 1, 2, claimed=1, found=2, dataset=(0, 0), neighbour=(0, 2),
    ...                answers=(0, 2)))
    Change(1), size 2: too small by ×2, claimed 1, exact 2
      (0, 0) → 0
      (0, 2) → 2

    `found` is the exact sensitivity on the universe that was enumerated; after a search it is a
    lower bound. `answers` are those on the dataset and on its neighbour. An infeasible row has
    None in their place, and a `note` that says why.

    Source: def-audits-verdict in the book's chapter on audits.
    """

    relation: str
    k: Any
    size: int | None
    claimed: Any = None
    found: Any = None
    dataset: Any = None
    neighbour: Any = None
    answers: tuple[Any, Any] | None = None
    searched: bool = False
    note: str = ""
    related: Callable[[Any, Any], bool] | None = field(default=None, repr=False, compare=False)

    @property
    def exact(self) -> Any:
        """The exact sensitivity on the universe; None after a search.

        >>> AuditRow("Change", 1, 2, claimed=1, found=2, searched=True).exact is None
        True
        """
        return None if self.searched else self.found

    @property
    def ratio(self) -> Any:
        """Claimed over found: 1 where the two agree; None if infeasible.

        >>> AuditRow("Change", 1, 2, claimed=1, found=3).ratio
        Fraction(1, 3)

        Source: thm-audits-cost in the book's chapter on audits: what a ratio below 1 costs.
        """
        return None if self.note else _ratio(self.claimed, self.found)

    @property
    def verdict(self) -> str:
        """One of "too small", "exact", "loose"; "no violation found" (a search); "infeasible".

        >>> AuditRow("Change", 1, 2, claimed=1, found=1).verdict
        'exact'

        Source: def-audits-verdict in the book's chapter on audits.
        """
        if self.note:
            return INFEASIBLE
        if self.ratio < 1:
            return TOO_SMALL
        if self.searched:
            return CLEAN_SEARCH
        return EXACT if self.ratio == 1 else LOOSE

    @property
    def place(self) -> str:
        """Which row this is, in words.

        >>> AuditRow("Change", 1, 2).place
        'Change(1), size 2'
        """
        return f"{self.relation}({self.k})" + ("" if self.size is None else f", size {self.size}")

    def __str__(self) -> str:
        if self.verdict == INFEASIBLE:
            return f"{self.place}: infeasible ({self.note})"
        kind = "found" if self.searched else "exact"
        numbers = f"claimed {_brief(self.claimed)}, {kind} {_brief(self.found)}"
        line = f"{self.place}: {self.verdict}{_times(self)}, {numbers}"
        if self.verdict != TOO_SMALL:
            return line
        pair = zip((self.dataset, self.neighbour), self.answers or (), strict=True)
        return "\n".join([line, *(f"  {_text(data)} → {_text(a, _brief)}" for data, a in pair)])


@dataclass(frozen=True)
class Audit:
    """What became of a claim: a row for each relation, k and size.

    >>> from sensitivity_lab import MAX, Change, Universe, audit
    >>> audit(MAX, 3, Universe.value_range([0, 2]), size=[1, 2], relations=[Change(1)])
    max: loose by ×1.5 (rows: 2 loose)
    Change(1), size 1: loose by ×1.5, claimed 3, exact 2
    Change(1), size 2: loose by ×1.5, claimed 3, exact 2
    Held against all pairs from Universe.value_range([0, 2]); "exact" and
    "loose" speak of these.

    "Too small" is a proof, and its row carries the witness. "Exact" and "loose" speak of the
    universe that was enumerated: on a wider one the same claim has the same ratio or a smaller.

    Source: thm-audits-wider in the book's chapter on audits.
    """

    function: str
    rows: tuple[AuditRow, ...]
    scope: str
    answer: Callable[[Any], Any] = field(repr=False, compare=False)
    gap: Callable[[Any, Any], Any] = field(repr=False, compare=False)

    @property
    def violations(self) -> tuple[AuditRow, ...]:
        """The rows whose claim is too small: smallest size first, then smallest k.

        >>> from sensitivity_lab import MAX, Change, Universe, audit
        >>> report = audit(MAX, 1, Universe.value_range([0, 2]), size=[1, 2], relations=[Change(1)])
        >>> [row.size for row in report.violations]
        [1, 2]

        Cost: linear in the rows, and a sort of those too small.
        """
        bad = [row for row in self.rows if row.verdict == TOO_SMALL]
        return tuple(sorted(bad, key=lambda row: (row.size or 0, row.k)))

    @property
    def worst(self) -> AuditRow:
        """The feasible row with the smallest ratio of claimed to found; of several the first.

        >>> from sensitivity_lab import SUM, Change, Universe, audit
        >>> pair, asked = Universe.value_range([0, 1]), [Change(1), Change(2)]
        >>> audit(SUM, 1, pair, size=3, relations=asked).worst.place
        'Change(2), size 3'

        Cost: linear in the rows.
        """
        return min(
            (row for row in self.rows if row.verdict != INFEASIBLE), key=lambda row: row.ratio
        )

    @property
    def headline(self) -> str:
        """The verdict in one line.

        >>> from sensitivity_lab import SUM, Change, Universe, audit
        >>> audit(SUM, 1, Universe.value_range([0, 1]), size=3, relations=[Change(2)]).headline
        'too small by ×2'

        Cost: linear in the rows.
        """
        if self.violations:
            return f"too small{_times(self.worst)}"
        kinds = {row.verdict for row in self.rows} - {INFEASIBLE}
        if LOOSE not in kinds:
            return kinds.pop()
        loosest = max((row for row in self.rows if row.verdict == LOOSE), key=lambda r: r.ratio)
        return f"loose{_times(loosest)}"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a tidy table; `ratio` is a float, NaN where a row is infeasible.

        >>> from sensitivity_lab import SUM, Change, Universe, audit
        >>> report = audit(SUM, 1, Universe.value_range([0, 1]), size=3, relations=[Change(2)])
        >>> report.to_frame()
          relation  k size claimed exact  ratio    verdict    dataset  neighbour
        0   Change  2    3       1     2    0.5  too small  (0, 0, 0)  (0, 1, 1)

        After a search the column `exact` is called `found`: it holds lower bounds.
        Cost: linear in the rows.
        """
        searched = any(row.searched for row in self.rows)
        columns = [*COLUMNS]
        columns[columns.index("exact")] = "found" if searched else "exact"
        rows = [[getattr(row, column) for column in columns] for row in self.rows]
        table = pd.DataFrame(rows, columns=columns, dtype=object)
        return table.astype({"relation": str, "ratio": float, "verdict": str})

    def check(self) -> bool:
        """Return whether every witness, asked again, is a related pair at its distance.

        >>> from sensitivity_lab import SUM, Change, Universe, audit
        >>> audit(SUM, 1, Universe.value_range([0, 1]), size=3, relations=[Change(2)]).check()
        True

        Cost: two evaluations of the function for each row.
        """
        return all(
            row.related(row.dataset, row.neighbour)
            and self.gap(self.answer(row.dataset), self.answer(row.neighbour)) == row.found
            for row in self.rows
            if row.related is not None
        )

    def snippet(self) -> Snippet:
        """Return Python that shows the smallest violation (else the worst row), for a bug report.

        >>> from sensitivity_lab import Change, Universe, audit
        >>> def peak(dataset):
        ...     return max(dataset)
        >>> audit(peak, 1, Universe.value_range([0, 2]), size=2, relations=[Change(1)]).snippet()
        # Change(1), size 2: claimed 1, and the answers are 2 apart
        # define peak here
        dataset = (0, 0)
        neighbour = (0, 2)
        print(peak(dataset))  # 0
        print(peak(neighbour))  # 2

        Cost: the text of both datasets.
        """
        row = (*self.violations, self.worst)[0]
        name = self.function if self.function.isidentifier() else "function"
        hint = "" if name == self.function else f": {self.function}"
        lines = [f"# {row.place}: claimed {row.claimed}, and the answers are {row.found} apart"]
        lines += [
            f"# define {name} here{hint}",
            f"dataset = {row.dataset!r}",
            f"neighbour = {row.neighbour!r}",
        ]
        for side, answer in zip(("dataset", "neighbour"), row.answers or (), strict=True):
            lines.append(f"print({name}({side}))  # {answer!r}")
        return runnable(lines)

    def raise_if_too_small(self) -> None:
        """Raise AssertionError, with the witness and a snippet, if any claim is too small.

        >>> from sensitivity_lab import MAX, Change, Universe, audit
        >>> report = audit(MAX, 2, Universe.value_range([0, 2]), size=2, relations=[Change(1)])
        >>> report.raise_if_too_small()

        For the test suite of a library: one line, and a failure explains itself.
        """
        if self.violations:
            raise AssertionError(f"{self}\n\n{self.snippet()}")

    def __str__(self) -> str:
        counts = [
            f"{count} {verdict}"
            for verdict in (TOO_SMALL, LOOSE, EXACT, CLEAN_SEARCH, INFEASIBLE)
            if (count := sum(row.verdict == verdict for row in self.rows))
        ]
        rows = self.violations or self.rows
        lines = [f"{self.function}: {self.headline} (rows: {', '.join(counts)})"]
        lines += map(str, rows[:ROWS_SHOWN])
        if len(rows) > ROWS_SHOWN:
            lines.append(f"… and {len(rows) - ROWS_SHOWN} more")
        return "\n".join([*lines, fill(self.scope, LINE)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = self.to_frame().drop(columns="k")
        table["relation"] = [f"{row.relation}({row.k})" for row in self.rows]
        for side in ("dataset", "neighbour"):
            table[side] = [None if data is None else _text(data) for data in table[side]]
        head = html.escape(f"{self.function}: {self.headline}")
        body = table.to_html(index=False, na_rep="", float_format=lambda x: f"{x:.6g}")
        return f"<p><strong>{head}</strong></p>{body}<p>{html.escape(self.scope)}</p>"


def _times(row: AuditRow) -> str:
    """By what factor a row's claim is off, as text: none where there is no number for it."""
    if row.verdict not in (TOO_SMALL, LOOSE) or row.ratio in (0, math.inf):
        return ""
    factor = 1 / Fraction(row.ratio) if row.verdict == TOO_SMALL else Fraction(row.ratio)
    if factor < Fraction("1.005"):
        return f" by ×(1 + {float(factor - 1):.2g})"
    return f" by ×{float(factor):.3g}"


def _brief(value: Any) -> str:
    """A number as it is, a float to six digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _text(data: Any, entry: Callable[[Any], str] = str) -> str:
    """A dataset or an answer on one line: of a long one its runs, of many runs the ends.

    >>> _text((0, 1, 1)), _text((0, *[1] * 126))
    ('(0, 1, 1)', '(0, 1 ×126)')
    """
    if not isinstance(data, tuple):
        return entry(data)
    if len(data) <= LONGEST_LINE:
        return f"({', '.join(map(entry, data))})"
    runs = [(record, len(list(run))) for record, run in groupby(data)]
    return dataset_text(tuple(entry(v) + (f" ×{n}" if n > 1 else "") for v, n in runs))


def _ratio(claimed: Any, found: Any) -> Any:
    """Claimed over found: exact for ints and Fractions; 1 where floats agree to 1e-9.

    >>> _ratio(1, Fraction(2, 3)), _ratio(0.30000000000000004, 0.3), _ratio(0, 0), _ratio(2, 0)
    (Fraction(3, 2), 1, 1, inf)
    """
    if claimed == found:
        return 1
    if found == 0 or claimed == math.inf:
        return math.inf
    if claimed == 0 or found == math.inf:
        return 0
    ratio = Fraction(claimed) / Fraction(found)
    if isinstance(claimed, (int, Fraction)) and isinstance(found, (int, Fraction)):
        return simplest(ratio)
    return 1 if abs(ratio - 1) <= RTOL else float(ratio)
