"""A query of several columns, solved: each record is told by its numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sensitivity_lab.methods.image import Members, told
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.points import Moved, OfColumns, first_places
from sensitivity_lab.proved.pool import Pool, joined
from sensitivity_lab.proved.worst_pair import AtPositions, D, WorstPair
from sensitivity_lab.universe import Indices, Universe


def gaps_by_columns(problem: Problem, proved: OfColumns) -> D | None:
    """Return D for a problem whose query is of several columns, or None without a proof.

    >>> from sensitivity_lab import Change, vector_sum
    >>> pairs = Universe.population([(0, 5), (4, 0), (3, 3)])
    >>> problem = Problem(vector_sum([0, 1]), pairs, 2, Change(1), norm=1)
    >>> d = gaps_by_columns(problem, problem.query.proved)
    >>> d(1, 1, 1).gap, d(1, 1, 1).pair()
    (Fraction(9, 1), (((3, 3), (4, 0)), ((0, 5), (3, 3))))
    """
    universe = problem.universe
    if not proved.serves(universe):
        return None
    points = proved.points(universe)
    if universe.unlimited:
        d = proved.on_point_values(points, problem.norm)
    else:
        d = proved.on_points(points, problem.norm)
    if d is None:
        return None
    shown = _at_positions if universe.unlimited else _at_members

    def in_records(c: int, a: int, b: int) -> WorstPair | None:
        pair = d(c, a, b)
        return None if pair is None else shown(pair, universe)

    return in_records


def _at_members(pair: WorstPair, universe: Universe) -> WorstPair:
    """A pair of runs of the universe's records, told in these."""
    order = np.arange(int(universe.records), dtype=np.intp)
    return replace(pair, records=Members(universe, order))


def _at_positions(pair: WorstPair, universe: Universe) -> WorstPair:
    """A pair of (place of a record, copies), told in records."""
    sides = (pair.common, pair.removed, pair.added)
    places = sorted({place for side in sides for place, _ in side})
    positions = universe.positions_of_members(np.array(places, dtype=np.intp)).tolist()
    position_of = dict(zip(places, positions, strict=True))
    parts = [tuple((position_of[place], n) for place, n in side) for side in sides]
    return told(pair, parts, AtPositions(universe))


def furthest_by_columns(problem: Problem, proved: OfColumns, dataset: Indices) -> WorstPair | None:
    """Return the widest gap at a dataset, with a neighbour that has it, or None without a proof.

    >>> from sensitivity_lab import AddRemove, covariance
    >>> pairs = Universe.population([(0, 0), (2, 1), (4, 4)])
    >>> problem = Problem(covariance(0, 1), pairs, 2, AddRemove(1), norm=1)
    >>> furthest_by_columns(problem, problem.query.proved, (0, 1)).gap
    Fraction(13, 6)
    """
    universe = problem.universe
    if not proved.serves(universe):
        return None
    moves = problem.plan[len(dataset)]
    pool = Pool(universe, dataset, max(added for _, added in moves))
    points = proved.points(universe)
    place_of = first_places(universe)
    own, spare = (points.taken(place_of[side]) for side in (pool.own, pool.spare))
    best: Moved | None = None
    for move in moves:
        found = proved.on_neighbours(own, spare, move, problem.norm)
        if found is None:
            return None
        best = found if best is None or found[0] > best[0] else best
    assert best is not None
    gap, leave, join = best
    neighbour = joined(np.delete(pool.own, leave), pool.spare[join])
    return WorstPair.between(gap, dataset, neighbour, universe)
