"""One person of two rows moves a score by 2, not by √2. pip install 'opendp[mbi]==0.16.0'"""

import opendp.prelude as dp
import polars as pl
from mbi import CliqueVector, Domain, MarkovRandomField
from opendp.extras.mbi import Count, _aim, _utilities

DATASETS = [[[(0, 0), (0, 1)]], [[(0, 0), (0, 1)], [(0, 0), (0, 1)]]]  # people as their rows (a, b)
AB, Bound = ("a", "b"), dp.polars.Bound
dp.enable_features("contrib", "honest-but-curious")
table = dp.lazyframe_domain([dp.series_domain(c, dp.atom_domain((0, 1), T=int)) for c in AB])
metric = dp.frame_distance(dp.symmetric_distance())
counts = _utilities.make_stable_marginals(table, metric, dp.l2_distance(T="u32"), [AB])
even = CliqueVector.ones(Domain(AB, [2, 2]), [AB]) / 4  # a model of one row
model = MarkovRandomField(potentials=even, marginals=even)
score = _aim._make_aim_scores(*counts.output_space, [Count(by=AB)], {AB: 0.0}, model)


def claim():
    person = [Bound(by=AB, per_group=1, num_groups=2), Bound(by=[], per_group=2)]
    return score.map(counts.map(person))


def answer(dataset):
    rows = [row for person in dataset for row in person]
    return (counts >> score)(pl.LazyFrame(rows, dict.fromkeys(AB, pl.Int64), orient="row"))[0]


if __name__ == "__main__":
    print(f"claimed {claim()}, answers {answer(DATASETS[0])} and {answer(DATASETS[1])}")
