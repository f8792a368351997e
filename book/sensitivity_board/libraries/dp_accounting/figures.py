"""Ask dp-accounting for the ε of some events, and store it as dp_accounting.csv.

Each event is composed by both accountants under the library's neighbouring relations, and asked for
its ε at δ = 1e-5. The accountant of privacy loss distributions rounds losses up to multiples of a
step, here 1e-5, a tenth of its default. Where an accountant refuses an event, that is stored.
"""

from collections.abc import Iterator

from absl import logging
from asking import store
from dp_accounting import (
    DpEvent,
    GaussianDpEvent,
    LaplaceDpEvent,
    NeighboringRelation,
    PoissonSampledDpEvent,
    PrivacyAccountant,
    RandomizedResponseDpEvent,
    SampledWithoutReplacementDpEvent,
    SelfComposedDpEvent,
    UnsupportedEventError,
)
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

DELTA, STEP = 1e-5, 1e-5
ADD, ONE, SPECIAL = (
    NeighboringRelation.ADD_OR_REMOVE_ONE,
    NeighboringRelation.REPLACE_ONE,
    NeighboringRelation.REPLACE_SPECIAL,
)
GAUSSIAN = GaussianDpEvent(1.0)
EVENTS: dict[str, tuple[DpEvent, list[NeighboringRelation]]] = {
    "Gaussian": (GAUSSIAN, [ADD, ONE, SPECIAL]),
    "Gaussian, multiplier halved": (GaussianDpEvent(0.5), [ONE]),
    "10 Gaussians": (SelfComposedDpEvent(GAUSSIAN, 10), [ADD, ONE]),
    "Gaussian, Poisson sample of 1/10": (PoissonSampledDpEvent(0.1, GAUSSIAN), [ADD, ONE]),
    "Gaussian, 1 of 2 drawn": (SampledWithoutReplacementDpEvent(2, 1, GAUSSIAN), [ONE]),
    "Laplace": (LaplaceDpEvent(1.0), [ADD, ONE]),
    "randomized response": (RandomizedResponseDpEvent(0.5, 2), [ONE, SPECIAL]),
}


def accountants(relation: NeighboringRelation) -> dict[str, PrivacyAccountant]:
    return {
        "RDP accountant": RdpAccountant(neighboring_relation=relation),
        "PLD accountant": PLDAccountant(relation, STEP),
    }


def figures() -> Iterator[list[str]]:
    for name, (event, relations) in EVENTS.items():
        for relation in relations:
            for accountant, ledger in accountants(relation).items():
                try:
                    value = f"{ledger.compose(event).get_epsilon(DELTA):.12g}"
                except UnsupportedEventError:
                    value = "refused"
                yield [accountant, f"{name}; {relation.name}", f"epsilon at delta {DELTA}", value]


def main() -> None:
    logging.set_verbosity(logging.ERROR)  # of orders that are left out
    store("dp_accounting", {"dp-accounting": figures()})


if __name__ == "__main__":
    main()
