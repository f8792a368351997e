"""Ask PipelineDP for its sensitivities, and store them as pipelinedp.csv beside the book's data.

It has an environment of its own. With Python 3.11, here:

    python3.11 -m venv .venv
    .venv/bin/pip install --require-hashes -r requirements.txt
    .venv/bin/python figures.py

`requirements.txt` is made from `requirements.in`:

    uv pip compile requirements.in --output-file requirements.txt --universal \
      --python-version 3.11 --generate-hashes --no-header

The sensitivities are those that `dp_computations.compute_sensitivities` hands to the noise.
"""

import csv
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pipeline_dp
from pipeline_dp import dp_computations

DATA = Path(__file__).resolve().parents[3] / "book" / "sensitivity_book" / "data"
COLUMNS = ["library", "version", "date", "query", "parameters", "quantity", "value"]
BY_PARTITION = {"max_partitions_contributed": 4, "max_contributions_per_partition": 2}
IN_ALL = {"max_contributions": 8}
METRICS = {
    "counts by partition": pipeline_dp.Metrics.COUNT,
    "sums by partition": pipeline_dp.Metrics.SUM,
    "people by partition": pipeline_dp.Metrics.PRIVACY_ID_COUNT,
}


def main() -> None:
    with (DATA / "pipelinedp.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows())


def rows():
    for query, metric in METRICS.items():
        for limits in (BY_PARTITION, IN_ALL):
            bounds = (
                {"min_value": -2, "max_value": 3} if metric == METRICS["sums by partition"] else {}
            )
            params = pipeline_dp.AggregateParams(metrics=[metric], **limits, **bounds)
            found = dp_computations.compute_sensitivities(metric, params)
            asked = "; ".join(f"{name} {value}" for name, value in {**limits, **bounds}.items())
            for norm, value in (("L1", found.l1), ("L2", found.l2)):
                yield [
                    "pipeline-dp",
                    version("pipeline-dp"),
                    date.today().isoformat(),
                    query,
                    asked,
                    f"{norm} sensitivity",
                    f"{value:g}",
                ]


if __name__ == "__main__":
    main()
