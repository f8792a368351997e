"""Exact sensitivities of queries, by enumeration, with the two datasets that attain them."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sensitivity_lab.audit.audit import audit as audit, audit_map as audit_map
    from sensitivity_lab.audit.boundary_values import breaking_values as breaking_values
    from sensitivity_lab.audit.report import Audit as Audit, AuditRow as AuditRow
    from sensitivity_lab.catalogue import (
        COUNT as COUNT,
        MAX as MAX,
        MEAN as MEAN,
        MEDIAN as MEDIAN,
        MIN as MIN,
        RANGE as RANGE,
        STD as STD,
        SUM as SUM,
        VARIANCE as VARIANCE,
        count_distinct as count_distinct,
        count_people as count_people,
        count_people_where as count_people_where,
        count_where as count_where,
        histogram as histogram,
        quantile as quantile,
        std as std,
        variance as variance,
    )
    from sensitivity_lab.closed_form import ClosedForm as ClosedForm, closed_form as closed_form
    from sensitivity_lab.local import (
        SmoothSensitivity as SmoothSensitivity,
        sensitivity_at_distance as sensitivity_at_distance,
        smooth_sensitivity as smooth_sensitivity,
    )
    from sensitivity_lab.numbers.errors import (
        Infeasible as Infeasible,
        NotProved as NotProved,
        TooLarge as TooLarge,
    )
    from sensitivity_lab.plotting.explore import explore as explore
    from sensitivity_lab.plotting.curves import (
        plot_compare as plot_compare,
        plot_sweep as plot_sweep,
    )
    from sensitivity_lab.plotting.witness import plot_witness as plot_witness
    from sensitivity_lab.queries import Query as Query
    from sensitivity_lab.relations import (
        Add as Add,
        AddRemove as AddRemove,
        Change as Change,
        Relation as Relation,
        Remove as Remove,
        SymmetricDifference as SymmetricDifference,
        change_one_distance as change_one_distance,
        symmetric_distance as symmetric_distance,
    )
    from sensitivity_lab.results import Sensitivity as Sensitivity
    from sensitivity_lab.sensitivity import (
        global_sensitivity as global_sensitivity,
        local_sensitivity as local_sensitivity,
    )
    from sensitivity_lab.sql.statement import sql as sql
    from sensitivity_lab.tables import compare as compare, sweep as sweep
    from sensitivity_lab.universe import Universe as Universe

# Where each public name stands, loaded when it is first used: who asks about numbers waits for no
# tables, no database and no picture.
_ROOMS = {
    "audit.audit": "audit audit_map",
    "audit.boundary_values": "breaking_values",
    "audit.report": "Audit AuditRow",
    "catalogue": (
        "COUNT MAX MEAN MEDIAN MIN RANGE STD SUM VARIANCE count_distinct count_people "
        "count_people_where count_where histogram quantile std variance"
    ),
    "closed_form": "ClosedForm closed_form",
    "local": "SmoothSensitivity sensitivity_at_distance smooth_sensitivity",
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
    "sql.statement": "sql",
    "tables": "compare sweep",
    "universe": "Universe",
}
_ROOM = {name: room for room, names in _ROOMS.items() for name in names.split()}

# What most callers need, by purpose; the rest is documented where it lives, and `sl.NAME` finds
# it, too.
_CONTENTS = {
    "whose data": "Universe",
    "who is a neighbour": "Add Remove AddRemove SymmetricDifference Change",
    "what is asked": "COUNT SUM MEAN MEDIAN MIN MAX VARIANCE STD quantile histogram sql Query",
    "counts of some": "count_where count_distinct count_people count_people_where",
    "how large it is": "global_sensitivity local_sensitivity smooth_sensitivity closed_form",
    "at every distance": "sweep compare plot_sweep plot_compare",
    "is a claim right": "audit audit_map",
    "as a picture": "plot_witness explore",
    "what comes back": "Sensitivity Audit",
    "what is raised": "Infeasible NotProved TooLarge",
}
__all__ = " ".join(_CONTENTS.values()).split()
__doc__ = "\n".join([__doc__, "", *(f"{'':4}{why:20}{names}" for why, names in _CONTENTS.items())])


class _Package(ModuleType):
    """This package, in which `audit`, `closed_form` and `sql` stay functions whatever loads."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _ROOM or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    """A public name, with the room that it stands in."""
    if name == "__version__":
        return import_module("importlib.metadata").version("sensitivity-lab")
    if name == "testing":  # no name to import, but callers write `sl.testing.` and go on
        return import_module(f"{__name__}.testing")
    if name not in _ROOM:
        meant = import_module(f"{__name__}.did_you_mean").meant_by(name, _ROOM)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{meant}")
    try:
        found = getattr(import_module(f"{__name__}.{_ROOM[name]}"), name)
    except ModuleNotFoundError as error:
        if not _ROOM[name].startswith("plotting.") or str(error.name).startswith(__name__):
            raise
        raise ImportError(f"{name} needs matplotlib: install 'sensitivity-lab[plot]'") from error
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The names that most need; `sl.NAME` finds the others, too."""
    return [*__all__, "__version__"]
