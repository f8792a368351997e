"""Five mechanisms of StatDP and DP-Sniper, held to the sensitivity that their noise implies.

StatDP (Ding et al. 2018, https://github.com/cmla-psu/statdp) and DP-Sniper (Bichsel et al. 2021,
https://github.com/eth-sri/dp-sniper) look for events that tell two neighbours apart, by sampling.
Five of the twenty that DP-Sniper asks are Laplace noise on a vector: noise of scale b at a promise
of ε claims an L1 sensitivity of b · ε, and keeps the ε that is the exact sensitivity over b. Both
numbers are exact here.

The vector itself is the input: neighbours differ by at most 1 in one entry, or in each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pandas as pd

import sensitivity_lab as sl
from sensitivity_board.peers.score import Score
from sensitivity_lab import Audit, AuditRow
from sensitivity_lab.numbers import dataset_text

Vector = tuple[int, ...]
PROMISED = Fraction(1, 10)  # the ε of every experiment of DP-Sniper
ENUMERATED = 5  # entries; a longer vector is reckoned, and held to these


def one_entry(x: Vector, y: Vector) -> int:
    """Return the L1 distance: it is 1 where one entry differs by 1."""
    return sum(abs(a - b) for a, b in zip(x, y, strict=True))


def each_entry(x: Vector, y: Vector) -> int:
    """Return the L∞ distance: it is 1 where no entry differs by more than 1, and one does."""
    return max((abs(a - b) for a, b in zip(x, y, strict=True)), default=0)


Neighbours = Callable[[Vector, Vector], int]
WORDS: dict[Neighbours, str] = {one_entry: "one entry by 1", each_entry: "each entry by 1"}


@dataclass(frozen=True)
class Noisy:
    """A mechanism that adds Laplace noise to each entry of a vector, under one relation."""

    name: str
    length: int
    neighbours: Neighbours
    scale: Callable[[Fraction], Fraction]
    copies: int = 1
    sniper: tuple[float, float] | None = None
    statdp: tuple[float, float] | None = None

    @property
    def relation(self) -> str:
        """By what neighbours differ, in words."""
        return WORDS[self.neighbours]

    def claimed(self, epsilon: Fraction) -> Fraction:
        """The sensitivity for which noise of this scale is ε-private."""
        return self.scale(epsilon) * epsilon

    @property
    def exact(self) -> int:
        """The exact L1 sensitivity of the vector:
        enumerated up to five entries, reckoned beyond."""
        return most_moved(self.length, self.neighbours, self.copies)

    def ratio(self, epsilon: Fraction) -> Fraction:
        """Claimed over exact."""
        return self.claimed(epsilon) / self.exact

    def kept(self, epsilon: Fraction) -> Fraction:
        """The smallest ε for which the mechanism is private:
        the exact sensitivity over the scale."""
        return self.exact / self.scale(epsilon)


def _inverse(epsilon: Fraction) -> Fraction:
    return 1 / epsilon


def _itself(epsilon: Fraction) -> Fraction:
    return epsilon


def _twentieth(epsilon: Fraction) -> Fraction:
    """The scale of an answer that gets a twentieth of ε."""
    return 20 / epsilon


# `eps_lcb` of eval_sp2021/reference-results: dd_search_reg and dd_search_mlp; statdp_1 and statdp_2
HISTOGRAM_2 = Noisy("NoisyHist2", 5, one_entry, _itself,
                    sniper=(4.6020, 4.6015), statdp=(9.7169, 10.0022))  # fmt: skip
MECHANISMS = (
    Noisy("LaplaceMechanism", 1, one_entry, _inverse,
          sniper=(0.09680, 0.09763), statdp=(0.09981, 0.09962)),
    Noisy("LaplaceParallel", 1, one_entry, _twentieth, copies=20,
          sniper=(0.03495, 0.02987), statdp=(0.01259, 0.01349)),
    Noisy("NoisyHist1", 5, one_entry, _inverse,
          sniper=(0.09779, 0.09770), statdp=(0.08283, 0.09944)),
    HISTOGRAM_2,
    Noisy("PrefixSum", 10, each_entry, _inverse,
          sniper=(0.5040, 0.5774), statdp=(0.3516, 0.3446)),
    Noisy("PrefixSum", 10, one_entry, _inverse),
)  # fmt: skip


@cache
def enumerated(
    length: int, neighbours: Neighbours, claim: Any = 1, *, most: int = 2, copies: int = 1
) -> Audit:
    """Hold a claim to every pair of neighbours among the vectors with entries from 0 to `most`."""

    def published(x: Vector) -> Vector:
        return x * copies

    return sl.audit_map(
        published,
        claim,
        list(product(range(most + 1), repeat=length)),
        distances=[1],
        input_metric=neighbours,
        output_metric=one_entry,
    )


def most_moved(length: int, neighbours: Neighbours, copies: int = 1) -> int:
    """Return the exact L1 sensitivity of a vector: its length where each entry may move, else 1."""
    if length <= ENUMERATED:
        return int(enumerated(length, neighbours, copies=copies).worst.found)
    moved = 1 if neighbours is one_entry else length
    return moved * copies


def witness(mechanism: Noisy, epsilon: Fraction = PROMISED) -> AuditRow | None:
    """Return the shortest violation: vectors of one entry, then of two; None if there is none."""
    for length in range(1, min(mechanism.length, ENUMERATED) + 1):
        claim, copies = mechanism.claimed(epsilon), mechanism.copies
        audit = enumerated(length, mechanism.neighbours, claim, most=1, copies=copies)
        if audit.violations:
            return audit.violations[0]
    return None


def noisy_table(epsilon: Fraction = PROMISED) -> pd.DataFrame:
    """Return the mechanisms as a table: claimed, exact,
    and the ε that is kept beside what was found."""
    return pd.DataFrame([_row(mechanism, epsilon) for mechanism in MECHANISMS])


def _row(mechanism: Noisy, epsilon: Fraction) -> dict[str, str]:
    row = witness(mechanism, epsilon)
    logged = epsilon == PROMISED
    return {
        "mechanism": mechanism.name,
        "neighbours differ in": mechanism.relation,
        "claimed": _decimal(mechanism.claimed(epsilon)),
        "exact": str(mechanism.exact),
        "verdict": _verdict(mechanism.ratio(epsilon)),
        "shortest witness": "none"
        if row is None
        else f"{dataset_text(row.dataset)} → {dataset_text(row.neighbour)}",
        "ε promised": _decimal(epsilon),
        "ε kept": _decimal(mechanism.kept(epsilon)),
        "DP-Sniper found": _bounds(mechanism.sniper if logged else None),
        "StatDP found": _bounds(mechanism.statdp if logged else None),
    }


def _verdict(ratio: Fraction) -> str:
    if ratio == 1:
        return "exact"
    if ratio < 1:
        return f"too small by ×{_decimal(1 / ratio)}"
    return f"loose by ×{_decimal(ratio)}"


def _decimal(number: Fraction) -> str:
    """A fraction with three digits."""
    return f"{float(number):.3g}"


def _bounds(bounds: tuple[float, float] | None) -> str:
    """Two bounds to three places, the lower first."""
    return "–" if bounds is None else " and ".join(f"{bound:.3f}" for bound in sorted(bounds))


def second_histogram(epsilons: tuple[Fraction, ...]) -> pd.DataFrame:
    """Return NoisyHist2 at several ε: too small below 1, exact at 1, loose above."""
    mechanism = HISTOGRAM_2
    return pd.DataFrame(
        {
            "ε promised": [_decimal(epsilon) for epsilon in epsilons],
            "claimed": [_decimal(mechanism.claimed(epsilon)) for epsilon in epsilons],
            "exact": [str(mechanism.exact) for _ in epsilons],
            "verdict": [_verdict(mechanism.ratio(epsilon)) for epsilon in epsilons],
            "ε kept": [_decimal(mechanism.kept(epsilon)) for epsilon in epsilons],
        }
    )


def scored() -> Score:
    """Return how many of the five got their exact ε."""
    asked = [mechanism for mechanism in MECHANISMS if mechanism.sniper]
    found = [mechanism for mechanism in asked if _is_attained(mechanism)]
    mechanism = max(asked, key=lambda one: one.kept(PROMISED) / PROMISED)
    row = witness(mechanism)
    assert row is not None
    claim = _decimal(row.claimed)
    return Score(
        "DP-Sniper's Laplace noise on vectors",
        "bichsel2021",
        len(asked),
        len(found),
        "the kept ε stated exactly, two of them above the promise",
        f"{mechanism.name}: {dataset_text(row.dataset)} → {dataset_text(row.neighbour)}, "
        f"{row.found} where {claim} is claimed",
    )


def _is_attained(mechanism: Noisy) -> bool:
    """Whether two neighbours of the mechanism's full length lie as far apart as is exact."""
    start = (0,) * mechanism.length
    end = (1,) * mechanism.length if mechanism.neighbours is each_entry else (*start[1:], 1)
    apart = one_entry(start * mechanism.copies, end * mechanism.copies)
    return mechanism.neighbours(start, end) == 1 and apart == mechanism.exact
