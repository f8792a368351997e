"""The explorer of an audit: a claim of a library beside the exact number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sensitivity_book.explorers.explorer import Explorer, Knob, View
from sensitivity_book.explorers.stage import stage
from sensitivity_lab.plotting.style import COLOURS
from sensitivity_lab.text import number_text

if TYPE_CHECKING:
    from sensitivity_book.case_files import Case


def audit_explorer() -> Explorer:
    """Return the explorer of the case files: a function of a library, its claim, the witness.

    >>> audit_explorer().view(case="diffprivlib: sum, bounds (1, 3), 1 added or removed").text
    'diffprivlib: sum, bounds (1, 3), 1 added or removed. Version 0.6.6 claims 2; the exact number is 3: too small by ×1.5. Witness: (1) → 1; (1, 3) → 4.'

    Cost: about a second, to ask OpenDP and read the tables of the others.
    """
    from sensitivity_book.case_files import case_files  # loads OpenDP

    named = {case.name: case for case in case_files()}
    first = next(name for name, case in named.items() if case.verdict == "too small")
    knob = Knob("case", "function", named, start=first, ordered=False)
    return Explorer("audit", audit_view, [knob])


def audit_view(case: Case) -> View:
    """Return a claim beside the exact number, and the pair that attains the exact one."""
    row = case.row
    headline, *pair = str(row).splitlines()
    verdict = headline.partition(": ")[2].partition(",")[0]
    witness = f" Witness: {'; '.join(side.strip() for side in pair)}." if pair else ""
    text = (
        f"{case.name}. Version {case.version} claims {number_text(row.claimed)}; the exact number is "
        f"{number_text(row.exact)}: {verdict}.{witness}"
    )
    heights = [float(row.claimed), float(row.exact)]
    with stage(1.6) as (figure, panel):
        panel.barh([1, 0], heights, color=[COLOURS[1], COLOURS[0]], height=0.6)
        panel.set_yticks([1, 0], ["claimed", "exact"])
        panel.set(xlabel="sensitivity", xlim=(0, 1.1 * max(heights) or 1))
    return View((figure,), text, f"Two bars: claimed {heights[0]:.6g}, exact {heights[1]:.6g}.")
