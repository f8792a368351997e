"""Exact sensitivities of queries, by enumeration, with the two datasets that attain them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sensitivity_lab.audit.audit import audit, audit_map
from sensitivity_lab.audit.boundary_values import breaking_values
from sensitivity_lab.audit.report import Audit, AuditRow
from sensitivity_lab.catalogue import (
    COUNT,
    MAX,
    MEAN,
    MEDIAN,
    MIN,
    STD,
    SUM,
    VARIANCE,
    count_distinct,
    count_where,
    histogram,
    quantile,
    sql,
    std,
    variance,
)
from sensitivity_lab.closed_form import ClosedForm, closed_form
from sensitivity_lab.gradient import Gradient, discrete_gradient, operator_norm
from sensitivity_lab.local import (
    SmoothSensitivity,
    sensitivity_at_distance,
    smooth_sensitivity,
)
from sensitivity_lab.numbers.errors import Infeasible, NotProved, TooLarge
from sensitivity_lab.order_statistics import (
    GINI_MEAN_DIFFERENCE,
    INTERQUARTILE_RANGE,
    MIDHINGE,
    RANGE,
    l_statistic,
    trimmed_mean,
    winsorised_mean,
)
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import (
    Add,
    AddRemove,
    Change,
    Relation,
    Remove,
    SymmetricDifference,
    change_one_distance,
    symmetric_distance,
)
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.sensitivity import global_sensitivity, local_sensitivity
from sensitivity_lab.tables import compare, sweep
from sensitivity_lab.universe import Universe

if TYPE_CHECKING:
    from sensitivity_lab.plotting.phone import inline_svg
    from sensitivity_lab.plotting.tables import plot_compare, plot_sweep
    from sensitivity_lab.plotting.witness import plot_witness

# Matplotlib takes half of the time of an import: it is loaded when the first picture is asked for.
_PICTURES = {
    "inline_svg": "plotting.phone",
    "plot_compare": "plotting.tables",
    "plot_sweep": "plotting.tables",
    "plot_witness": "plotting.witness",
}

__all__ = [
    "COUNT",
    "GINI_MEAN_DIFFERENCE",
    "INTERQUARTILE_RANGE",
    "MAX",
    "MEAN",
    "MEDIAN",
    "MIDHINGE",
    "MIN",
    "RANGE",
    "STD",
    "SUM",
    "VARIANCE",
    "Add",
    "AddRemove",
    "Audit",
    "AuditRow",
    "Change",
    "ClosedForm",
    "Gradient",
    "Infeasible",
    "NotProved",
    "Query",
    "Relation",
    "Remove",
    "Sensitivity",
    "SmoothSensitivity",
    "SymmetricDifference",
    "TooLarge",
    "Universe",
    "audit",
    "audit_map",
    "breaking_values",
    "change_one_distance",
    "closed_form",
    "compare",
    "count_distinct",
    "count_where",
    "discrete_gradient",
    "global_sensitivity",
    "histogram",
    "inline_svg",
    "l_statistic",
    "local_sensitivity",
    "operator_norm",
    "plot_compare",
    "plot_sweep",
    "plot_witness",
    "quantile",
    "sensitivity_at_distance",
    "smooth_sensitivity",
    "sql",
    "std",
    "sweep",
    "symmetric_distance",
    "trimmed_mean",
    "variance",
    "winsorised_mean",
]


def __getattr__(name: str) -> Any:
    """A picture's function, with the module that draws it."""
    if name not in _PICTURES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_PICTURES[name]}"), name)
    except ModuleNotFoundError as error:
        raise ImportError(f"{name} needs matplotlib: install 'sensitivity-lab[plot]'") from error


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
