"""The definition, asked of rows and of people:
a dataset is a tuple of labels, which are places in a list.

Two equal rows have two labels. The pairs and the greatest gap are those of
`sensitivity_lab.definition`, which shares no code with the rest of the package; people and what
records say are written out here.
"""

from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from sensitivity_lab import definition

RELATIONS = ("Add", "Remove", "AddRemove", "SymmetricDifference", "Change")


class Worst(NamedTuple):
    value: object  # a Fraction, or a float for a root
    pairs: set  # every (dataset, neighbour) that attains it


def of_population(people, size, relation, k):
    """All (dataset, neighbour) of so many labelled records; of an int, or a range for both."""
    return definition.population_pairs(range(people), size, relation, k)


def of_range(kinds, size, relation, k):
    """All (dataset, neighbour) of so many kinds of records, each in any number of copies."""
    return definition.range_pairs(range(kinds), size, relation, k)


def greatest(answer, pairs, norm=1, smallest=0):
    """The greatest gap of pairs whose sizes are enough; None if there is no pair."""
    found = definition.greatest(answer, smallest, pairs, norm)
    if found is None:
        return None
    is_root = isinstance(found.value, Decimal)
    return Worst(float(found.value) if is_root else found.value, found.witnesses)


def people_of(tables, id):
    """Everybody named in any table, each with their rows of every table."""
    names = sorted({row[id] for rows in tables.values() for row in rows})
    return [
        {table: [row for row in rows if row[id] == name] for table, rows in tables.items()}
        for name in names
    ]


def gap(one, other, norm):
    """How far apart two answers are; where a key is missing, it counts as 0."""
    if not isinstance(one, (dict, tuple)):
        return Fraction(definition.gap(one, other, norm))
    one, other = (
        dict(enumerate(side)) if isinstance(side, tuple) else side for side in (one, other)
    )
    if norm == 0:
        return sum((key in one) != (key in other) or one[key] != other[key] for key in one | other)
    steps = [abs(Fraction(one.get(key, 0)) - Fraction(other.get(key, 0))) for key in one | other]
    return definition.gap((*steps, 0), (0,) * (len(steps) + 1), norm)
