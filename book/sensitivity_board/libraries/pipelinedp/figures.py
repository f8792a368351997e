"""Ask PipelineDP for its sensitivities, and store them as pipelinedp.csv.

The sensitivities are those that `dp_computations.compute_sensitivities` hands to the noise.
"""

import pipeline_dp
from asking import store
from pipeline_dp import dp_computations

BY_PARTITION = {"max_partitions_contributed": 4, "max_contributions_per_partition": 2}
IN_ALL = {"max_contributions": 8}
METRICS = {
    "counts by partition": pipeline_dp.Metrics.COUNT,
    "sums by partition": pipeline_dp.Metrics.SUM,
    "people by partition": pipeline_dp.Metrics.PRIVACY_ID_COUNT,
}


def main() -> None:
    store("pipelinedp", {"pipeline-dp": rows()})


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
                yield [query, asked, f"{norm} sensitivity", f"{value:g}"]


if __name__ == "__main__":
    main()
