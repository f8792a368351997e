"""PipelineDP: sum, floats, bounds (-1.0, 1.0), 262,144 records, Records added or removed, at most 1."""

import pipeline_dp as p
from pipeline_dp import dp_computations

UP, DOWN = 2**-35 * (0.5 + 2**-52), -(2**-35) * (0.5 - 2**-52)
DATASETS = [[1.0] * ones + [UP, DOWN] * 2**16 for ones in (2**17, 2**17 - 1)]
LIMITS = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
LIMITS |= {"min_value": -1.0, "max_value": 1.0}
seen = []
Laplace = dp_computations.LaplaceMechanism
Laplace.add_noise = lambda self, value: seen.append((self.sensitivity, value)) or value


def answer(dataset):
    rows = [("nobody", "other", -1.0)]  # the library refuses a dataset without rows
    rows += [(who, "all", value) for who, value in enumerate(dataset)]
    budget = p.NaiveBudgetAccountant(1.0, 1e-6)
    columns = p.DataExtractors(*(lambda row, at=at: row[at] for at in range(3)))
    asked = p.AggregateParams([p.Metrics.SUM], **LIMITS)
    found = p.DPEngine(budget, p.LocalBackend()).aggregate(rows, asked, columns, ["all"])
    budget.compute_budgets()
    list(found)
    return float(seen[-1][1])


def claim():
    answer(DATASETS[0])
    return seen[-1][0]


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
