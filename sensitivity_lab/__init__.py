"""Exact sensitivities of queries, by enumeration, with the two datasets that attain them."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sensitivity_lab import extension

# fmt: off
if TYPE_CHECKING:  # for checkers: every public name, and where it stands
    from sensitivity_beyond.audit.audit import audit as audit, audit_map as audit_map
    from sensitivity_beyond.audit.boundary_values import breaking_values as breaking_values
    from sensitivity_beyond.audit.report import Audit as Audit, AuditRow as AuditRow
    from sensitivity_lab.catalogue import (
        COUNT as COUNT, MAX as MAX, MEAN as MEAN, MEDIAN as MEDIAN, MIN as MIN, RANGE as RANGE,
        STD as STD, SUM as SUM, VARIANCE as VARIANCE, count_distinct as count_distinct,
        count_where as count_where, histogram as histogram, quantile as quantile, std as std,
        variance as variance,
    )
    from sensitivity_beyond.tables.counting import (
        count_people as count_people, count_people_where as count_people_where,
    )
    from sensitivity_lab.closed_form import ClosedForm as ClosedForm, closed_form as closed_form
    from sensitivity_beyond.proofs.smooth import (
        SmoothSensitivity as SmoothSensitivity, sensitivity_at_distance as sensitivity_at_distance,
        smooth_sensitivity as smooth_sensitivity,
    )
    from sensitivity_lab.numbers.errors import (
        Infeasible as Infeasible, NotProved as NotProved, TooLarge as TooLarge,
    )
    from sensitivity_lab.plotting.explore import explore as explore
    from sensitivity_lab.plotting.curves import (
        plot_compare as plot_compare, plot_sweep as plot_sweep,
    )
    from sensitivity_lab.plotting.witness import plot_witness as plot_witness
    from sensitivity_lab.queries import Query as Query
    from sensitivity_lab.relations import (
        Add as Add, AddRemove as AddRemove, Change as Change, Relation as Relation,
        Remove as Remove, SymmetricDifference as SymmetricDifference,
        change_one_distance as change_one_distance, symmetric_distance as symmetric_distance,
    )
    from sensitivity_lab.results import Sensitivity as Sensitivity
    from sensitivity_lab.sensitivity import (
        global_sensitivity as global_sensitivity, local_sensitivity as local_sensitivity,
    )
    from sensitivity_beyond.tables.sql.statement import sql as sql
    from sensitivity_lab.tables import compare as compare, sweep as sweep
    from sensitivity_lab.universe import Universe as Universe
# fmt: on

# Where each public name stands, loaded with its first use.
_ROOMS = {
    "catalogue": (
        "COUNT MAX MEAN MEDIAN MIN RANGE STD SUM VARIANCE count_distinct count_where histogram "
        "quantile std variance"
    ),
    "closed_form": "ClosedForm closed_form",
    "numbers.errors": "Infeasible NotProved TooLarge",
    "plotting.curves": "plot_compare plot_sweep",
    "plotting.explore": "explore",
    "plotting.witness": "plot_witness",
    "queries": "Query",
    "relations": (
        "Add AddRemove Change Relation Remove SymmetricDifference "
        "change_one_distance symmetric_distance"
    ),
    "results": "Sensitivity",
    "sensitivity": "global_sensitivity local_sensitivity",
    "tables": "compare sweep",
    "universe": "Universe",
}
_ROOM = {name: room for room, names in _ROOMS.items() for name in names.split()}
_BEYOND = {name: room for room, names in extension.NAMES.items() for name in names.split()}

# What most callers need, by purpose; the rest is documented where it lives, and `sl.NAME` finds it.
_CONTENTS = {
    "The lab: numbers, and values that are told apart.": {
        "whose data": "Universe",
        "who is a neighbour": "Add Remove AddRemove SymmetricDifference Change symmetric_distance",
        "what is asked": "COUNT SUM MEAN MEDIAN MIN MAX VARIANCE STD quantile histogram Query",
        "counts of some": "count_where count_distinct",
        "how large it is": "global_sensitivity local_sensitivity closed_form",
        "at every distance": "sweep compare plot_sweep plot_compare",
        "as a picture": "plot_witness explore",
        "what comes back": "Sensitivity",
        "what is raised": "Infeasible NotProved TooLarge",
    },
    "Beyond it: tables, people, statements, audits (pip install sensitivity-beyond).": {
        "what is asked": "sql count_people count_people_where",
        "how large it is": "smooth_sensitivity",
        "is a claim right": "audit audit_map Audit",
    },
}
__all__ = [name for part in _CONTENTS.values() for names in part.values() for name in names.split()]
for _title, _part in _CONTENTS.items():
    _lines = (f"{'':4}{why:20}{names}" for why, names in _part.items())
    __doc__ += "\n\n" + "\n".join([_title, "", *_lines])


class _Package(ModuleType):
    """This package, in which `audit`, `closed_form` and `sql` stay functions whatever loads."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in {*_ROOM, *_BEYOND} or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    """A public name, with the room that it stands in, here or beyond."""
    if name == "__version__":
        return import_module("importlib.metadata").version("sensitivity-lab")
    if name == "testing":  # no name to import, but callers write `sl.testing.` and go on
        return extension.room("testing", "sl.testing")
    if name in _BEYOND:
        found = getattr(extension.room(_BEYOND[name], f"sl.{name}"), name)
    elif name in _ROOM:
        try:
            found = getattr(import_module(f"{__name__}.{_ROOM[name]}"), name)
        except ModuleNotFoundError as error:
            if not _ROOM[name].startswith("plotting.") or str(error.name).startswith(__name__):
                raise
            needed = "needs matplotlib: install 'sensitivity-lab[plot]'"
            raise ImportError(f"{name} {needed}") from error
    else:
        meant = import_module(f"{__name__}.did_you_mean").meant_by(name, {*_ROOM, *_BEYOND})
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{meant}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The names that most need; `sl.NAME` finds the others, too."""
    return [*__all__, "__version__"]
