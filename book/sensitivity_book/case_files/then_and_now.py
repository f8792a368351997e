"""Sums that run, then and now: the libraries of Casacuberta and others (2022), asked again.

They showed that the sum which runs may move further than the sum of the formula: whole numbers
wrap, and floats are rounded. Their artefact holds the attacks, with the versions of 2021 and 2022.
Here those of its libraries that install today are asked again, and every small dataset beside
theirs. The tables of answers are made by `scripts/libraries/*/sums.py` and `figures.py`, but for
the OpenDP of today, which is asked as it is installed.

Source: Casacuberta, Shoemate, Vadhan and Wagaman, "Widespread underestimation of sensitivity in
differentially private libraries and how to fix it" (2022), DOI 10.1145/3548606.3560708.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from itertools import combinations, product
from typing import Any

import opendp.prelude as dp
import pandas as pd

from sensitivity_book.case_files.case import Case
from sensitivity_book.stored_figures import SOURCE, figures
from sensitivity_lab.audit.report import AuditRow
from sensitivity_lab.text import number_text

ARTEFACT = "xbqg846z/underestimate-sensitivity, commit 0241bdd"
NEXT = 1 + 2.0**-52  # the float after 1
Runs = tuple[tuple[tuple[Any, ...], int], ...]  # records in their order, and how often they come
Related = Callable[[tuple[Any, ...], tuple[Any, ...]], bool]


@dataclass(frozen=True)
class Sums:
    """One setting of one tool: what it claims, by size or for all (None), and what it answered.

    >>> tool = watched("diffprivlib_sums")[0]
    >>> tool.setting, tool.claims[2], tool.answers[((1.0, 1.0), 1),]
    ('floats, bounds 1 and the next float', 2.220446049250313e-16, 2.0)
    """

    library: str
    version: str
    date: str
    function: str
    setting: str
    claims: dict[int | None, Any]
    answers: dict[Runs, Any]

    def claim(self, size: int) -> Any:
        """The claim for datasets of a size."""
        return self.claims[size if size in self.claims else None]


@cache
def watched(name: str) -> tuple[Sums, ...]:
    """Return what a table of sums says, setting by setting: "pydp", for example.

    >>> [len(tool.answers) for tool in watched("pydp")[:2]]
    [15, 15]

    Cost: reads one file, once. Errors: as `figures`.
    """
    found = []
    for _, rows in figures(name).groupby(SOURCE, sort=False):
        claims: dict[int | None, Any] = {}
        answers: dict[Runs, Any] = {}
        for quantity, value in zip(rows["quantity"], rows["value"], strict=True):
            number = ast.literal_eval(value)
            if quantity.startswith("answer to "):
                answers[_runs(ast.literal_eval(quantity.removeprefix("answer to ")))] = number
            else:
                size = quantity.removeprefix("sensitivity").removeprefix(" at size ")
                claims[int(size) if size else None] = number
        library, number, day, function, setting = rows.iloc[0][SOURCE]
        found.append(Sums(NAMES[library], number, day, function, setting, claims, answers))
    return tuple(found)


NAMES = {
    "diffprivlib": "diffprivlib",
    "opendp": "OpenDP",
    "pipeline-dp": "PipelineDP",
    "python-dp": "PyDP",
    "smartnoise-sql": "SmartNoise SQL",
}


def _runs(dataset: Any) -> Runs:
    """A tuple of records once, or a list of records with how often they come."""
    return tuple(dataset) if isinstance(dataset, list) else ((dataset, 1),)


def opendp_sums() -> tuple[Sums, ...]:
    """Return the same settings of the OpenDP that is installed, asked now.

    >>> tool = opendp_sums()[0]
    >>> tool.function, tool.setting, tool.claims[2] > 2 * 2**-52
    ('sum, size known', 'floats, bounds 1 and the next float', True)

    Cost: under a second.
    """
    dp.enable_features("contrib")
    top = 2**30
    known, records = "sum, size known", "floats, bounds side by side, {} records"
    pairs = {power: _side_by_side(power) for power in (4, 6)}
    return (
        _asked(known, "floats, bounds 1 and the next float", (1.0, NEXT), _every(1.0, NEXT)),
        *(
            _asked(known, records.format(2**power + 1), bounds, pair)
            for power, (bounds, pair) in pairs.items()
        ),
        _asked(known, f"ints of 32 bits, bounds (0, {top:,})", (0, top), _every(0, top)),
        _asked("sum", f"ints of 32 bits, bounds (0, {top:,})", (0, top), _every(0, top)),
        _asked("sum", "floats, bounds (0.0, 0.1)", (0.0, 0.1), _every(0.0, 0.1)),
    )


def _asked(function: str, setting: str, bounds: tuple[Any, Any], datasets: list[Runs]) -> Sums:
    """Ask OpenDP's sum for its claims, and for its answers on datasets."""
    claims: dict[int | None, Any] = {}
    answers = {}
    for dataset in datasets:
        records = [value for values, times in dataset for value in list(values) * times]
        size = len(records) if function.endswith("known") else None
        kind = {"nan": False} if isinstance(bounds[0], float) else {"T": "i32"}
        domain = dp.vector_domain(dp.atom_domain(bounds=bounds, **kind), size=size)
        total = dp.t.make_sum(domain, dp.symmetric_distance())
        claims[size] = total.map(1 if size is None else 2)
        answers[dataset] = total(records)
    return Sums("OpenDP", version("opendp"), "", function, setting, claims, answers)


