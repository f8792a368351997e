"""What a caller meant: the right spelling of a name that is nearly right, and how a call is written."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

# Parameters that calls leave out, or call otherwise, as they are written.
WRITTEN = {
    "universe": "universe=sl.Universe.population(records)", "records": "records=[1, 2, 3]", "size": "size=6 or size=range(1, 11)",
    "sizes": "sizes=6 or sizes=[1, 2, 3]", "relation": "relation=sl.Change(1)", "values": "values=[0, 50, 100]",
    "relations": "relations=[sl.Change(1), sl.AddRemove(1)]", "bounds": "bounds=(0, 100)", "beta": "beta=0.1",
    "id": "id='customer'", "output_metric": "output_metric=sl.symmetric_distance", "input_metric": "input_metric=sl.symmetric_distance", "**columns": "salary=[0, 50, 100]", "columns": "columns=['pay'], or {'a': universe} in a table",
    "most_rows": "most_rows=2", "high": "clipped(0, 100)", "claim": "claim=5 or claim=lambda k, size: k / size", "low": "low=0",
    "k": "k=1", "q": "q=0.9", "edges": "edges=[0, 10, 20]", "cut": "cut=0.1", "what": "of('pay')", "column": "by('team')", "keys": "keys=['law', 'art']",
}  # fmt: skip
# What other libraries, or other functions of this one, call them.
PARAMETERS = {
    "n": ("size", "sizes"), "size": ("sizes",), "sizes": ("size",), "k": ("relation", "relations"),
    "relation": ("relations",), "relations": ("relation",), "neighbours": ("relation", "relations"),
    "neighbors": ("relation", "relations"), "metric": ("output_metric",), "max_rows": ("most_rows",),
    "min_rows": ("least_rows",), "epsilon": ("beta",), "lower": ("bounds", "low"), "upper": ("bounds", "high"), "bins": ("edges",), "p": ("q",), "distance": ("k",),
}  # fmt: skip
NAMES = {
    "mean": "sl.MEAN", "median": "sl.MEDIAN", "sum": "sl.SUM", "count": "sl.COUNT", "max": "sl.MAX",
    "min": "sl.MIN", "std": "sl.STD", "variance": "sl.VARIANCE", "range": "sl.RANGE", "average": "sl.MEAN", "avg": "sl.MEAN", "var": "sl.VARIANCE", "stdev": "sl.STD",
    "percentile": "sl.quantile(0.9)", "median_absolute_deviation": "sl.Query", "counts": "sl.COUNT",
    "bounded": "sl.Change(1), a record that changes", "replace": "sl.Change(1)",
    "substitute": "sl.Change(1)", "hamming": "sl.Change(1), or sl.change_one_distance",
    "unbounded": "sl.AddRemove(1), a record that joins or leaves",
    "laplace": "no noise here: its scale is the sensitivity, found.value, divided by epsilon",
    "gaussian": "no noise here: its scale comes from the sensitivity with norm=2, found.value",
    "dataset": "no class for it: a list, or a table of pandas, polars or pyarrow", "max_rows":
    "Universe.people(..., most_rows=2), or truncated(rows=2)", "groupby": "sl.SUM.of('pay').by('team')",
    "maximum": "sl.MAX", "minimum": "sl.MIN", "hist": "sl.histogram([0, 10, 20])", "stddev": "sl.STD", "iqr": "sl.INTERQUARTILE_RANGE", "nunique": "sl.count_distinct", "swap": "sl.Change(1)",
    "clip": "sl.SUM.of('pay').clipped(0, 100)", "group_by": "sl.SUM.of('pay').by('team')", "local": "sl.local_sensitivity", "pair": "found.witness", "sensitivity": "found.value",
    "noise": "no noise here: its scale is the sensitivity, found.value, divided by epsilon", **dict.fromkeys(("countif", "count_if", "where", "filter"), "sl.count_where(lambda row: row['pay'] > 3)"),
    **dict.fromkeys(("population", "from_df", "from_pandas", "from_dataframe"), "sl.Universe.population(frame)"), "value_range": "sl.Universe.value_range([0, 50, 100])",
    "assert_sensitivity": "sl.testing.assert_sensitivity", "plot": "sl.plot_witness, sl.plot_sweep or sl.plot_compare", "df": "sl.Universe.population(frame)",
}  # fmt: skip


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
    if (told := NAMES.get(name.lower())) is not None:
        return f": there is {told}"
    by_letters = {one.lower().replace("_", ""): one for one in known}
    near = get_close_matches(name.lower().replace("_", ""), by_letters, n=1, cutoff=0.75)
    return f": there is sl.{by_letters[near[0]]}" if near else ": dir(sl) lists all" * bool(known)


def way_out(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    """What is wrong with a call that cannot be made, and how it is written."""
    name = type(args[0]).__name__ if name == "__init__" else name
    known = {n: p for n, p in signature.parameters.items() if n not in ("self", "cls")}
    named = [n for n, p in known.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    others = [f"**{n}" for n, p in known.items() if p.kind is p.VAR_KEYWORD]
    if strangers := [one for one in kwargs if one not in named]:
        return "; ".join(_stranger(name, one, named) for one in strangers)
    in_place = [n for n in named if known[n].kind is not inspect.Parameter.KEYWORD_ONLY]
    given = args[len(signature.parameters) - len(known) :]
    needed = [n for n in named if known[n].default is inspect.Parameter.empty]
    missing = [n for n in needed if n not in kwargs and n not in in_place[: len(given)]]
    if len(given) > len(in_place):
        here = " and ".join(in_place) or "nothing"
        rest = (others + [n for n in named if n not in in_place])[:1]
        written = ", ".join(_written(missing or [*in_place, *rest]))
        return f"{name} takes {here} in place and the rest by name, got {len(given)} in place: {written}"
    if missing:
        return f"{name} needs {' and '.join(missing)}: {', '.join(_written(missing))}"
    return f"{name} takes each parameter once, got {', '.join(kwargs)} twice"


def _stranger(name: str, stranger: str, named: list[str]) -> str:
    """A parameter that a function has not, and the one that was meant, or all that it has."""
    meant = [one for one in PARAMETERS.get(stranger, ()) if one in named]
    meant = meant or get_close_matches(stranger, named, n=1, cutoff=0.75)
    if meant:
        return f"{name} takes {meant[0]}, not {stranger}: {_written(meant)[0]}"
    return f"{name} takes no {stranger}: it takes {', '.join(named)}"


def _written(names: list[str]) -> list[str]:
    return [WRITTEN.get(name, f"{name}=...") for name in names]
