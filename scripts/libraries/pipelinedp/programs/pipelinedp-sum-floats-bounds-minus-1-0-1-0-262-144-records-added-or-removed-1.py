"""PipelineDP 0.3.1: one more record moves a long sum of floats by more than 1."""
# pip install 'pipeline-dp==0.3.1'

import pipeline_dp as p

UP, DOWN = 2.0**-35 * (0.5 + 2.0**-52), -(2.0**-35) * (0.5 - 2.0**-52)
DATASETS = [(((1.0,), n), ((UP, DOWN), 2**16)) for n in (2**17, 2**17 - 1)]  # (run, times)
EACH = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
handed = []  # what goes to the noise: a sensitivity, and a number to randomise


def answer(dataset):
    rows = [(who, "all", v) for who, v in enumerate(v for run, n in dataset for v in run * n)]
    noise = p.dp_computations.LaplaceMechanism
    noise.add_noise = lambda self, number: handed.append((self.sensitivity, number)) or number
    budget = p.NaiveBudgetAccountant(1.0, 1e-6)
    asked = p.AggregateParams([p.Metrics.SUM], min_value=-1.0, max_value=1.0, **EACH)
    columns = p.DataExtractors(*(lambda row, at=at: row[at] for at in range(3)))
    found = p.DPEngine(budget, p.LocalBackend()).aggregate(rows, asked, columns, ["all"])
    budget.compute_budgets()
    return list(found) and float(handed[-1][1])


def claim():
    return answer(DATASETS[0]) and handed[-1][0]


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