def _every(*values: Any) -> list[Runs]:
    return [_runs(records) for size in (1, 2, 3) for records in product(values, repeat=size)]


def _side_by_side(power: int) -> tuple[tuple[float, float], list[Runs]]:
    """The artefact's bounds and its two datasets: all at the lower one, or the last at the upper."""
    lower, upper = narrow(power)
    return (lower, upper), [_runs([((lower,), 2**power), ((last,), 1)]) for last in (lower, upper)]


def narrow(power: int) -> tuple[float, float]:
    """Return the bounds of the artefact's attack on sums of known size: two floats side by side.

    >>> lower, upper = narrow(4)
    >>> upper - lower == 2**-53, 16 * lower < 8 < 16 * upper
    (True, False)

    They are for 2 to that power records and one more, whose sum is rounded at nearly every step.
    """
    lower = (1 + (2.0 ** (power - 53) - 2.0**-52)) * 0.5
    return lower, (1 + 2.0 ** (power - 53)) * 0.5


# --- cases ----------------------------------------------------------------------------------------


def changed(x: tuple[Any, ...], y: tuple[Any, ...]) -> bool:
    """Return whether one record at most differs, and all stand in the same order.

    >>> changed((1, 2, 3), (1, 5, 3)), changed((1, 2), (2, 1))
    (True, False)
    """
    return len(x) == len(y) and sum(a != b for a, b in zip(x, y, strict=True)) <= 1


def changed_in_any_order(x: tuple[Any, ...], y: tuple[Any, ...]) -> bool:
    """Return whether one record at most differs, in whatever order the records stand.

    >>> changed_in_any_order((1, 2), (2, 1)), changed_in_any_order((1, 1), (2, 2))
    (True, False)
    """
    return len(x) == len(y) and (Counter(x) - Counter(y)).total() <= 1


def joined(x: tuple[Any, ...], y: tuple[Any, ...]) -> bool:
    """Return whether one dataset is the other with a record more, the rest in its order.

    >>> joined((1, 2), (1, 3, 2)), joined((1, 2), (2, 1, 3)), joined((1,), (1,))
    (True, False, False)
    """
    short, long = sorted((x, y), key=len)
    return len(long) == len(short) + 1 and any(
        long[:place] + long[place + 1 :] == short for place in range(len(long))
    )


def then_and_now_cases() -> list[Case]:
    """Return the cases of today's versions: sums and means of narrow, long and large numbers.

    >>> cases = [case for case in then_and_now_cases() if case.library == "PyDP"]
    >>> [case.setting for case in cases if case.verdict == "too small" and case.function == "sum"][:1]
    ['dtype int, bounds (0, 1,073,741,824)']

    Where datasets of up to three records were asked in every order, the number beside the claim is
    the widest gap between neighbours among them. Of longer ones one pair was asked, that of the
    artefact or one beside it: then the number is a lower bound. diffprivlib states no relation, and
    is asked about one record changed, as is OpenDP where the size is known. Elsewhere one record,
    or a person of one row, comes or goes. Cost: at most 105 pairs for each of 40 settings.
    """
    return [case for tool in _today() for case in _cases(tool)]


def _today() -> Iterator[Sums]:
    yield from opendp_sums()
    for name in ("diffprivlib_sums", "pydp", "pipelinedp_sums", "smartnoise_sums"):
        yield from watched(name)


