"""What a caller meant: the right spelling of a nearly right name, and how a call is written."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

# A row: a parameter ("" where it is none), how what is meant is written, and what others call it.
TABLE = [
    ("universe", "universe=sl.Universe.population(records)", ""),
    ("records", "records=[1, 2, 3]", ""),
    ("size", "size=6 or size=range(1, 11)", "n sizes"),
    ("sizes", "sizes=6 or sizes=[1, 2, 3]", "n size"),
    ("relation", "relation=sl.Change(1)", "k relations neighbours neighbors"),
    ("relations", "relations=[sl.Change(1), sl.AddRemove(1)]", "k relation neighbours neighbors"),
    ("values", "values=[0, 50, 100]", ""),
    ("bounds", "bounds=(0, 100)", "lower upper"),
    ("low", "low=0", "lower"),
    ("high", "clipped(0, 100)", "upper"),
    ("beta", "beta=0.1", "epsilon"),
    ("id", "id='customer'", ""),
    ("output_metric", "output_metric=sl.symmetric_distance", "metric"),
    ("input_metric", "input_metric=sl.symmetric_distance", ""),
    ("**columns", "salary=[0, 50, 100]", ""),
    ("**bounds", "rows=2, groups=('shop', 1) or clip={'price': (0, 100)}", ""),
    ("columns", "columns={'pay': universe}", ""),
    ("most_rows", "most_rows=2", "max_rows"),
    ("least_rows", "least_rows=1", "min_rows"),
    ("claim", "claim=5 or claim=lambda k, size: k / size", ""),
    ("k", "k=1", "distance"),
    ("q", "q=0.9", "p"),
    ("edges", "edges=[0, 10, 20]", "bins"),
    ("what", "of('pay')", ""),
    ("column", "by('team')", ""),
    ("keys", "keys=['law', 'art']", ""),
    ("", "sl.MEAN", "mean average avg"),
    ("", "sl.MEDIAN", "median"),
    ("", "sl.SUM", "sum"),
    ("", "sl.COUNT", "count counts"),
    ("", "sl.MAX", "max maximum"),
    ("", "sl.MIN", "min minimum"),
    ("", "sl.RANGE", "range"),
    ("", "sl.STD", "std stdev stddev"),
    ("", "sl.VARIANCE", "variance var"),
    ("", "sl.quantile(0.9)", "percentile"),
    ("", "sl.histogram([0, 10, 20])", "hist"),
    ("", "sl.count_distinct", "nunique"),
    ("", "sl.count_where(lambda row: row['pay'] > 3)", "count_if countif where filter"),
    ("", "sl.SUM.of('pay').by('team')", "groupby group_by"),
    ("", "sl.SUM.of('pay').clipped(0, 100)", "clip"),
    ("", "sl.Query, of your own function", "iqr trimmed_mean"),
    ("", "sl.sql('SELECT …')", "select with"),
    ("", "sl.Change(1), a record that changes", "bounded"),
    ("", "sl.Change(1)", "replace substitute swap"),
    ("", "sl.Change(1), or sl.change_one_distance", "hamming"),
    ("", "sl.AddRemove(1), a record that joins or leaves", "unbounded"),
    ("", "sl.Universe.population(frame)", "population df from_df from_pandas from_dataframe"),
    ("", "sl.Universe.value_range([0, 50, 100])", "value_range"),
    ("", "Universe.people(..., most_rows=2), or truncated(rows=2)", "max_rows"),
    ("", "no class for it: a list, or a table of pandas, polars or pyarrow", "dataset"),
    ("", "sl.local_sensitivity", "local"),
    ("", "sl.testing.assert_sensitivity", "assert_sensitivity"),
    ("", "sl.plot_witness, sl.plot_sweep or sl.plot_compare", "plot"),
    ("", "found.value", "sensitivity"),
    ("", "found.witness", "pair"),
    (
        "",
        "no noise here: its scale is found / epsilon, with norm=2 for Gaussian noise; a library "
        "that draws it safely, such as OpenDP, takes the scale",
        "noise add_noise noise_scale scale mechanism laplace laplace_mechanism laplace_scale "
        "gaussian gaussian_mechanism geometric discrete_laplace exponential epsilon sigma budget",
    ),
]


class SaysWhich:
    """Says, of an attribute that is not there, which one was meant."""

    if not TYPE_CHECKING:  # a checker knows all that are there

        def __getattr__(self, name: str) -> NoReturn:
            kind = self if isinstance(self, type) else type(self)
            raise AttributeError(f"{kind.__name__} has no {name}{meant_by(name, ())}")


def meant_by(name: str, known: Collection[str]) -> str:
    """What somebody meant by a public name that there is not, for the end of a message.

    >>> meant_by("mean", ["MEAN"]), meant_by("global_sensitivty", ["global_sensitivity"])
    (': there is sl.MEAN', ': there is sl.global_sensitivity')
    """
    for parameter, written, others in TABLE:
        if not parameter and name.lower() in others.split():
            return f": there is {written}"
    by_letters = {one.lower().replace("_", ""): one for one in known}
    near = get_close_matches(name.lower().replace("_", ""), by_letters, n=1, cutoff=0.75)
    return f": there is sl.{by_letters[near[0]]}" if near else ": dir(sl) lists all" * bool(known)


def way_out(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    """What is wrong with a call that cannot be made, and how it is written."""
    name = type(args[0]).__name__ if name == "__init__" else name
    takes = {n: p for n, p in signature.parameters.items() if n not in ("self", "cls")}
    given = len(args) - len(signature.parameters) + len(takes)
    in_place = [n for n, p in takes.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    any_other = [f"**{n}" for n, p in takes.items() if p.kind is p.VAR_KEYWORD]
    by_name = [n for n, p in takes.items() if p.kind is p.KEYWORD_ONLY]
    named = in_place + by_name
    said = []
    for one in [one for one in kwargs if one not in named and not any_other]:
        meant = [known for known, _, others in TABLE if known in named and one in others.split()]
        if meant := meant or get_close_matches(one, named, n=1, cutoff=0.75):
            said.append(f"{name} takes {meant[0]}, not {one}: {_written(meant[0])}")
        else:
            said.append(f"{name} takes no {one}: it takes {', '.join(named)}")
    if said:
        return "; ".join(said)
    needed = [n for n in named if takes[n].default is inspect.Parameter.empty]
    show = missing = [n for n in needed if n not in {*kwargs, *in_place[:given]}]
    if given > len(in_place):
        here = " and ".join(in_place) or "nothing"
        wrong = f"takes {here} in place and the rest by name, got {given} in place"
        show = missing or in_place + (any_other + by_name)[:1]
    elif missing:
        wrong = f"needs {' and '.join(missing)}"
    else:
        return f"{name} takes each parameter once, got {', '.join(kwargs)} twice"
    return f"{name} {wrong}: {', '.join(map(_written, show))}"


def _written(parameter: str) -> str:
    return next((written for one, written, _ in TABLE if one == parameter), f"{parameter}=...")
