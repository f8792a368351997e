"""A claim that must hold: a failure shows its two datasets, and no frame of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

from sensitivity_beyond.audit.audit import audit
from sensitivity_beyond.audit.claim_and_scope import checked_relations, checked_sizes, sizes_text
from sensitivity_beyond.audit.report import Audit, AuditRow
from sensitivity_beyond.audit.runner import OneTest, in_this_test, shown_as
from sensitivity_beyond.testing.alarm import TimeIsUp, stopped_after
from sensitivity_lab.numbers.errors import Infeasible
from sensitivity_lab.numbers.exact import by_name
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Relation
from sensitivity_lab.universe import Universe

Question = Callable[..., Audit]  # takes `sizes` or `sizes_within`
OURS = ("sensitivity_lab.", "sensitivity_beyond.")  # whose frames are left out


@by_name
def assert_sensitivity(
    function: Query | Callable[[Any], Any],
    claim: Any,
    universe: Universe,
    *,
    sizes: int | Iterable[int] | None = None,
    sizes_within: range | None = None,
    relations: Relation | Sequence[Relation],
    allow_not_asked: bool = False,
    **options: Any,
) -> Audit:
    """Fail if a claimed sensitivity is too small, with the two datasets that show it.

    >>> from sensitivity_lab import SUM, Change
    >>> bits = Universe.value_range([0, 1])
    >>> assert_sensitivity(SUM, 1, bits, sizes=[1, 2], relations=[Change(1)]).headline
    'exact'
    >>> assert_sensitivity(SUM, 1, bits, sizes=3, relations=[Change(2)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: sum, Change(2), size 3: too small by ×2, claimed 1, exact 2
      (0, 0, 0) → 0
      (0, 1, 1) → 2
    ...

    The failure has one pair, of the smallest size and k whose claim is too small, and Python that
    shows it. Its traceback has the test's own lines, and none of this package. A claim that holds
    fails, too, where a direction was not asked, because the function fails on the empty dataset.

    Under pytest, the marker `sensitivity(budget=SECONDS)` gives a test so much time: the sizes
    are asked from the smallest on, the first that fails ends the test, and where the time runs out
    the failure says which sizes were held. It takes `allow_not_asked=True`, too.

    :param function: what is claimed about, as `sl.audit` takes it.
    :param claim: a number, or a function of parameters named `k` and `size`, or of one of them.
    :param allow_not_asked: whether a direction may be left out; all else is as `sl.audit` has it.
    :return: the audit, which says what the claim was held against.
    :raises AssertionError: if the claim is too small somewhere, or not all was asked.
    :raises TimeoutError: if the test's budget runs out.

    Cost and other errors: as `sl.audit`; with a budget each size is an audit of its own.
    """
    __tracebackhide__ = True  # pytest shows the test's own line

    def question(**which: Any) -> Audit:
        return audit(function, claim, universe, relations=relations, **which, **options)

    run = in_this_test()
    try:
        if run is None or run.budget is None:
            report = question(sizes=sizes, sizes_within=sizes_within)
        else:
            given = checked_relations(relations)
            each = sorted(checked_sizes(universe, sizes, sizes_within, given))
            steps: list[dict[str, Any]] = [{"sizes": [size]} for size in each]
            if (within := sizes_within) is not None:
                step = abs(within.step)
                steps = [{"sizes_within": range(each[0], size + 1, step)} for size in each]
            report = _step_by_step(question, steps, run)
    except Exception as error:  # what was refused, or what the function raised: it may be anything
        raise _without_our_frames(error) from error.__cause__
    if run is not None:
        run.audits.append(report)
    if (told := report.objection(allow_not_asked)) is not None:
        snippet = f"\n\n{report.snippet()}" if report.violations else ""
        raise shown_as(AssertionError(told[0] + snippet), *told)
    return report


# --- within a budget -----------------------------------------------------------------------------


def _step_by_step(question: Question, steps: list[dict[str, Any]], run: OneTest) -> Audit:
    """Ask the steps until one fails, or the time is over."""
    held: Audit | None = None
    nothing: list[Infeasible] = []
    for step in steps:
        try:
            with stopped_after(run.ends - monotonic()):
                answered = question(**step)
        except Infeasible as error:
            nothing.append(error)
            continue
        except TimeIsUp:
            budget = f"budget of {run.budget:g} s ran out"
            if held is None:
                raise TimeoutError(
                    f"{budget} in the smallest size; nothing was held so far"
                ) from None
            run.audits.append(held)
            sizes = sizes_text(held.asked.sizes or [row.size or 0 for row in held.rows])
            so_far = f"{held.function}, {held.headline}"
            short = f"{budget} after {sizes}; what was held so far: {so_far}"
            failure = TimeoutError(f"{short}\n{held.scope}")
            raise shown_as(failure, short, str(held)) from None
        held = answered if held is None or "sizes_within" in step else _together(held, answered)
        if held.violations:
            break
    if held is None:
        raise nothing[0]
    return held


def _together(held: Audit, answered: Audit) -> Audit:
    """Two audits of one claim at different sizes as one."""
    order = [(relation.kind, relation.k) for relation in held.asked.relations]

    def place(row: AuditRow) -> tuple[int, int]:
        return order.index((row.relation, row.k)), row.size or 0

    rows = tuple(sorted((*held.rows, *answered.rows), key=place))
    sizes = (*(held.asked.sizes or ()), *(answered.asked.sizes or ()))
    return replace(held, rows=rows, asked=replace(held.asked, sizes=sizes))


# --- whose frames a traceback shows --------------------------------------------------------------


def _without_our_frames(error: Exception) -> Exception:
    """An error, and what it came from, whose traceback begins with a frame of somebody else's."""
    for one in filter(None, (error, error.__cause__)):
        traceback = one.__traceback__
        while traceback and str(traceback.tb_frame.f_globals.get("__name__")).startswith(OURS):
            traceback = traceback.tb_next
        one.__traceback__ = traceback
    return error