def _cases(tool: Sums) -> Iterator[Case]:
    """The cases of one setting: of a pair only if it tells something of the claim."""
    if any(times > 1 for dataset in tool.answers for _, times in dataset):
        row = _pair(tool)
        if row.ratio < 1 or not row.searched:
            yield _case(tool, tool.setting, (row,))
        return
    by_size = tool.library == "diffprivlib" or tool.function.endswith("size known")
    yield _case(tool, tool.setting, _rows(tool, changed if by_size else joined))
    if tool.library == "diffprivlib" and tool.setting == "floats, bounds 1 and the next float":
        setting = f"{tool.setting}, in any order"
        yield _case(tool, setting, _rows(tool, changed_in_any_order))


def _case(tool: Sums, setting: str, rows: tuple[AuditRow, ...]) -> Case:
    searched = any(row.searched for row in rows)
    sizes = "One pair, so the number is a lower bound" if searched else "Up to three records"
    if not searched and rows[0].size is not None and rows[0].size > 3:
        sizes = "Records 0 and 1, whose sums are exact"
    order = "in any order" if setting.endswith("any order") else "the others in their order"
    return Case(
        tool.library,
        tool.version,
        tool.function,
        setting,
        rows,
        tool.date,
        scope=f"{sizes}, {order}; gaps are taken of the answers as they are, without rounding.",
        note=_note(tool),
    )


def _rows(tool: Sums, related: Related) -> tuple[AuditRow, ...]:
    """For each size, the widest gap between neighbours among the datasets that were asked."""
    records = {dataset[0][0]: answer for dataset, answer in tool.answers.items()}
    widest: dict[int, tuple[Fraction, Any, Any]] = {}
    for x, y in combinations(records, 2):
        size = max(len(x), len(y))
        gap = abs(Fraction(records[x]) - Fraction(records[y]))
        if related(x, y) and (size not in widest or gap > widest[size][0]):
            widest[size] = gap, x, y
    return tuple(
        _row(tool, related, size, gap, (x, y), (records[x], records[y]))
        for size, (gap, x, y) in sorted(widest.items())
    )


def _row(
    tool: Sums,
    related: Related,
    size: int,
    gap: Fraction,
    pair: tuple[Any, Any],
    answers: tuple[Any, Any],
    **more: Any,
) -> AuditRow:
    return AuditRow(
        _relation(tool, related),
        1,
        size,
        claimed=tool.claim(size),
        found=_plain(gap),
        dataset=pair[0],
        neighbour=pair[1],
        answers=answers,
        **more,
    )


def _relation(tool: Sums, related: Related) -> str:
    if related is not joined:
        return "Change"
    return "Person" if tool.library == "PipelineDP" else "SymmetricDifference"


def _pair(tool: Sums) -> AuditRow:
    """The two long datasets of a setting, as a lower bound; sums of 0 and 1 are exact."""
    x, y = tool.answers
    sizes = [sum(len(records) * times for records, times in side) for side in (x, y)]
    related = changed if sizes[0] == sizes[1] else joined
    gap = abs(Fraction(tool.answers[x]) - Fraction(tool.answers[y]))
    lines = (runs_text(x), runs_text(y))
    return _row(
        tool,
        related,
        max(sizes),
        gap,
        (list(x), list(y)),
        (tool.answers[x], tool.answers[y]),
        lines=lines,
        searched="bounds (0.0, 1.0)" not in tool.setting,
    )


def runs_text(dataset: Runs) -> str:
    """Return a dataset with how often its records come.

    >>> runs_text((((1.0,), 131072), ((0.5, -0.5), 65536)))
    '1 ×131,072, then (0.5, −0.5) ×65,536'
    """
    parts = []
    for records, times in dataset:
        told = ", ".join(map(number_text, records))
        told = told if len(records) == 1 else f"({told})"
        parts.append(f"{told} ×{times:,}" if times > 1 else told)
    return ", then ".join(parts)


def _plain(gap: Fraction) -> Any:
    """A gap as an int or a float where that is the same number."""
    if gap.denominator == 1:
        return gap.numerator
    return float(gap) if Fraction(float(gap)) == gap else gap


# --- notes ----------------------------------------------------------------------------------------

