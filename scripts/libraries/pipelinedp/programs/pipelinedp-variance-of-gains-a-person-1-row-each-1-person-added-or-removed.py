"""PipelineDP 0.3.1: of values from -50 to 50 it squares 50, with noise for 1250."""
# pip install 'pipeline-dp==0.3.1'

import pipeline_dp as p

DATASETS = [[], [[("staff", "p0", -50)]]]  # people, each with all rows that are theirs
EACH = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
handed = []  # what goes to the noise: a sensitivity, and a number to randomise


def answer(dataset):
    rows = [("nobody", "other", 0), *((who, "all", v) for own in dataset for _, who, v in own)]
    noise = "apply_laplace_mechanism"  # of value, epsilon and sensitivity
    setattr(p.dp_computations, noise, lambda *a: handed.append((a[2], a[0])) or a[0])
    budget = p.NaiveBudgetAccountant(1.0, 1e-6)
    asked = p.AggregateParams([p.Metrics.VARIANCE], min_value=-50, max_value=50, **EACH)
    columns = p.DataExtractors(*(lambda row, at=at: row[at] for at in range(3)))
    found = p.DPEngine(budget, p.LocalBackend()).aggregate(rows, asked, columns, ["all"])
    budget.compute_budgets()
    return list(found) and float(handed[-1][1])


def claim():
    answer(DATASETS[0])
    return handed[-1][0]


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
