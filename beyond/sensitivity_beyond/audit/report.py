"""What became of a claim: an `Audit` of rows, for each relation, k and size,
and how it is shown."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from textwrap import fill, indent
from typing import Any

import numpy as np

from sensitivity_beyond.audit.claim_and_scope import Scope, and_more, ratio
from sensitivity_beyond.audit.runner import in_this_test, shown_as
from sensitivity_beyond.audit.subject import PairPositions, Subject
from sensitivity_beyond.tables.frames import is_table, rows_of, table
from sensitivity_beyond.tables.lazy import pd
from sensitivity_beyond.tables.python import Snippet, comment, python_of, runnable, source_of
from sensitivity_beyond.tables.shown import Marked, rows_on_a_line
from sensitivity_beyond.tables.to_json import Travels
from sensitivity_lab.methods.witness import SIDES
from sensitivity_lab.numbers.exact import as_float
from sensitivity_lab.numbers.gap import Labelled, amount
from sensitivity_lab.numbers.text import dataset_text, number_repr, number_text
from sensitivity_lab.results import answer_texts

Related = Callable[[Any, Any], bool]  # whether two inputs are a pair that is asked about
TOO_SMALL, EXACT, LOOSE = "too small", "exact", "loose"
HELD, CLEAN_SEARCH = "held where asked", "no violation found"
INFEASIBLE, NOT_ASKED = "infeasible", "not asked"
VERDICTS = TOO_SMALL, LOOSE, EXACT, HELD, CLEAN_SEARCH, NOT_ASKED, INFEASIBLE
ROWS_SHOWN, HTML_ROWS = 4, 60
LINE = 72  # characters
SILENCE = "; the empty dataset was not asked"
WAYS_OUT = (
    "Make {} answer on the empty dataset, or ask larger sizes alone (as by "
    "sizes_within=range(1, ...)), or pass allow_not_asked=True."
)


@dataclass(frozen=True, eq=False)
class AuditRow(Travels):
    """One claim held against one number: the widest gap between neighbours, with its witness.

    >>> print(AuditRow("Change", 1, 2, claimed=1, found=2, dataset=(0, 0), neighbour=(0, 2),
    ...                answers=(0, 2)))
    Change(1), size 2: too small by ×2, claimed 1, exact 2
      (0, 0) → 0
      (0, 2) → 2

    `found` is the exact sensitivity on the universe that was enumerated; after a search, and where
    a direction was not asked, it is a lower bound. `answers` are those on the dataset and on its
    neighbour. `not_asked` names the directions that lead to the empty dataset where the function
    fails on it, `infeasible` those that no dataset can take. Where no direction is left, these
    numbers are None, and a `note` says why. Datasets that are tables are `marked`: shown with the
    rows that leave and join.

    Rows are equal if all of this is, and hash by their numbers: datasets can be tables.
    Source: def-audits-verdict in the book's chapter on audits.
    """

    also = ("verdict",)

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
    not_asked: tuple[str, ...] = ()
    infeasible: tuple[str, ...] = ()
    related: Related | None = field(default=None, repr=False)
    at: PairPositions = field(default=(None, None), repr=False)
    marked: Marked | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, number in (("claimed", self.claimed), ("found", self.found)):
            if number is not None:
                amount(number, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AuditRow):
            return False
        # the relation's name stands for what tells neighbours
        mine, its = (vars(row) | dict.fromkeys(("related", "marked")) for row in (self, other))
        return _same(mine, its)

    def __hash__(self) -> int:
        return hash((self.relation, self.k, self.size, self.claimed, self.found, self.note))

    @property
    def exact(self) -> Any:
        """The exact sensitivity on the universe; None after a search, and where not all was asked.

        >>> AuditRow("Change", 1, 2, claimed=1, found=2, searched=True).exact is None
        True
        """
        return None if self.is_a_bound else self.found

    @property
    def is_a_bound(self) -> bool:
        """Whether what was found may be below the sensitivity: some pairs were not asked about.

        >>> AuditRow("Remove", 1, 1, claimed=1, found=1, not_asked=("remove 1",)).is_a_bound
        True
        """
        return self.searched or bool(self.not_asked)

    @property
    def ratio(self) -> Any:
        """Claimed over found: 1 where the two agree; None if nothing was asked.

        >>> AuditRow("Change", 1, 2, claimed=1, found=3).ratio
        Fraction(1, 3)

        Source: thm-audits-cost in the book's case files: what a ratio below 1 costs.
        """
        return None if self.note else ratio(self.claimed, self.found)

    @property
    def verdict(self) -> str:
        """What became of the claim: "too small", or else by what was asked.

        >>> AuditRow("Change", 1, 2, claimed=1, found=1).verdict
        'exact'
        >>> AuditRow("Remove", 1, 1, claimed=1, found=1, not_asked=("remove 1",)).verdict
        'held where asked'

        "Exact" and "loose" are said where all was asked, "held where asked" where a direction was
        not, "no violation found" of a search. "Infeasible" and "not asked" are of a row in which no
        direction is left: no dataset can take one, or the function fails where all of them lead.
        Source: def-audits-verdict in the book's chapter on audits.
        """
        if self.note:
            return NOT_ASKED if self.not_asked else INFEASIBLE
        if self.ratio < 1:
            return TOO_SMALL
        if self.is_a_bound:
            return CLEAN_SEARCH if self.searched else HELD
        return EXACT if self.ratio == 1 else LOOSE

    @property
    def setting(self) -> str:
        """Which row this is, in words.

        >>> AuditRow("Change", 1, 2).setting
        'Change(1), size 2'
        """
        at = "" if self.size is None else f", size {self.size}"
        return f"{self.relation}({number_text(self.k)}){at}"

    @property
    def sides(self) -> tuple[Any, Any]:
        """The dataset and its neighbour as reports show them: tables in a line each.

        >>> AuditRow("Change", 1, 2, dataset=(0, 0), neighbour=(0, 2)).sides
        ((0, 0), (0, 2))
        """
        if self.marked is not None:
            return self.marked.lines()
        return _in_a_line(self.dataset), _in_a_line(self.neighbour)

    def __str__(self) -> str:
        if self.note:
            return f"{self.setting}: {self.verdict} ({self.note})"
        kind = "found" if self.is_a_bound else "exact"
        numbers = f"claimed {number_text(self.claimed)}, {kind} {number_text(self.found)}"
        lines = [f"{self.setting}: {self.verdict}{_times(self)}, {numbers}"]
        answers, told = self.answers or (), list[str]()
        if self.verdict == TOO_SMALL:  # of tables one, with the rows that differ marked
            sides = SIDES if self.marked else tuple(map(dataset_text, self.sides))
            told = self.marked.text().splitlines() if self.marked else []
            keyed = self.marked and any(isinstance(answer, Labelled) for answer in answers)
            texts = answer_texts(*answers) if keyed else map(number_text, answers)
            told += [f"{side} → {text}" for side, text in zip(sides, texts, strict=True)]
        told += [f"not asked: {direction}" for direction in self.not_asked]
        return "\n".join([*lines, *(indent(line, "  ") for line in told)])


@dataclass(frozen=True)
class Audit(Travels):
    """What became of a claim: a row for each relation, k and size.

    >>> from sensitivity_lab import MAX, Change, Universe, audit
    >>> audit(MAX, 3, Universe.value_range([0, 2]), sizes=[1, 2], relations=[Change(1)])
    max: loose by ×1.5 (rows: 2 loose)
    Change(1), size 1: loose by ×1.5, claimed 3, exact 2
    Change(1), size 2: loose by ×1.5, claimed 3, exact 2
    Held against all pairs from Universe.value_range([0, 2]), sizes 1 to 2,
    under Change(1); "exact" and "loose" speak of these.

    "Too small" is a proof, and its row carries the witness. "Exact" and "loose" cover the pairs
    that were asked about, and no more: this universe, these sizes and relations. They are said of
    no row with a direction that `not_asked` names. On a wider universe the same claim has the same
    ratio or a smaller one. `asked` holds what was asked, piece by piece: its `universe`, `sizes` or
    `sizes_within`, `relations`, and so on. Audits can be pickled if the function can.
    Source: thm-audits-wider in the book's chapter on audits.
    """

    also = ("headline", "scope", "not_asked")

    function: str
    rows: tuple[AuditRow, ...]
    asked: Scope
    subject: Subject = field(repr=False, compare=False)

    @property
    def not_asked(self) -> tuple[str, ...]:
        """The directions that were not asked in some row, and why, each once.

        >>> from sensitivity_lab import Remove, Universe, audit
        >>> def mean(dataset):
        ...     return sum(dataset) / len(dataset)
        >>> pair = Universe.value_range([0, 2])
        >>> audit(mean, 1, pair, sizes=[1, 2], relations=[Remove(1)]).not_asked
        ('remove 1: leaves 0 records, where mean raised ZeroDivisionError: division by zero',)
        """
        return tuple(dict.fromkeys(way for row in self.rows for way in row.not_asked))

    @property
    def scope(self) -> str:
        """What the verdicts speak of, in words.

        >>> from sensitivity_lab import MAX, Remove, Universe, audit
        >>> values = Universe.value_range([0, 2])
        >>> print(audit(MAX, 3, values, sizes=[1, 2], relations=[Remove(1)]).scope)
        Held against all pairs from Universe.value_range([0, 2]), sizes 1 to 2, under Remove(1);
        "exact" and "loose" speak of these. Not feasible in 1 row: remove 1.
        """
        parts = [str(self.asked)]
        for what, name in (("Not asked", "not_asked"), ("Not feasible", "infeasible")):
            rows = [getattr(row, name) for row in self.rows if getattr(row, name)]
            if rows:
                ways = list(dict.fromkeys(way.partition(": ")[0] for row in rows for way in row))
                count = f"{len(rows)} row{'s' * (len(rows) > 1)}"
                parts.append(f"{what} in {count}: {and_more(ways)}.")
        return " ".join(parts)

    @property
    def violations(self) -> tuple[AuditRow, ...]:
        """The rows whose claim is too small: smallest size first, then smallest k.

        >>> from sensitivity_lab import MAX, Change, Universe, audit
        >>> values = Universe.value_range([0, 2])
        >>> report = audit(MAX, 1, values, sizes=[2, 1], relations=[Change(1)])
        >>> [row.size for row in report.violations]
        [1, 2]
        """
        bad = [row for row in self.rows if row.verdict == TOO_SMALL]
        return tuple(sorted(bad, key=lambda row: (row.size or 0, row.k)))

    @property
    def worst(self) -> AuditRow:
        """The row with the smallest ratio of claimed to found; of several the first.

        >>> from sensitivity_lab import SUM, Change, Universe, audit
        >>> pair, asked = Universe.value_range([0, 1]), [Change(1), Change(2)]
        >>> audit(SUM, 1, pair, sizes=3, relations=asked).worst.setting
        'Change(2), size 3'
        """
        return min((row for row in self.rows if not row.note), key=lambda row: row.ratio)

    @property
    def headline(self) -> str:
        """The verdict in one line, and whether something was not asked.

        >>> from sensitivity_lab import SUM, Change, Remove, Universe, audit
        >>> pair = Universe.value_range([0, 1])
        >>> audit(SUM, 1, pair, sizes=3, relations=[Change(2)]).headline
        'too small by ×2'
        >>> audit(max, 1, pair, sizes=[1, 2], relations=[Remove(1)]).headline
        'held where asked; the empty dataset was not asked'
        """
        rows = [row for row in self.rows if not row.note]
        loosest = max(rows, key=lambda row: (row.verdict == LOOSE, row.ratio))
        said = f"loose{_times(loosest)}" if loosest.verdict == LOOSE else rows[0].verdict
        if self.violations:
            said = f"{TOO_SMALL}{_times(self.worst)}"
        elif self.not_asked and not rows[0].searched:
            said = HELD
        return said + (SILENCE if self.not_asked else "")

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a tidy table; `ratio` is a float, NaN where nothing was asked.

        >>> from sensitivity_lab import SUM, Change, Universe, audit
        >>> report = audit(SUM, 1, Universe.value_range([0, 1]), sizes=3, relations=[Change(2)])
        >>> report.to_frame()
          relation  k size claimed exact  ratio    verdict    dataset  neighbour
        0   Change  2    3       1     2    0.5  too small  (0, 0, 0)  (0, 1, 1)

        After a search, and where directions were not asked, the column `exact` is called `found`:
        it holds lower bounds. A column `not_asked` names such directions, row by row.
        """
        columns = ["relation", "k", "size", "claimed", self._found, "ratio", "verdict"]
        rows = [{name: getattr(row, name) for name in columns} for row in self.rows]
        for cells, row in zip(rows, self.rows, strict=True):
            cells |= {"ratio": as_float(row.ratio), **dict(zip(SIDES, row.sides, strict=True))}
            cells |= {"not_asked": "; ".join(row.not_asked)} if self.not_asked else {}
        frame = pd.DataFrame(rows, dtype=object)
        return frame.astype({"relation": str, "ratio": float, "verdict": str})

    @property
    def _found(self) -> str:
        """What the numbers of the rows are called: of some rows they may be lower bounds."""
        return "found" if any(row.is_a_bound for row in self.rows) else "exact"

    def check(self) -> bool:
        """Return whether every witness, asked again, is a related pair at its distance.

        >>> from sensitivity_lab import SUM, Change, Universe, audit
        >>> audit(SUM, 1, Universe.value_range([0, 1]), sizes=3, relations=[Change(2)]).check()
        True

        What was not asked is not asked here either. Cost: two answers of the function a row.
        """
        universe = self.asked.universe
        for row in self.rows:
            sides = [  # tables do not tell who brings no rows
                one if universe is None or at is None else tuple(universe.values[i] for i in at)
                for one, at in zip((row.dataset, row.neighbour), row.at, strict=True)
            ]
            distance = self.subject.distance
            if row.related is not None and not (
                row.related(*sides) and distance(row.dataset, row.neighbour, row.at) == row.found
            ):
                return False
        return True

    def snippet(self) -> Snippet:
        """Return Python that shows the smallest violation (else the worst row), for a bug report.

        >>> from sensitivity_lab import Change, Universe, audit
        >>> def peak(dataset):
        ...     return max(dataset)
        >>> audit(peak, 1, Universe.value_range([0, 2]), sizes=2, relations=[Change(1)]).snippet()
        # Change(1), size 2: claimed 1, and the answers are 2 apart
        # define peak here
        dataset = (0, 0)
        neighbour = (0, 2)
        print(peak(dataset))  # 0
        print(peak(neighbour))  # 2

        A standard query is imported; your own function you define where a comment says so.
        """
        row = (*self.violations, self.worst)[0]
        name, made = self.function, [comment(f"define {self.function} here")]
        if (standard := python_of(self.subject.query)) is not None:
            name, made = "query", ["import sensitivity_lab as sl", f"query = {standard}"]
        elif not name.isidentifier():
            name, made = "function", [comment(f"define function here: {name}")]
        claimed, apart = dataset_text(row.claimed), dataset_text(row.found)
        told = comment(f"{row.setting}: claimed {claimed}, and the answers are {apart} apart")
        lines = [*made[:-1], told, made[-1]]
        for side, dataset in zip(SIDES, (row.dataset, row.neighbour), strict=True):
            lines.append(f"{side} = {source_of(dataset)}")
        for side, answer in zip(SIDES, row.answers or (), strict=True):
            lines.append(f"print({name}({side}))  {comment(number_repr(answer))}")
        return runnable(lines)

    def raise_if_too_small(self, *, allow_not_asked: bool = False) -> None:
        """Raise AssertionError if any claim is too small, or a direction was not asked.

        >>> from sensitivity_lab import MAX, Change, Universe, audit
        >>> report = audit(MAX, 2, Universe.value_range([0, 2]), sizes=2, relations=[Change(1)])
        >>> report.raise_if_too_small()

        For the test suite of a library: one line, and a failure explains itself, with the witness
        and a snippet, or with what was not asked. `allow_not_asked` lets that pass.
        """
        __tracebackhide__ = True  # pytest shows the test's own line
        if (run := in_this_test()) is not None:
            run.audits.append(self)
        if (told := self.objection(allow_not_asked)) is not None:
            raise shown_as(AssertionError(told[1]), *told)

    def objection(self, allow_not_asked: bool) -> tuple[str, str] | None:
        """What a test has against the audit, in short and at length; None where it passes.

        >>> from sensitivity_lab import Remove, Universe, audit
        >>> def mean(dataset):
        ...     return sum(dataset) / len(dataset)
        >>> values = Universe.value_range([0, 2])
        >>> report = audit(mean, 2, values, sizes=[1, 2], relations=[Remove(1)])
        >>> report.objection(allow_not_asked=True) is None
        True
        >>> report.objection(allow_not_asked=False)[0].partition("\\n")[0]
        'mean: held where asked; the empty dataset was not asked'
        """
        if self.violations:
            text = f"{self}\n\n{self.snippet()}"
            return f"{self.function}, {self.violations[0]}", text
        run = in_this_test()
        if not self.not_asked or allow_not_asked or (run is not None and run.allow_not_asked):
            return None
        ways = "".join(f"\n  {way}" for way in self.not_asked)
        out = fill(WAYS_OUT.format(self.function), LINE)
        return f"{self.function}: {self.headline}{ways}\n{out}", f"{self}\n\n{out}"

    def __str__(self) -> str:
        held = Counter(row.verdict for row in self.rows)
        counts = ", ".join(f"{held[verdict]} {verdict}" for verdict in VERDICTS if held[verdict])
        rows = self.violations or self.rows
        lines = [f"{self.function}: {self.headline} (rows: {counts})"]
        lines += map(str, rows[:ROWS_SHOWN])
        if len(rows) > ROWS_SHOWN:
            lines.append(f"… and {len(rows) - ROWS_SHOWN:,} more")
        return "\n".join([*lines, fill(self.scope, LINE)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = self.to_frame().drop(columns="k")
        table["relation"] = [f"{row.relation}({number_text(row.k)})" for row in self.rows]
        texts = {"claimed": number_text, self._found: number_text}
        for name, text in (texts | dict.fromkeys(SIDES, dataset_text)).items():
            table[name] = [None if cell is None else text(cell) for cell in table[name]]
        head, witness = html.escape(f"{self.function}: {self.headline}"), ""
        if self.asked.universe is not None and not self.asked.universe.source.as_tuples:
            witness = "".join(f"<pre>{html.escape(str(row))}</pre>" for row in self.violations[:1])
        written: dict[str, Any] = {"float_format": "{:.6g}".format, "max_rows": HTML_ROWS}
        body, scope = table.to_html(index=False, na_rep="", **written), html.escape(self.scope)
        return f"<p><strong>{head}</strong></p>{body}{witness}<p>{scope}</p>"


def _times(row: AuditRow) -> str:
    """By what factor a row's claim is off, as text: none where there is no number for it."""
    if row.verdict not in (TOO_SMALL, LOOSE) or row.ratio in (0, math.inf):
        return ""
    factor = 1 / Fraction(row.ratio) if row.verdict == TOO_SMALL else Fraction(row.ratio)
    number, digits, form = factor, 3, " by ×{}"
    if factor < Fraction("1.005"):
        number, digits, form = factor - 1, 2, " by ×(1 + {})"
    in_range = Fraction(10) ** -300 < number < 10**300  # where floats have room
    return form.format(f"{float(number):.{digits}g}" if in_range else number_text(number))


def _in_a_line(dataset: Any) -> Any:
    """The first few rows of a dataset on one line, table by table;
    as it is where it has no tables."""
    tables = dataset if isinstance(dataset, Mapping) else {"": dataset}
    if not tables or not all(map(is_table, tables.values())):
        return dataset
    return "; ".join(
        f"{name}{': ' * bool(name)}{rows_on_a_line(rows_of(table(one, 'dataset'))) or 'no rows'}"
        for name, one in tables.items()
    )


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal, tables and arrays among them."""
    if one is other:
        return True
    if isinstance(one, tuple) and type(one) is type(other) is not Labelled:
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if hasattr(one, "equals"):  # a table or a column, of any library
        return type(one) is type(other) and bool(one.equals(other))
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else bool(one == other)
