"""PipelineDP: variance of gains, a person; 2 rows each, 1 person added or removed."""

import pipeline_dp as p
from pipeline_dp import dp_computations

DATASETS = [(), ((-50, -50),)]  # the rows of each person
LIMITS = {"max_partitions_contributed": 1, "max_contributions_per_partition": 2}
LIMITS |= {"min_value": -50, "max_value": 50}
seen = []
Laplace = "apply_laplace_mechanism"  # its arguments: value, epsilon, sensitivity
setattr(dp_computations, Laplace, lambda *told: seen.append((told[2], told[0])) or told[0])


def answer(dataset):
    rows = [("nobody", "other", -50)]  # the library refuses a dataset without rows
    rows += [(who, "all", value) for who, values in enumerate(dataset) for value in values]
    budget = p.NaiveBudgetAccountant(1.0, 1e-6)
    columns = p.DataExtractors(*(lambda row, at=at: row[at] for at in range(3)))
    asked = p.AggregateParams([p.Metrics.VARIANCE], **LIMITS)
    found = p.DPEngine(budget, p.LocalBackend()).aggregate(rows, asked, columns, ["all"])
    budget.compute_budgets()
    list(found)
    return float(seen[-1][1])


def claim():
    answer(DATASETS[0])
    return seen[-1][0]


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
