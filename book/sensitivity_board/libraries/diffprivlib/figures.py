"""Watch diffprivlib at work, and store what was seen as diffprivlib.csv.

Each mechanism is wrapped where a tool looks it up; the wrapper makes the real mechanism, notes the
sensitivity that it holds and the value that is to be randomised, and gives that value back as it
is. So a tool runs as ever, only without noise, on every small dataset of a few values.

"sensitivity at size n" is what the mechanism held for datasets of n records, and "answer to …" is
what it was given. A quantile's answer is its utility at the middle of each unit interval. None
stands for NaN.
"""

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from asking import store
from diffprivlib import tools
from diffprivlib.mechanisms.base import DPMechanism
from diffprivlib.models import LinearRegression, linear_regression
from diffprivlib.tools import histograms, quantiles, utils


@dataclass
class Seen:
    """One mechanism that a tool made: its sensitivity, its settings, what it was to randomise."""

    sensitivity: float
    settings: dict[str, Any]
    values: list[Any] = field(default_factory=list)


seen: list[Seen] = []


def watched(mechanism: type[DPMechanism]) -> Callable[..., Any]:
    class Watched:
        def __init__(self, **settings: Any) -> None:
            self.seen = Seen(mechanism(**settings).sensitivity, settings)
            seen.append(self.seen)

        def randomise(self, value: Any = 0) -> Any:
            self.seen.values.append(value)
            return value

    return Watched


def watch() -> None:
    for module in (utils, histograms, quantiles, linear_regression):
        for name, found in vars(module).copy().items():
            if inspect.isclass(found) and issubclass(found, DPMechanism):
                setattr(module, name, watched(found))


def one_value(mechanism: Seen) -> Any:
    (value,) = mechanism.values
    return value


def all_values(mechanism: Seen) -> Any:
    return tuple(mechanism.values)


def utilities(mechanism: Seen) -> Any:
    """The utility of the interval that holds each half: 0.5, 1.5 and so on up to the bound."""
    ends = np.cumsum(mechanism.settings["measure"])
    halves = np.arange(0.5, ends[-1])
    return tuple(mechanism.settings["utility"][i] for i in np.searchsorted(ends, halves))


@dataclass(frozen=True)
class Tool:
    """A tool with its settings, and the datasets that it is watched on."""

    query: str
    parameters: str
    run: Callable[[Any], Any]
    values: Sequence[Any] = (0, 3)
    sizes: Sequence[int] = (1, 2, 3)
    answer: Callable[[Seen], Any] = one_value
    mechanism: int = 0  # which of those that the tool makes, in its order
    wanted: Callable[[tuple[Any, ...]], bool] = lambda dataset: True

    def datasets(self) -> Iterator[tuple[Any, ...]]:
        for size in self.sizes:
            yield from filter(self.wanted, combinations_with_replacement(self.values, size))


def array(dataset: tuple[Any, ...]) -> Any:
    return np.array([np.nan if value is None else value for value in dataset])


def points(dataset: tuple[Any, ...]) -> Any:
    return np.column_stack([dataset, dataset])


def some_number(dataset: tuple[Any, ...]) -> bool:
    return any(value is not None for value in dataset)


def mostly_ones(dataset: tuple[Any, ...]) -> bool:
    return dataset.count(0) <= 1


def regression(term: int) -> dict[str, Any]:
    """The coefficient of a term: 0 for y·y, 1 for x·y, 2 for x·x. Here y is always 1."""

    def run(dataset: tuple[Any, ...]) -> None:
        model = LinearRegression(bounds_X=(0, 100), bounds_y=(0, 1), fit_intercept=False)
        model.fit(np.array(dataset, dtype=float)[:, None], np.ones(len(dataset)))

    return {
        "parameters": "bounds_X (0, 100); y always 1",
        "run": run,
        "values": (0, 100),
        "mechanism": term,
    }


def tools_watched() -> Iterator[Tool]:
    for bounds in ((0, 3), (1, 3), (-2, 3)):
        settings = {"parameters": f"bounds {bounds}", "values": bounds}
        for name in ("sum", "mean", "var", "std"):
            if name == "sum" or bounds == (0, 3):
                tool = getattr(tools, name)
                yield Tool(name, run=lambda x, t=tool, b=bounds: t(array(x), bounds=b), **settings)
    yield Tool(
        "sum",
        "bounds (0, 1); dtype int8",
        lambda x: tools.sum(array(x).astype(np.int8), bounds=(0, 1), dtype=np.int8),
        values=(0, 1),
        sizes=(127, 128),
        wanted=mostly_ones,
    )
    yield Tool("count_nonzero", "none", lambda x: tools.count_nonzero(array(x)), values=(0, 1))
    binned = {"values": (0, 1), "answer": all_values}
    two, name = {"bins": 2, "range": (0, 1)}, "bins 2; range (0, 1)"
    yield Tool("histogram", name, lambda x: tools.histogram(array(x), **two), **binned)

    def weighted(x: tuple[Any, ...]) -> Any:
        return tools.histogram(array(x), weights=np.full(len(x), 10), **two)

    yield Tool("histogram", f"{name}; weights 10", weighted, **binned)
    four, name = {"bins": 2, "range": [(0, 1), (0, 1)]}, "points (v, v); bins 2"
    yield Tool("histogram2d", name, lambda x: tools.histogram2d(*points(x).T, **four), **binned)
    yield Tool("histogramdd", name, lambda x: tools.histogramdd(points(x), **four), **binned)
    steps = {"values": (0, 1, 2, 3), "answer": utilities}
    yield Tool("median", "bounds (0, 3)", lambda x: tools.median(array(x), bounds=(0, 3)), **steps)
    yield Tool(
        "quantile 0.25",
        "bounds (0, 3)",
        lambda x: tools.quantile(array(x), 0.25, bounds=(0, 3)),
        **steps,
    )
    for size in (2, 6):
        for name, bounds in (("nanmean", (0, 3)), ("nanvar", (0, 3)), ("nansum", (1, 3))):
            tool = getattr(tools, name)
            yield Tool(
                name,
                f"bounds {bounds}; {size} records",
                lambda x, t=tool, b=bounds: t(array(x), bounds=b),
                values=(*bounds, None),
                sizes=(size,),
                wanted=some_number,
            )
    yield Tool("LinearRegression x·y", **regression(1))
    yield Tool("LinearRegression x·x", **regression(2))


def figures(tool: Tool) -> Iterator[tuple[str, Any]]:
    sensitivities: dict[int, float] = {}
    answers = {}
    for dataset in tool.datasets():
        seen.clear()
        tool.run(dataset)
        mechanism = seen[tool.mechanism]
        answers[dataset] = plain(tool.answer(mechanism))
        sensitivity = float(mechanism.sensitivity)
        if sensitivities.setdefault(len(dataset), sensitivity) != sensitivity:
            raise RuntimeError(f"{tool.query}: the sensitivity is not one number at each size")
    for size, sensitivity in sensitivities.items():
        yield f"sensitivity at size {size}", sensitivity
    for dataset, answer in answers.items():
        yield f"answer to {dataset}", answer


def plain(answer: Any) -> Any:
    """A NumPy number as Python's own."""
    if isinstance(answer, tuple):
        return tuple(map(plain, answer))
    return answer.item() if isinstance(answer, np.generic) else answer


def main() -> None:
    warnings.simplefilter("ignore")
    watch()
    rows = (
        [tool.query, tool.parameters, name, repr(value)]
        for tool in tools_watched()
        for name, value in figures(tool)
    )
    store("diffprivlib", {"diffprivlib": rows})


if __name__ == "__main__":
    main()
