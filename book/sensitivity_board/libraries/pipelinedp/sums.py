"""Watch PipelineDP add long and narrow numbers: pipelinedp_sums.csv.

The settings are those in which Casacuberta and others (2022) tell the formula of a sum from the sum
that runs: floats between bounds side by side, which are rounded, and ints of 64 bits, which wrap.
The library runs on its local backend, for people of one row each in one public partition; somebody
in another partition stands for the empty dataset, which the library refuses. Its Laplace mechanism
is wrapped: its sensitivity is noted, and the value that is to be randomised is given back as it is.
Of a mean, that is the sum of the distances to the middle.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import pipeline_dp
from asking import NEXT, SIDE_BY_SIDE, every, long_sums, narrow, one_apart, records_of, store
from pipeline_dp import dp_computations

LIMITS = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
HELD, GIVEN = "sensitivity of its Laplace mechanism", "what that mechanism is to randomise"
HALF = 2**17  # copies of 1 in the long dataset, of 2¹⁸ records
SUM, MEAN = pipeline_dp.Metrics.SUM, pipeline_dp.Metrics.MEAN
QUERIES = {SUM: "sum", MEAN: "mean, its sum about the middle"}

noised: list[tuple[float, Any]] = []


def watch() -> None:
    def add_noise(mechanism: Any, value: Any) -> Any:
        noised.append((mechanism.sensitivity, value))
        return value

    dp_computations.LaplaceMechanism.add_noise = add_noise


def asked() -> Iterator[tuple[Any, str, tuple[Any, Any], list[Any]]]:
    """Metric, setting, bounds and datasets."""
    for bounds in ((0.0, 3.0), (-2.0, 3.0), (0.0, 0.1)):
        yield SUM, f"floats, bounds {bounds}", bounds, every(*bounds)
    yield MEAN, "floats, bounds (0.0, 3.0)", (0.0, 3.0), every(0.0, 3.0)
    for metric in (SUM, MEAN):
        yield metric, SIDE_BY_SIDE, (1.0, NEXT), every(1.0, NEXT)
    yield MEAN, "floats, bounds side by side, 17 records", narrow(4), one_apart(0.0, 1.0, 16)
    for top in (2**60, 2**62):
        yield SUM, f"ints, bounds (0, {top:,})", (0, top), every(0, top)
    name = f"floats, bounds (-1.0, 1.0), {2 * HALF:,} records"
    yield SUM, name, (-1.0, 1.0), long_sums(HALF)


def answer(metric: Any, bounds: tuple[Any, Any], dataset: Any) -> tuple[float, Any]:
    """The sensitivity, and the number that the library is about to randomise."""
    rows = [(person, "asked", value) for person, value in enumerate(records_of(dataset))]
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
    store("pipelinedp_sums", {"pipeline-dp": rows()})


def rows() -> Iterator[list[str]]:
    settings = ", ".join(f"{limit}={number}" for limit, number in LIMITS.items())
    for metric, name, bounds, datasets in asked():
        place, sensitivities = [QUERIES[metric], name], set()
        for dataset in datasets:
            sensitivity, value = answer(metric, bounds, dataset)
            sensitivities.add(sensitivity)
            yield [*place, f"answer to {dataset}", told(value, bounds), settings, GIVEN]
        (sensitivity,) = sensitivities
        yield [*place, "sensitivity", repr(sensitivity), settings, HELD]


if __name__ == "__main__":
    main()
