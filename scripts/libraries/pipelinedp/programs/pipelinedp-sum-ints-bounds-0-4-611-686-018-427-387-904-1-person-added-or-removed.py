"""PipelineDP 0.3.1: a sum of large ints wraps in 64 bits, and its noise does not."""
# pip install 'pipeline-dp==0.3.1'

import pipeline_dp as p

DATASETS = [[2**62], [2**62, 2**62]]  # a row for each person
EACH = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
handed = []  # what goes to the noise: a sensitivity, and a number to randomise


def answer(dataset):
    rows = [("nobody", "other", 0), *((who, "all", v) for who, v in enumerate(dataset))]
    noise = p.dp_computations.LaplaceMechanism
    noise.add_noise = lambda self, number: handed.append((self.sensitivity, number)) or number
    budget = p.NaiveBudgetAccountant(1.0, 1e-6)
    asked = p.AggregateParams([p.Metrics.SUM], min_value=0, max_value=2**62, **EACH)
    columns = p.DataExtractors(*(lambda row, at=at: row[at] for at in range(3)))
    found = p.DPEngine(budget, p.LocalBackend()).aggregate(rows, asked, columns, ["all"])
    budget.compute_budgets()
    return list(found) and int(handed[-1][1])


def claim():
    answer(DATASETS[0])
    return handed[-1][0]


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
