"""Watch PipelineDP add long and narrow numbers: pipelinedp_sums.csv beside the book's data.

The environment is that of `figures.py`:

    .venv/bin/python sums.py

The settings are those in which Casacuberta and others (2022) tell the formula of a sum from the sum
that runs: floats between bounds side by side, which are rounded, and ints of 64 bits, which wrap.
The library runs on its local backend, for people of one row each in one public partition; somebody
in another partition stands for the empty dataset, which the library refuses. Its Laplace mechanism
is wrapped: its sensitivity is noted, and the value that is to be randomised is given back as it is.
Of a mean, that is the sum of the distances to the middle.

A dataset is a tuple of records, or a list of (records, how often), where it is long.
"""

import csv
import warnings
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import pipeline_dp
from pipeline_dp import dp_computations

DATA = Path(__file__).resolve().parents[3] / "book" / "sensitivity_book" / "data"
COLUMNS = ["library", "version", "date", "query", "parameters", "quantity", "value"]
COLUMNS += ["settings", "read_from"]
LIMITS = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
HELD, GIVEN = "sensitivity of its Laplace mechanism", "what that mechanism is to randomise"
NEXT = 1 + 2.0**-52  # the float after 1
HALF = 2**17  # copies of 1 in the long dataset, of 2¹⁸ records
UP, DOWN = HALF / 2**52 * (0.5 + 2.0**-52), -HALF / 2**52 * (0.5 - 2.0**-52)
SUM, MEAN = pipeline_dp.Metrics.SUM, pipeline_dp.Metrics.MEAN
QUERIES = {SUM: "sum", MEAN: "mean, its sum about the middle"}

noised: list[tuple[float, Any]] = []


def watch() -> None:
    def add_noise(mechanism: Any, value: Any) -> Any:
        noised.append((mechanism.sensitivity, value))
        return value

    dp_computations.LaplaceMechanism.add_noise = add_noise


def narrow(power: int) -> tuple[float, float]:
    """Two floats side by side, for 2 to that power records and one more."""
    lower = (1 + (2.0 ** (power - 53) - 2.0**-52)) * 0.5
    return lower, (1 + 2.0 ** (power - 53)) * 0.5


def every(*values: Any) -> list[Any]:
    """Every dataset of up to three of these values, in every order."""
    return [dataset for size in range(4) for dataset in product(values, repeat=size)]


def asked() -> Iterator[tuple[Any, str, tuple[Any, Any], list[Any]]]:
    """Metric, setting, bounds and datasets."""
    for bounds in ((0.0, 3.0), (-2.0, 3.0), (0.0, 0.1)):
        yield SUM, f"floats, bounds {bounds}", bounds, every(*bounds)
    yield MEAN, "floats, bounds (0.0, 3.0)", (0.0, 3.0), every(0.0, 3.0)
    for metric in (SUM, MEAN):
        yield metric, "floats, bounds 1 and the next float", (1.0, NEXT), every(1.0, NEXT)
    pair = [[((0.0,), 16), ((last,), 1)] for last in (0.0, 1.0)]
    yield MEAN, "floats, bounds side by side, 17 records", narrow(4), pair
    for top in (2**60, 2**62):
        yield SUM, f"ints, bounds (0, {top:,})", (0, top), every(0, top)
    long = [[((1.0,), HALF - less), ((UP, DOWN), HALF // 2)] for less in (0, 1)]
    yield SUM, f"floats, bounds (-1.0, 1.0), {2 * HALF:,} records", (-1.0, 1.0), long


def answer(metric: Any, bounds: tuple[Any, Any], dataset: Any) -> tuple[float, Any]:
    """The sensitivity, and the number that the library is about to randomise."""
    runs = dataset if isinstance(dataset, list) else [(dataset, 1)]
    records = [value for values, times in runs for value in list(values) * times]
    rows = [(person, "asked", value) for person, value in enumerate(records)]
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1.0, total_delta=1e-6)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    found = engine.aggregate(
        [*rows, ("nobody", "another", bounds[0])],
        pipeline_dp.AggregateParams(
            metrics=[metric],
            noise_kind=pipeline_dp.NoiseKind.LAPLACE,
            min_value=bounds[0],
            max_value=bounds[1],
            **LIMITS,
        ),
        pipeline_dp.DataExtractors(
            privacy_id_extractor=lambda row: row[0],
            partition_extractor=lambda row: row[1],
            value_extractor=lambda row: row[2],
        ),
        public_partitions=["asked"],
    )
    accountant.compute_budgets()
    noised.clear()
    list(found)
    sensitivity, value = noised[-1]  # of a mean, the first is its count
    return float(sensitivity), value


def told(value: Any, bounds: tuple[Any, Any]) -> str:
    """A sum of ints reaches the mechanism as the nearest float."""
    return repr(int(value) if isinstance(bounds[1], int) else float(value))


def main() -> None:
    warnings.simplefilter("ignore")
    watch()
    source = ["pipeline-dp", version("pipeline-dp"), date.today().isoformat()]
    with (DATA / "pipelinedp_sums.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for metric, name, bounds, datasets in asked():
            place = [*source, QUERIES[metric], name]
            settings = ", ".join(f"{limit}={number}" for limit, number in LIMITS.items())
            sensitivities = set()
            for dataset in datasets:
                sensitivity, value = answer(metric, bounds, dataset)
                sensitivities.add(sensitivity)
                answered = [f"answer to {dataset}", told(value, bounds), settings, GIVEN]
                writer.writerow([*place, *answered])
            (sensitivity,) = sensitivities
            writer.writerow([*place, "sensitivity", repr(sensitivity), settings, HELD])


if __name__ == "__main__":
    main()
