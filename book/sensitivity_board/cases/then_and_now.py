"""Sums that run, then and now: the libraries of Casacuberta and others (2022), asked again.

They showed that the sum which runs may move further than the sum of the formula: whole numbers
wrap, and floats are rounded. Their artefact holds the attacks, with the versions of 2021 and 2022.
Here those of its libraries that install today are asked again, and every small dataset beside
theirs.

Source: Casacuberta, Shoemate, Vadhan and Wagaman, "Widespread underestimation of sensitivity in
differentially private libraries and how to fix it" (2022), DOI 10.1145/3548606.3560708.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sensitivity_board.case import Case
from sensitivity_board.cases.sums_asked import (
    Sums,
    all_records,
    changed,
    exact_gap,
    joined,
    opendp_sums,
    runs_text,
    side_by_side,
    size_of,
    watched,
    widest,
)
from sensitivity_lab import AuditRow

TABLES = ("diffprivlib_sums", "pydp", "pipelinedp_sums", "smartnoise_sums")
BUILT = 100_000  # records; longer datasets are told as runs: records, and how often they come
LONG_MOVE = "added or removed:"  # the relation of datasets that are not built
MEAN = "mean, its sum about the middle"


def then_and_now_cases() -> list[Case]:
    """Return the cases of today's versions: sums and means of narrow, long and large numbers."""
    tools = [*opendp_sums(), *(tool for name in TABLES for tool in watched(name))]
    return [case for tool in tools for case in _cases(tool)]


def _cases(tool: Sums) -> Iterator[Case]:
    """The case of a setting: of a pair only if it tells something of the claim."""
    if not tool.long:
        related = changed if _by_size(tool) else joined
        relation = "Change" if _by_size(tool) else _comes_or_goes(tool)
        rows = [
            AuditRow(
                relation,
                1,
                found.size,
                tool.claim(found.size),
                found.gap,
                *found.pair,
                found.answers,
            )
            for found in widest(tool, related)
        ]
        yield _case(tool, tuple(rows))
    elif _is_near(tool):
        row = _pair(tool)
        if row.ratio < 1 or not row.searched:
            yield _case(tool, (row,))


def _by_size(tool: Sums) -> bool:
    """Whether the size is public, so that records change."""
    return tool.library == "diffprivlib" or tool.function.endswith("size known")


def _comes_or_goes(tool: Sums) -> str:
    return "Person" if tool.library == "PipelineDP" else "SymmetricDifference"


def _is_near(tool: Sums) -> bool:
    """Whether the two long datasets are neighbours for the relation that the claim is about."""
    one, other = map(size_of, tool.answers)
    return (one == other) == _by_size(tool)


def _pair(tool: Sums) -> AuditRow:
    """The two long datasets of a setting, as a lower bound; sums of 0 and 1 are exact."""
    x, y = tool.answers
    size = max(size_of(x), size_of(y))
    tell = all_records if size <= BUILT else tuple
    alike = size_of(x) == size_of(y)
    moved = _comes_or_goes(tool) if size <= BUILT else LONG_MOVE
    return AuditRow(
        "Change" if alike else moved,
        1,
        size,
        claimed=tool.claim(size),
        found=exact_gap(tool.answers[x], tool.answers[y]),
        dataset=tell(x),
        neighbour=tell(y),
        answers=(tool.answers[x], tool.answers[y]),
        searched="bounds (0.0, 1.0)" not in tool.setting and tool.modulus is None,
    )


def _case(tool: Sums, rows: tuple[AuditRow, ...]) -> Case:
    setting, _, engine = tool.setting.partition("; ")
    found = Case(tool.library, tool.version, tool.function, setting, rows, tool.date)
    here, there = found.row.answers or (None, None)
    scope = f"{_sizes(tool, found.row)} Answers in full: {here!r} and {there!r}."
    listed = () if tool.long or tool.library == "PipelineDP" else tuple(tool.answered.items())
    return Case(
        *(found.library, found.version, found.function, setting, rows, found.date),
        scope=f"{scope} {engine}." if engine else scope,
        note=note(tool),
        answers=listed,
    )


def _sizes(tool: Sums, row: AuditRow) -> str:
    if row.relation == LONG_MOVE:
        return (
            "One pair was asked, so the number is a lower bound. The datasets are told as runs:"
            f" {runs_text(row.dataset)}; and {runs_text(row.neighbour)}."
        )
    if row.searched:
        return "One pair was asked, so the number is a lower bound."
    if tool.long:
        return "One pair was asked. The sum is the ideal one here, so none is wider."
    people = "people of one row each" if tool.library == "PipelineDP" else "records"
    return f"All datasets of up to three {people}, at either bound, in every order."


