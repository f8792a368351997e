"""PipelineDP: mean, its sum about the middle, floats, bounds 1 and the next float, 1 person added or removed."""

import pipeline_dp as p
from pipeline_dp import dp_computations

DATASETS = [(), (1.0000000000000002,)]  # a row for each person
LIMITS = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
LIMITS |= {"min_value": 1.0, "max_value": 1.0000000000000002}
seen = []
Laplace = dp_computations.LaplaceMechanism
Laplace.add_noise = lambda self, value: seen.append((self.sensitivity, value)) or value


def answer(dataset):
    rows = [("nobody", "other", 1.0)]  # the library refuses a dataset without rows
    rows += [(who, "all", value) for who, value in enumerate(dataset)]
    budget = p.NaiveBudgetAccountant(1.0, 1e-6)
    columns = p.DataExtractors(*(lambda row, at=at: row[at] for at in range(3)))
    asked = p.AggregateParams([p.Metrics.MEAN], **LIMITS)
    found = p.DPEngine(budget, p.LocalBackend()).aggregate(rows, asked, columns, ["all"])
    budget.compute_budgets()
    list(found)
    return float(seen[-1][1])


def claim():
    answer(DATASETS[0])
    return seen[-1][0]


if __name__ == "__main__":
    print("claim:", claim(), " gap:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