HAIR = (
    "0.1 + 0.1 + 0.1 is 0.30000000000000004 in floats, so the third record moves the sum by three"
    " parts in 10¹⁶ more than the claim. Nine digits are compared, so this counts as exact."
)
ALLOWS = {
    "PyDP": (
        " The noise is made for the claim and one step of its own grid, 2⁻⁴⁰ of the claim at most"
        " twice over, which covers it."
    ),
    "PipelineDP": " Its noise is PyDP's, which allows for a step of its grid and covers it.",
}
GRID = (
    "No float lies between the bounds, and a sum of n records near n has a coarser grid than they."
    " The ideal sum would be exact here; a public constant taken off each record, or whole numbers,"
    " would make this one so."
)
WRAPS = {
    "diffprivlib": "`dtype` is the type in which numpy adds, as the docstring says. 64 bits wrap.",
    "PyDP": (
        "The docstring of `add_entries` says that data beyond the overflow limit are not added."
        " They are, and the total wraps. The default dtype is `int`, of 32 bits."
    ),
    "PipelineDP": "Sums of ints are numpy's, of 64 bits, and wrap with a warning.",
}
MIDDLE = (
    "The middle of the two bounds is no float and is rounded to one of them, so a record at the"
    " other lies a whole distance from it, and not half. Over (0, 3) the claim is exact."
)
LONG = (
    "Floats are added one after another. Each of the small records is rounded upwards while the"
    " total is large, and not while it is one record smaller: the gap grows with the square of the"
    " number of records. The two datasets are those of the artefact, scaled to this length."
)


def _note(tool: Sums) -> str:
    """What the library promises there, or why the two numbers part."""
    if tool.setting.startswith("floats, bounds (0.0, 0.1)"):
        return _tenths(tool)
    if tool.library == "OpenDP":
        return "Floats: the map adds an allowance for rounding. Ints: the sum stops at the type's ends."
    if "(-1.0, 1.0)" in tool.setting:
        return LONG + _allowance(tool)
    if "int" in tool.setting.split(",")[0]:
        return WRAPS.get(tool.library, "")
    if "next float" in tool.setting or "side by side" in tool.setting:
        return _of_narrow(tool)
    return _allowance(tool).strip()


def _tenths(tool: Sums) -> str:
    if tool.library in ("OpenDP", "SmartNoise SQL"):
        return "The claim has an allowance for rounding, which covers 0.1 + 0.1 + 0.1."
    return HAIR + ALLOWS.get(tool.library, "")


def _of_narrow(tool: Sums) -> str:
    if tool.function.startswith("mean, its"):
        return MIDDLE
    if tool.library == "diffprivlib":
        return GRID
    return "The claim is the larger bound, since records come and go; next to it rounding is small."


def _allowance(tool: Sums) -> str:
    if tool.library != "SmartNoise SQL":
        return ""
    return (
        " The claim is that of OpenDP's sum, with its allowance for rounding; the sum itself is"
        " made by SQLite."
    )


# --- then and now ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Then:
    """What was found of a library in 2022, with its source; None where no number was given."""

    version: str
    function: str
    claimed: float | None
    attained: float | None
    source: str


def then_and_now() -> pd.DataFrame:
    """Return what was found in 2022 and what is found of today's version, attack by attack.

    >>> table = then_and_now()
    >>> row = table[table["library"].eq("OpenDP")].iloc[0]
    >>> row["attained then"] / row["claimed then"], row["attained now"], row["verdict now"]
    (64.0, 0.0, 'holds')

    Columns: library, attack, relation, and then for both times version, function, claimed and
    attained; `source` of the numbers then, `verdict now` and `datasets`. The relation is one record
    changed, or one added or removed; where a library claims for records that come and go, a change
    may move twice its claim. NaN: no number was given. Cost: as `opendp_sums`.
    """
    rows = [
        _then_row("OpenDP", "narrow bounds, 65 records", _sized_then(65), opendp_sums()[2]),
        _then_row("OpenDP", "32 bits, 2 records", _wrapped_then(), opendp_sums()[3], (1, 1)),
        _then_row("diffprivlib", "narrow bounds, 65 records", IBM, _now("diffprivlib_sums", 65)),
        _then_row("PyDP", "narrow bounds, 17 records", _mean_then("PyDP"), _now("pydp", 17, MEAN)),
        _then_row("PyDP", "a long sum", Then("", "", None, None, NO_SUM), _now("pydp", LONGEST)),
        _then_row(
            "PipelineDP",
            "narrow bounds, 17 records",
            _mean_then("PipelineDP"),
            _now("pipelinedp_sums", 17, MEAN),
        ),
        _then_row("PipelineDP", "a long sum", BEAM, _now("pipelinedp_sums", 2**18)),
        _then_row("SmartNoise SQL", "a long sum", SQL, _now("smartnoise_sums", 2**20, "SUM")),
    ]
    return pd.DataFrame(rows)