# --- why the numbers part -------------------------------------------------------------------------

ALLOWED = "The claim has an allowance for rounding."
STOPS = "A sum of ints stops at the ends of its type, and does not wrap."
BY_SQLITE = f"{ALLOWED} It is that of OpenDP's sum; the sum itself is made by SQLite."
HAIR = (
    "Rounding moves the sum by a few parts in 10¹⁶ more than the claim. Nine digits are compared,"
    " so this counts as exact."
)
GOOGLE = (
    "The noise is Google's, made for the claim and one step of its grid, at least 2⁻⁴⁰ of the claim"
    " at ε = 1: that covers it."
)
TENTHS = "In floats 0.1 + 0.1 + 0.1 is 0.30000000000000004."
GRID = (
    "No float lies between the bounds: a mean of records is rounded to one of them, and a sum to"
    " floats that lie further apart. With a public constant taken off each record first, the answer"
    " would be that of the formula."
)
WRAPS = {
    "diffprivlib": (
        "`dtype` is the type in which numpy adds, as the docstring says: 64 bits wrap. The noisy"
        " total is cut off at n times the bounds, and does not wrap."
    ),
    "PyDP": (
        "The total wraps, and the noisy one wraps with it, so a release is that of the ideal sum,"
        " wrapped afterwards: the claim holds, as issue 40 of google/differential-privacy has it."
        " Answers are told without wrapping. (The docstring of"
        " `add_entries` says that data beyond the overflow limit are not added.) A release may lie"
        " at the wrong end of the type; the default, `int`, has 32 bits."
    ),
    "PipelineDP": (
        "Ints are added by numpy in 64 bits, which wrap, with a warning. The noise is added to a"
        " float, which does not wrap."
    ),
}
MIDDLE = (
    "The middle of the bounds is no float and is rounded to one of them, so a record at the other"
    " lies their whole distance from it, and not half. Over (0, 3) the claim is exact."
)
LONG = (
    "Floats are added one after another. The small records are rounded upwards while the total is"
    " large, and not while one large record is missing, so the gap grows with the square of the"
    " number of records. The two datasets are those of Casacuberta and others (2022), "
    "at this length."
)
READ = "The claim is read from the source, `cc/algorithms/bounded-mean.h`."
KNOWN = "Google's README has rounding in its floating-point implementations among the known issues."


def note(tool: Sums) -> str:
    """Return what the library promises in a setting, or why the claim and the gap part."""
    told = {
        "OpenDP": [STOPS if tool.setting.startswith("ints") else ALLOWED],
        "SmartNoise SQL": [BY_SQLITE],
        "diffprivlib": [GRID if "side" in tool.setting or "next" in tool.setting else ""],
        "PyDP": _of_google(tool),
        "PipelineDP": _of_google(tool),
    }[tool.library]
    if "(-1.0, 1.0)" in tool.setting:
        told = [LONG, *told[:1]] if tool.library == "SmartNoise SQL" else [LONG]
    if tool.library == "PyDP" and told in ([LONG], [MIDDLE]):
        told += [KNOWN] if told == [LONG] else [READ, KNOWN]
    if tool.library in WRAPS and _large(tool):
        told = [WRAPS[tool.library]]
    if "(0.0, 0.1)" in tool.setting:
        told = [TENTHS, *([HAIR] if tool.library in WRAPS else []), *told]
    return " ".join(filter(None, told))


def _of_google(tool: Sums) -> list[str]:
    if tool.function == MEAN:
        return [MIDDLE] if "3.0" not in tool.setting else []
    if "0.1" in tool.setting:
        return [GOOGLE]
    return [HAIR, GOOGLE] if "next float" in tool.setting else []


def _large(tool: Sums) -> bool:
    """Whether whole numbers are so large, or so many, that a total may leave its type."""
    return tool.setting.startswith(("ints, bounds (0, 4", "dtype")) and "1,152" not in tool.setting


# --- then and now ---------------------------------------------------------------------------------

ARTEFACT = "xbqg846z/underestimate-sensitivity, commit 0241bdd"


@dataclass(frozen=True)
class Then:
    """What was found in 2022, with its source; None where no number was given."""

    version: str
    function: str
    claimed: float | None
    attained: float | None
    source: str


