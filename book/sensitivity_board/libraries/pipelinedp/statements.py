"""Ask PipelineDP about the common statements: pipelinedp_statements.csv.

The engine runs each metric on a few people's rows, in one public partition. Where it would
add Laplace or Gaussian noise, the sensitivity that it hands over is noted, and the value is given
back as it is. The library has no SQL: a statement is asked as the metric that its documents offer
for it, on the values that the statement would aggregate. Of the variance of gains, the values that
were to be noised are stored, too, for one person and for two.
"""

from unittest import mock

import pipeline_dp
from asking import STATEMENTS, store
from pipeline_dp import Metrics, NoiseKind, dp_computations

READ_FROM = "sensitivity handed to its {} mechanism"
VALUE = "value handed to its laplace mechanism"
NORMS = {NoiseKind.LAPLACE: "L1", NoiseKind.GAUSSIAN: "L2"}
LIMITS = {
    "person; rows 1": {"max_partitions_contributed": 1, "max_contributions_per_partition": 1},
    "person; rows 2": {"max_contributions": 2},
    "person; groups 2; rows per group 1": {
        "max_partitions_contributed": 2,
        "max_contributions_per_partition": 1,
    },
}
ONE_GROUP = {"max_partitions_contributed": 1, "max_contributions_per_partition": 2}
SALARY, GAIN = (tuple(STATEMENTS["bounds"][column]) for column in ("salary", "gain"))
# A statement's metric, the bounds of its values, and what is noised, in the order of the noise.
METRICS = {
    "count": (Metrics.COUNT, None, ["rows"]),
    "count where": (Metrics.COUNT, None, ["rows where"]),
    "count distinct people": (Metrics.PRIVACY_ID_COUNT, None, ["people"]),
    "sum": (Metrics.SUM, SALARY, ["sum"]),
    "sum where": (Metrics.SUM, (0, 50), ["sum where"]),
    "average": (Metrics.MEAN, SALARY, ["rows", "centred sum"]),
    "counts by department": (Metrics.COUNT, None, ["rows by department"]),
    "sums by department": (Metrics.SUM, SALARY, ["sums by department"]),
    "counts having": (Metrics.COUNT, None, ["rows by department"]),
    "variance": (Metrics.VARIANCE, SALARY, ["rows", "centred sum", "squares about 50"]),
    "variance of gains": (Metrics.VARIANCE, GAIN, ["rows", "gains", "squared gains"]),
    "sum of products": (Metrics.SUM, (0, 9000), ["products"]),
    "sum of a polynomial": (Metrics.SUM, (0, 2500), ["polynomial"]),
}
NONE = "not offered", "no metric of the library answers it"
OTHERS = {"median": ("not comparable", "a percentile is read off a tree of noisy counts")}
BY_DEPARTMENT = [name for name in METRICS if "department" in name or name == "counts having"]


def main() -> None:
    store("pipelinedp_statements", {"pipeline-dp": rows()})


def rows():
    for limits, settings in LIMITS.items():
        for name in STATEMENTS["statements"]:
            for claim in claims(name, limits, settings):
                yield [name, limits, *claim]


def claims(name, limits, settings):
    """What is noised, its sensitivity, the settings and where that is read."""
    if "groups" in limits and name not in BY_DEPARTMENT:
        return
    if limits == "person; rows 2" and name not in BY_DEPARTMENT:
        settings = ONE_GROUP
    told = ", ".join(f"{setting}={value}" for setting, value in settings.items())
    if name not in METRICS:
        quantity, reason = OTHERS.get(name, NONE)
        yield quantity, "", told, reason
        return
    metric, bounds, parts = METRICS[name]
    for kind, norm in NORMS.items():
        seen = noted(metric, bounds, settings, kind, (0, 1))
        for part, (sensitivity, _) in zip(parts, seen, strict=True):
            yield f"{norm} of {part}", f"{sensitivity:g}", told, READ_FROM.format(kind.value)
    if name == "variance of gains" and limits == "person; rows 1":
        for gains in ((0,), (0, 50)):
            seen = noted(metric, bounds, settings, NoiseKind.LAPLACE, gains)
            for part, (_, value) in zip(parts, seen, strict=True):
                yield f"value of {part} on {gains}", f"{value:g}", told, VALUE


def noted(metric, bounds, settings, kind, values):
    """What the engine hands to its noise, in order, for people with a value each."""
    ends = {"min_value": bounds[0], "max_value": bounds[1]} if bounds else {}
    parameters = pipeline_dp.AggregateParams(metrics=[metric], noise_kind=kind, **settings, **ends)
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1e-6)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    rows = [(person, "art", float(value)) for person, value in enumerate(values)]
    answers = engine.aggregate(rows, parameters, extractors, public_partitions=["art"])
    accountant.compute_budgets()
    return watched(answers)


def watched(answers):
    """The sensitivities of the answers' mechanisms, which are made in two ways, and the values."""
    seen = []
    create = dp_computations.create_additive_mechanism

    def laplace(value, eps, l1_sensitivity):
        seen.append((l1_sensitivity, value))
        return value

    def gaussian(value, eps, delta, l2_sensitivity):
        seen.append((l2_sensitivity, value))
        return value

    def additive(spec, sensitivities):
        mechanism = create(spec, sensitivities)
        seen.append((mechanism.sensitivity, None))
        return mechanism

    ways = {
        "apply_laplace_mechanism": laplace,
        "apply_gaussian_mechanism": gaussian,
        "create_additive_mechanism": additive,
    }
    with mock.patch.multiple(dp_computations, **ways):
        list(answers)
    return seen


if __name__ == "__main__":
    main()