MEAN = "mean, its sum about the middle"
LONGEST = 2**28
IBM = Then(
    "0.5.0",
    "sum",
    2.0**-53,
    7.105427357601002e-15,
    f"attack_IBM_exact_count.ipynb of {ARTEFACT}: two releases at ε = 1000",
)
NO_SUM = "README.md of the artefact speaks of the mean only"
BEAM = Then(
    "0.1.1 or near",
    "sum",
    1.0,
    None,
    f"attack_pipelinedp.ipynb of {ARTEFACT}: Beam's own sum gave 134217730 of 2²⁸ records; with"
    " Spark the release was not open to the attack, with Beam it did not end",
)
SQL = Then(
    "",
    "SUM",
    1.0,
    None,
    f"README.md of {ARTEFACT}: SQLite and MySQL could not be configured, so it was not run",
)


def _sized_then(size: int) -> Then:
    """OpenDP's sum of known size in the version of December 2021, asked again."""
    (tool,) = [one for one in watched("opendp_2021") if one.setting.endswith(f" {size} records")]
    x, y = tool.answers.values()
    source = f"README.md of {ARTEFACT}, which gives no numbers; asked again for opendp_2021.csv"
    return Then(tool.version, "make_sized_bounded_sum", tool.claim(size), abs(x - y), source)


def _wrapped_then() -> Then:
    (tool,) = [
        one
        for one in watched("opendp_2021")
        if one.function == "sum, size known" and one.setting.startswith("ints")
    ]
    gap = _rows(tool, changed)[1].found
    source = "asked again for opendp_2021.csv; the paper's overflow attack"
    return Then(tool.version, "make_sized_bounded_sum", tool.claim(2), gap, source)


def _mean_then(library: str) -> Then:
    """The sum of a mean as it was computed in 2022: all records added, then n middles taken off.

    A change may move twice the claim for a record that comes or goes: (U − L)/2 in PyDP, and in
    PipelineDP the distance from the middle, as it is rounded, to the lower bound.
    """
    (lower, upper), pair = _side_by_side(4)
    middle = lower + (upper - lower) / 2
    x, y = (_one_after_another(dataset) - 17 * middle for dataset in pair)
    half = (upper - lower) / 2 if library == "PyDP" else abs(middle - lower)
    source = {
        "PyDP": f"attack_openmined_mean.ipynb and cc/algorithms/bounded-mean.h of {ARTEFACT}: of"
        " 10,000 releases each, 9,991 and 9 gave the upper bound",
        "PipelineDP": f"README.md of {ARTEFACT}, without numbers; computed here as its code of May"
        " 2022 does (OpenMined/PipelineDP, commit 3a7b87a)",
    }[library]
    of = {"PyDP": ("1.1.1", "BoundedMean"), "PipelineDP": ("0.1.1", "mean")}[library]
    return Then(*of, 2 * half, abs(x - y), source)


def _one_after_another(dataset: Runs) -> float:
    total = 0.0
    for records, times in dataset:
        for value in records * times:
            total += value
    return total


def _now(table: str, size: int, function: str = "sum") -> Sums:
    """The setting of a table whose long datasets have so many records, in narrow bounds if few."""
    (tool,) = [
        one
        for one in watched(table)
        if one.function == function
        and f", {size:,} records" in one.setting
        and "bounds (0.0, 1.0)" not in one.setting
    ]
    return tool


def _then_row(
    library: str, attack: str, then: Then, now: Sums, sizes: tuple[int, int] | None = None
) -> dict[str, Any]:
    """A row of the table; of small datasets the widest gap at a size, of long ones their pair."""
    row = _rows(now, changed)[sizes[0]] if sizes else _pair(now)
    change = row.relation == "Change"
    twice = change and library in ("PyDP", "PipelineDP")
    claimed = row.claimed * (2 if twice else 1)
    return {
        "library": library,
        "attack": attack,
        "relation": "one record changed" if change else "one record added or removed",
        "version then": then.version,
        "function then": then.function,
        "claimed then": then.claimed,
        "attained then": then.attained,
        "source": then.source,
        "version now": now.version,
        "function now": now.function,
        "claimed now": claimed,
        "attained now": row.found,
        "verdict now": "holds" if claimed >= row.found else "too small",
        "datasets": row.lines or tuple(map(str, (row.dataset, row.neighbour))),
    }
