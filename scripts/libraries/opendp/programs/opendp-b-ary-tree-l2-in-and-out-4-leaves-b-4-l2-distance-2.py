"""OpenDP 0.16.0: a tree of sums claims 4 for vectors at L2 distance 2; its answers are √20 apart."""
# pip install 'opendp==0.16.0'

import math

import opendp.prelude as dp

DATASETS = [[0, 0, 0, 0], [1, 1, 1, 1]]  # at L2 distance 2
dp.enable_features("contrib")
vectors = dp.vector_domain(dp.atom_domain(T=int), size=4)
tree = dp.t.make_b_ary_tree(vectors, dp.l2_distance(T=int), leaf_count=4, branching_factor=4)


def claim():
    return tree.map(2)


def answer(dataset):
    return tree(dataset)


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {math.dist(x, y)}")
