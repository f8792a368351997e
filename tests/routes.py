"""The walk beside every other route, and random questions, for the tests of what is proved."""

from decimal import Decimal
from fractions import Fraction

import numpy as np

import sensitivity_lab as sl


def random_histogram(rng, universe):
    """Edges at, between and beyond the records; most leave some record in no bin."""
    values = universe.exact_values
    pool = [*values, values[0] - 1, values[-1] + 1, rng.choice(values) + 1, 2**63, -(2**63)]
    edges = sorted(set(rng.sample(pool, min(rng.randint(2, 4), len(set(pool))))))
    return sl.histogram(edges if len(edges) > 1 else [edges[0], edges[0] + 1])


def records_of_a_type(rng, most):
    """A few records of an integer type: its ends and their neighbours, around zero and halves,
    or anywhere."""
    info = np.iinfo(f"{rng.choice(['int', 'uint'])}{rng.choice([8, 16, 32, 64])}")
    low, high = int(info.min), int(info.max)
    ends = [low, low + 1, low // 2, 0, 1, high // 2, high // 2 + 1, high - 1, high]
    picks = [rng.choice([*ends, rng.randint(low, high)]) for _ in range(rng.randint(1, most))]
    return np.array(picks, dtype=info.dtype)


def random_records(rng, most):
    """Ties, outliers, offsets, fractions, tenths, decimals, the edges of 64 bits and beyond;
    at times of a type."""
    if rng.random() < 0.2:
        return records_of_a_type(rng, most)
    spread = rng.choice([1, 2, 4, 9, 30])
    records = [rng.randint(-spread, spread) for _ in range(rng.randint(1, most))]
    if rng.random() < 0.3:
        records[0] = rng.choice([-1000, 60, 10**9, -(10**9), -(2**63), 2**64 - 1, 10**18])
    offset, unit = rng.choice(
        [*[(0, 1)] * 4, (0, 3), (0, 0.1), (1e8, 0.1), (2**63, 1), (10**25, 1), (0, Decimal(8))]
    )
    if isinstance(unit, float):
        return [round(offset + record / 10, 1) for record in records]
    if isinstance(unit, Decimal):
        return [record / unit for record in records]
    return [offset + Fraction(record, unit) for record in records]


def random_universe(rng, most=7):
    """A population of random records; now and then a range."""
    records = random_records(rng, most)
    if rng.random() < 0.25:
        return sl.Universe.value_range(records[:4])
    return sl.Universe.population(records)


def agree(query, universe, asked, relation, norm=1, methods=("solver",)):
    """Hold the methods to the walk, and each witness to its value; whether any of them answers.

    `asked` is a size, or a dataset for its local sensitivity.
    """
    local = isinstance(asked, tuple)
    size = len(asked) if local else asked
    if size < (query.smallest_size or 0):
        return False

    def ask(method):
        given = {"relation": relation, "norm": norm, "method": method}
        if local:
            return sl.local_sensitivity(query, asked, universe, **given)
        return sl.global_sensitivity(query, universe, size=size, **given)

    try:
        walked = ask("walk")
    except sl.Infeasible:
        return False
    answered = 0
    for method in methods:
        try:
            found = ask(method)
        except sl.NotProved:
            continue
        case = method, query.name, universe, asked, relation, norm
        assert found.value == walked.value, case
        assert found.check(), case
        assert len(found.witness[0]) == size, case
        assert not local or found.witness[0] == asked, case
        answered += 1
    return answered > 0
