"""PipelineDP: sum, ints, bounds (0, 4,611,686,018,427,387,904), 1 person added or removed."""

import pipeline_dp as p
from pipeline_dp import dp_computations

DATASETS = [(2**62,), (2**62, 2**62)]  # a row for each person
LIMITS = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
LIMITS |= {"min_value": 0, "max_value": 2**62}
seen = []
Laplace = dp_computations.LaplaceMechanism
Laplace.add_noise = lambda self, value: seen.append((self.sensitivity, value)) or value


def answer(dataset):
    rows = [("nobody", "other", 0)]  # the library refuses a dataset without rows
    rows += [(who, "all", value) for who, value in enumerate(dataset)]
    budget = p.NaiveBudgetAccountant(1.0, 1e-6)
    columns = p.DataExtractors(*(lambda row, at=at: row[at] for at in range(3)))
    asked = p.AggregateParams([p.Metrics.SUM], **LIMITS)
    found = p.DPEngine(budget, p.LocalBackend()).aggregate(rows, asked, columns, ["all"])
    budget.compute_budgets()
    list(found)
    return int(seen[-1][1])


def claim():
    answer(DATASETS[0])
    return seen[-1][0]


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
