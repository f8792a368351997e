"""OpenDP 0.16.0 with MBI: AIM scores, counts in L2, two rows in two cells. How far do they move?"""

import opendp.prelude as dp
import polars as pl
from mbi import CliqueVector, Domain, MarkovRandomField
from opendp.extras.mbi import Count, _aim, _utilities

dp.enable_features("contrib", "honest-but-curious")
AB, Bound = ("a", "b"), dp.polars.Bound
columns = [dp.series_domain(c, dp.atom_domain(bounds=(0, 1), T=int)) for c in AB]
space = dp.lazyframe_domain(columns), dp.frame_distance(dp.symmetric_distance())
tables = _utilities.make_stable_marginals(*space, dp.l2_distance(T="u32"), [AB])
even = CliqueVector.ones(Domain(AB, [2, 2]), [AB]) / 4  # a model of one row
model = MarkovRandomField(potentials=even, marginals=even)
step = _aim._make_aim_scores(*tables.output_space, [Count(by=AB)], {AB: 0.0}, model)
person = [(0, 0), (0, 1)]  # at most two rows, in two cells
DATASETS = [person, person * 2]  # one such person, or two


def claim():
    return step.map(
        tables.map([Bound(by=AB, per_group=1, num_groups=2), Bound(by=[], per_group=2)])
    )


def answer(dataset):
    return (tables >> step)(pl.LazyFrame(dataset, dict.fromkeys(AB, pl.Int64), orient="row"))[0]


if __name__ == "__main__":
    print("claimed:", claim(), " moved:", abs(answer(DATASETS[0]) - answer(DATASETS[1])))