IBM = Then(
    "0.5.0",
    "sum",
    2.0**-53,
    7.105427357601002e-15,
    f"attack_IBM_exact_count.ipynb of {ARTEFACT}: two releases at ε = 1000",
)
NOT_ASKED = Then("1.1.1", "BoundedSum", None, None, "the artefact asks PyDP about the mean only")
BEAM = Then(
    "not named",
    "sum",
    None,
    None,
    f"attack_pipelinedp.ipynb of {ARTEFACT}: of 2²⁸ records the release on"
    " Spark was not open to the attack; the one on Beam, whose own sum is, did not end",
)
SQL = Then(
    "not named",
    "SUM",
    None,
    None,
    f"README.md of {ARTEFACT}: the library could not be configured with SQLite or MySQL, so the"
    " attack was not run to its end",
)


def then_and_now() -> pd.DataFrame:
    """Return what was found in 2022 and what is found of today's version, attack by attack.

    An attack that is left out of the board has no row: its table says nothing of it.
    """
    wide, long, whole = (
        "repeated rounding, narrow bounds",
        "repeated rounding, long sum",
        "overflow",
    )
    attacks = [
        (wide, _sized_then(), _now(opendp_sums(), 65)),
        (whole, _wrapped_then(), opendp_sums()[2:3]),
        (wide, IBM, _now(watched("diffprivlib_sums"), 65)),
        (wide, _mean_then("PyDP"), _now(watched("pydp"), 17)),
        (long, NOT_ASKED, _now(watched("pydp"), 2**28)),
        (wide, _mean_then("PipelineDP"), _now(watched("pipelinedp_sums"), 17)),
        (long, BEAM, _now(watched("pipelinedp_sums"), 2**18)),
        (long, SQL, _now(watched("smartnoise_sums"), 2**20)),
    ]
    return pd.DataFrame(
        _compared(name, then, now) for name, then, found in attacks for now in found
    )


def _now(tools: tuple[Sums, ...], size: int) -> tuple[Sums, ...]:
    """The setting whose two datasets have so many records, if the table has it."""
    return tuple(
        one
        for one in tools
        if f", {size:,} records" in one.setting and "(0.0, 1.0)" not in one.setting
    )


def _sized_then() -> Then:
    """OpenDP's sum of known size in the version of December 2021, asked again."""
    (tool,) = _now(watched("opendp_2021"), 65)
    source = f"README.md of {ARTEFACT}, without numbers; asked again for opendp_2021.csv"
    gap = exact_gap(*tool.answers.values())
    return Then(tool.version, "make_sized_bounded_sum", tool.claim(65), gap, source)


def _wrapped_then() -> Then:
    (tool,) = [
        one
        for one in watched("opendp_2021")
        if one.function == "sum, size known" and one.setting.startswith("ints")
    ]
    gap = widest(tool, changed)[1].gap
    source = "no number in the artefact; asked again for opendp_2021.csv"
    return Then(tool.version, "make_sized_bounded_sum", tool.claim(2), gap, source)


def _mean_then(library: str) -> Then:
    """The sum of a mean as it was made in 2022: all records added, then n middles taken off."""
    (lower, upper), pair = side_by_side(4)
    middle = lower + (upper - lower) / 2
    x, y = (_one_after_another(all_records(dataset)) - 17 * middle for dataset in pair)
    if library == "PyDP":
        source = (
            f"attack_openmined_mean.ipynb of {ARTEFACT}: of 10,000 releases each, 9,991 and 25 gave"
            " the upper bound; numbers as cc/algorithms/bounded-mean.h there computes them"
        )
        return Then("1.1.1", "BoundedMean", 2 * (upper - lower) / 2, exact_gap(x, y), source)
    source = (
        f"README.md of {ARTEFACT}, without numbers; computed as the library's code of May 2022 does"
        " (OpenMined/PipelineDP, commit 3a7b87a)"
    )
    return Then("0.1.1", "mean", 2 * abs(middle - lower), exact_gap(x, y), source)


def _one_after_another(records: tuple[float, ...]) -> float:
    total = 0.0
    for value in records:  # `sum` corrects its rounding from Python 3.12 on
        total += value
    return total


def _compared(attack: str, then: Then, now: Sums) -> dict[str, Any]:
    """A row of the table; of small datasets the widest gap at size 2, of long ones their pair."""
    if now.long:
        x, y = now.answers
        datasets = runs_text(x), runs_text(y)
        gap, size = exact_gap(*now.answers.values()), max(size_of(x), size_of(y))
        change = size_of(x) == size_of(y)
    else:
        found = widest(now, changed)[1]
        datasets = str(found.pair[0]), str(found.pair[1])
        gap, size, change = found.gap, found.size, True
    claimed = now.claim(size) * (2 if change and not _by_size(now) else 1)
    return {
        "library": now.library,
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
        "attained now": gap,
        "verdict now": "holds" if claimed >= gap else "too small",
        "datasets": datasets,
    }
