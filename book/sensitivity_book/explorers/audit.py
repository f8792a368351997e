"""The explorer of an audit: a claim of a library beside the exact number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from sensitivity_book.explorers.explorer import Explorer, Knob, View
from sensitivity_book.explorers.stage import stage
from sensitivity_lab.plotting.style import CLAIMED, EXACT, LOOSE, TOO_SMALL
from sensitivity_lab.text import number_text

if TYPE_CHECKING:
    from sensitivity_book.case_files import Case

SIZE_KNOWN = re.compile(r"(, )?size known")

# What the case files call by the names of a library's code, in words.
WORDS = (
    (r"count_nonzero", "how many are not zero"),
    (r"count_distinct", "how many distinct values"),
    (r"count_by_categories", "count in each category"),
    (r"nan(mean|var|sum)", r"\1, missing values left out"),
    (r"\bvar\b", "variance"),
    (r"\bstd\b", "standard deviation"),
    (r"histogram2d", "histogram of points in the plane"),
    (r"histogramdd", "histogram of points in any dimension"),
    (r"LinearRegression (x·[xy])", r"linear regression, sum of \1"),
    (r"points \(v, v\); ", ""),
    (r"bounds_X \((.*?), (.*?)\)", r"x from \1 to \2"),
    (r"(?:bounds|range) \((.*?), (.*?)\)", r"values from \1 to \2"),
    (r"bounds (-?\d+) to (-?\d+)", r"values from \1 to \2"),
    (r"min_value (.*?); max_value (-?\d+)", r"values from \1 to \2"),
    (r"dtype int8", "8-bit integers"),
    (r"bins (\d+)", r"\1 bins"),
    (r"weights (\d+)", r"each record weighs \1"),
    (r"Margin\(max_length=1\)", "at most 1 row"),
    (r"Margin\(max_length=(\d+)\)", r"at most \1 rows"),
    (r"DropExcess\((\d+)\)", r"keeps \1 of each key"),
    (r"DropNonUnique", "drops repeated keys"),
    (r"private join; (.*?) x (.*?);", r"private join; left \1, right \2;"),
    (r"rows (\d+) left, (\d+) right", r"\1 row changes left, \2 right"),
    (r"AddMaxRows\(1\)", "1 row a person"),
    (r"AddMaxRows\((\d+)\)", r"at most \1 rows a person"),
    (r"max_partitions_contributed (\d+)", r"at most \1 groups a person"),
    (r"max_contributions_per_partition (\d+)", r"\1 rows in each"),
    (r"max_contributions (\d+)", r"at most \1 rows a person"),
    (r"by partition", "by group"),
    (r"\bints\b", "whole numbers"),
    (r"\b4 leaves, b 4", "4 leaves, 4 branches at a node"),
)


def audit_explorer() -> Explorer:
    """Return the explorer of the case files: a function of a library, its claim, the witness.

    >>> shown = audit_explorer().view(cases="diffprivlib: sum; values from 1 to 3")
    >>> print(*shown.text.split(". "), sep="\\n")
    diffprivlib: sum; values from 1 to 3
    Version 0.6.6
    1 changed: claims 2, the exact number is 2: exact
    1 added or removed: claims 2, the exact number is 3: too small by ×1.5; (1) → 1 against (1, 3) → 4.

    Cost: about a second, to ask OpenDP and read the tables of the others.
    """
    from sensitivity_book.case_files import case_files  # loads OpenDP

    named = by_name(case_files())
    start = next(
        name for name, cases in named.items() if any(case.verdict == "too small" for case in cases)
    )
    knob = Knob("cases", "function", named, start=start, ordered=False)
    return Explorer("audit", audit_view, [knob])


def by_name(cases: Iterable[Case]) -> dict[str, tuple[Case, ...]]:
    """Cases by library, function and setting in words: those that differ in the relation together."""
    named: dict[str, tuple[Case, ...]] = {}
    for case in sorted(cases, key=lambda case: case.library.lower()):
        name = readable(case)
        named[name] = (*named.get(name, ()), case)
    return named


def readable(case: Case) -> str:
    """A case without its relation, in words and not in the names of a library's code.

    >>> from sensitivity_book.case_files import Case
    >>> readable(Case("a library", "1", "count_nonzero", "bounds (0, 2); dtype int8", ()))
    'a library: how many are not zero; values from 0 to 2; 8-bit integers'
    """
    setting = SIZE_KNOWN.sub("", case.setting)
    asked = "; ".join([case.function, *([setting] if setting not in ("", "none") else [])])
    name = f"{case.library}: {asked}"
    for code, words in WORDS:
        name = re.sub(code, words, name)
    return name


def related(case: Case) -> str:
    """A case's relation in words, and whether the size is public."""
    return case.relation + (", size known" if SIZE_KNOWN.search(case.setting) else "")


def audit_view(cases: tuple[Case, ...]) -> View:
    """Return claims beside the exact numbers, a relation a pair of bars, and each that is too small."""
    said = " ".join(map(_said, cases))
    text = f"{readable(cases[0])}. Version {cases[0].version}. {said}"
    bars = "; ".join(
        f"{related(case)}: claimed {number_text(case.row.claimed)}, exact {number_text(case.row.exact)}"
        for case in cases
    )
    highest = max(float(number) for case in cases for number in (case.row.claimed, case.row.exact))
    with stage(3.1, left=0.36) as (figure, panel):
        for i, case in enumerate(cases):
            _draw_bars(panel, case, -3 * i, highest or 1)
        panel.set(xlabel="of the longest bar", xlim=(0, 1.02), ylim=(-4.6, 1.4))
        panel.set_xticks([0, 0.5, 1], ["0", "half", "all"])
        panel.set_yticks([-3 * i - j for i in range(len(cases)) for j in (0, 1)], _labels(cases))
        panel.tick_params(axis="y", length=0)
    return View((figure,), text, f"A pair of bars for each relation. {bars}.")


def _said(case: Case) -> str:
    """What a case says for its relation, with the witness if its claim is too small."""
    headline, *pair = str(case.row).splitlines()
    verdict = headline.partition(": ")[2].partition(",")[0]
    witness = f"; {' against '.join(side.strip() for side in pair)}" if pair else ""
    return (
        f"{related(case)}: claims {number_text(case.row.claimed)}, the exact number is "
        f"{number_text(case.row.exact)}: {verdict}{witness}."
    )


def _labels(cases: Iterable[Case]) -> list[str]:
    """What each bar says, with its number."""
    return [
        f"{name} {number_text(number)}"
        for case in cases
        for name, number in (("claimed", case.row.claimed), ("exact", case.row.exact))
    ]


def _draw_bars(panel: Axes, case: Case, top: float, highest: float) -> None:
    """Under the relation's words the claim, and below it the exact number.

    What a loose claim has too much, and what one that is too small lacks, has its own colour.
    """
    claimed, exact = float(case.row.claimed) / highest, float(case.row.exact) / highest
    both = min(claimed, exact)
    panel.text(0.02, top + 0.75, related(case), va="center", fontweight="bold", fontsize=12)
    for j, (colour, rest, long) in enumerate(
        ((CLAIMED, LOOSE, claimed), (EXACT, TOO_SMALL, exact))
    ):
        panel.barh(top - j, both, color=colour, height=0.62)
        if long > both:
            panel.barh(top - j, long - both, left=both, color=rest, height=0.62)
