"""Distances between distributions, and the sets of outcomes that attain them.

A finite distribution is a mapping from outcomes to probabilities; with `Fraction`s every ratio
and every worst set is exact. A continuous one (of `distributions`) becomes finite on `cells`; what
is found there is never above the truth, because cells are outcomes computed from the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from sensitivity_book.theory.stability.domains import SYMMETRIC, Metric
from sensitivity_lab.numbers import Exact, exact_number, whole_number

Distribution = Mapping[Any, Any]

# Cells of one ratio differ in their last digits when they are computed in floats.
RELATIVE = 1e-9


class Worst(NamedTuple):
    """How far apart two distributions are, and the largest set of outcomes that shows it.

    >>> value, event = worst_ratio({0: 1}, {0: 0.5, 1: 0.5})
    >>> value, event
    (2.0, (0,))
    """

    value: Any
    event: tuple[Any, ...]


def worst_ratio(p: Distribution, q: Distribution) -> Worst:
    """Return the largest p(S)/q(S) over all sets S of outcomes, and the largest S that attains it.

    >>> worst_ratio({"yes": Fraction(3, 4), "no": Fraction(1, 4)},
    ...             {"yes": Fraction(1, 4), "no": Fraction(3, 4)})
    Worst(value=Fraction(3, 1), event=('yes',))
    """
    _check(p, q)
    ratios = {o: chance / q[o] if q.get(o) else math.inf for o, chance in p.items() if chance}
    worst = max(ratios.values())
    return Worst(worst, tuple(o for o, ratio in ratios.items() if _alike(ratio, worst)))


def max_divergence(p: Distribution, q: Distribution) -> float:
    """Return the logarithm of the worst ratio: the smallest ε for which p(S) ≤ e^ε q(S).

    >>> max_divergence({0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: 1})
    inf
    """
    return math.log(worst_ratio(p, q).value)


# --- what is done to distributions ---------------------------------------------------------


def post_process(p: Distribution, function: Callable[[Any], Hashable]) -> dict[Any, Any]:
    """Return the distribution of a function of the outcome.

    >>> post_process({1: Fraction(1, 2), 2: Fraction(1, 3), 3: Fraction(1, 6)}, lambda o: o > 1)
    {False: Fraction(1, 2), True: Fraction(1, 2)}

    No divergence grows. Cost: linear in the outcomes.
    Proof: thm-privacy-post in chapters/privacy-maps.
    """
    image: dict[Any, Any] = {}
    for outcome, chance in p.items():
        after = function(outcome)
        image[after] = image.get(after, 0) + chance
    return image


def jointly(p: Distribution, q: Distribution) -> dict[Any, Any]:
    """Return the distribution of a pair of independent outcomes.

    >>> jointly({0: Fraction(1, 2), 1: Fraction(1, 2)}, {"a": 1})
    {(0, 'a'): Fraction(1, 2), (1, 'a'): Fraction(1, 2)}

    Max divergences add up at most. Cost: the product of the two numbers of outcomes.
    Proof: thm-privacy-composition in chapters/privacy-maps.
    """
    return {(a, b): p[a] * q[b] for a in p for b in q}


def probability(distribution: Any, lower: float, upper: float) -> float:
    """Return the probability of an interval, of a distribution with chances below and above.

    >>> from sensitivity_book.theory.privacy.distributions import Laplace
    >>> round(probability(Laplace(37, 25), 40, 60), 6)
    0.244201
    """
    if lower >= distribution.median():
        return float(distribution.sf(lower) - distribution.sf(upper))
    return float(distribution.cdf(upper) - distribution.cdf(lower))


def cells(distribution: Any, edges: Sequence[float]) -> dict[tuple[float, float], float]:
    """Return a continuous distribution on the cells between rising edges, both tails included.

    >>> from sensitivity_book.theory.privacy.distributions import Laplace
    >>> {cell: round(chance, 3) for cell, chance in cells(Laplace(0, 1), [-1, 1]).items()}
    {(-inf, -1): 0.184, (-1, 1): 0.632, (1, inf): 0.184}

    To know only the cell of an answer is to post-process it, so no divergence grows. Cost: two
    tails for each cell. Raises ValueError unless the edges are finite and rise.
    Proof: thm-privacy-post in chapters/privacy-maps.
    """
    ends = [-math.inf, *edges, math.inf]
    if any(a >= b for a, b in pairwise(ends)):
        raise ValueError(f"edges must be finite and strictly rising, got {list(edges)}")
    return {(a, b): probability(distribution, a, b) for a, b in pairwise(ends)}


def clamped_geometric(answer: int, lower: int, upper: int, alpha: Any) -> dict[int, Exact]:
    """Return the exact distribution of a whole number with geometric noise, clamped to a range.

    >>> clamped_geometric(0, 0, 2, Fraction(1, 2))
    {0: Fraction(2, 3), 1: Fraction(1, 6), 2: Fraction(1, 6)}

    The noise is k with chance (1 − α)/(1 + α)·α^|k|, so ε = log(1/α) for answers 1 apart; what
    would fall outside [lower, upper] is moved to its ends. Cost: linear in the range. Raises
    ValueError unless 0 < α < 1 and the answer lies in the range.
    Source: Ghosh, Roughgarden and Sundararajan (2012).
    """
    exact = Fraction(exact_number(alpha, "alpha"))
    if not 0 < exact < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got alpha={alpha}")
    if not lower <= answer <= upper or lower == upper:
        raise ValueError(f"answer must lie in a range, got {answer} in [{lower}, {upper}]")
    inner = (1 - exact) / (1 + exact)
    chances: dict[int, Exact] = {
        o: inner * exact ** abs(o - answer) for o in range(lower, upper + 1)
    }
    for end in (lower, upper):
        chances[end] = exact ** abs(end - answer) / (1 + exact)
    return chances


# --- the worst over all neighbours ---------------------------------------------------------


@dataclass(frozen=True)
class PrivacyLoss:
    """The worst ratio over pairs of datasets: the pair, and the set of outcomes that shows it.

    >>> loss = PrivacyLoss(3, ("yes",), dataset=(1,), neighbour=(0,))
    >>> round(loss.epsilon, 6)
    1.098612
    """

    ratio: Any
    event: tuple[Any, ...]
    dataset: Any
    neighbour: Any

    @property
    def epsilon(self) -> float:
        """The logarithm of the ratio."""
        return math.log(self.ratio)


def worst_pair(
    mechanism: Callable[[Any], Distribution],
    datasets: Iterable[Any],
    *,
    metric: Metric = SYMMETRIC,
    d_in: int = 1,
) -> PrivacyLoss:
    """Return the largest ratio over all ordered pairs at most `d_in` apart, with its first pair.

    >>> def coin(answers):
    ...     yes = Fraction(3, 4) if answers == (1,) else Fraction(1, 4)
    ...     return {"yes": yes, "no": 1 - yes}
    >>> from sensitivity_book.theory.stability.domains import CHANGE_ONE
    >>> loss = worst_pair(coin, [(0,), (1,)], metric=CHANGE_ONE)
    >>> loss.ratio, loss.event, loss.dataset, loss.neighbour
    (Fraction(3, 1), ('no',), (0,), (1,))
    """
    whole_number(d_in, "d_in", 1)
    given = list(datasets)
    output = [mechanism(dataset) for dataset in given]
    losses = [
        PrivacyLoss(*worst_ratio(p, q), x, y)
        for x, p in zip(given, output, strict=True)
        for y, q in zip(given, output, strict=True)
        if x != y and metric(x, y) <= d_in
    ]
    if not losses:
        raise ValueError(f"datasets must hold two that are at most d_in={d_in} apart, got none")
    return max(losses, key=lambda loss: loss.ratio)


def _check(*distributions: Distribution) -> None:
    for p in distributions:
        total = sum(p.values())
        if any(chance < 0 for chance in p.values()) or not math.isclose(total, 1):
            raise ValueError(f"a distribution must have chances that add up to 1, got {total}")


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=RELATIVE)
    return bool(a == b)
