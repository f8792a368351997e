"""What two explorers ask: a sensitivity under a relation with a name."""

from __future__ import annotations

from functools import lru_cache

from sensitivity_lab import (
    AddRemove,
    Change,
    Infeasible,
    Query,
    Relation,
    Sensitivity,
    SymmetricDifference,
    Universe,
    global_sensitivity,
)

RELATIONS: dict[str, type[Relation]] = {
    "exactly k added or removed": AddRemove,
    "at most k changed": Change,
    "at most k added or removed": SymmetricDifference,
}


@lru_cache(maxsize=4096)
def if_feasible(
    query: Query, universe: Universe, size: int, relation: Relation
) -> Sensitivity | None:
    """The sensitivity, or None where no neighbour is feasible."""
    try:
        return global_sensitivity(query, universe, size=size, relation=relation)
    except Infeasible:
        return None
