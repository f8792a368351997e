"""The four games of the first page: pictures, computed with the package."""

from __future__ import annotations

import math
from fractions import Fraction

import sensitivity_lab as sl
from sensitivity_book.stage.dots.hunt import beat
from sensitivity_book.stage.dots.picture import BEGIN, Picture, pair
from sensitivity_book.stage.words import decimals, digits, listed, percent, text
from sensitivity_book.theory import first_page
from sensitivity_book.theory.first_page import SIZE

NAMES, DAYS = tuple(first_page.pupils()), tuple(first_page.pupils().values())


def naming() -> Picture:
    """Return the game in which a published mean names six pupils."""
    total, fitting = next(iter(first_page.groups_by_sum().items()))
    (six,) = fitting
    mean = Fraction(total, SIZE)
    return Picture(
        "naming",
        "naming",
        "Who is in the study?",
        ("1", "group left"),
        f"Of the {len(first_page.groups())} groups of six, one has the mean {text(mean)}: "
        f"{listed([NAMES[i] for i in six])}.",
        NAMES,
        DAYS,
        (0, 20),
        "days",
        kinds=["in" if i in six else "out" for i in range(len(DAYS))],
        lanes=("in the study", "not known"),
        answer=mean,
        lit={group: float(group == six) for group in first_page.groups()},
        data={"size": SIZE, "published": total},
    )


def hiding() -> Picture:
    """Return the game in which any six may be chosen: who is known by their mean?"""
    by_sum = first_page.groups_by_sum()
    total = next(total for total, some in by_sum.items() if len(some) == 3)
    chosen = by_sum[total][0]
    inside, outside = first_page.still_known(total)
    return Picture(
        "hiding",
        "hiding",
        "Which other groups have this mean?",
        (str(len(by_sum[total])), "groups fit"),
        f"The mean is {text(Fraction(total, SIZE))}. In every one of the {len(by_sum[total])}: "
        f"{listed(inside)}. In none: {listed(outside)}.",
        NAMES,
        DAYS,
        (0, 20),
        "days",
        kinds=[
            "in" if i in chosen else "out" if name in outside else "open"
            for i, name in enumerate(NAMES)
        ],
        answer=Fraction(total, SIZE),
        lit={group: float(group in by_sum[total]) for group in first_page.groups()},
        data={"size": SIZE, "opening": [*range(1, len(NAMES), 2)]},
    )


def moving() -> Picture:
    """Return the game in which one swap moves the mean: your record, and the most there is."""
    return beat(
        "moving",
        "mean",
        dict(zip(NAMES, DAYS, strict=True)),
        size=SIZE,
        relation=sl.Change(1),
        axis=(0, 20),
        unit="days",
        claim=f"No swap in any study of {SIZE} moves it further.",
    )


def noisy(epsilon: float = 1.0) -> Picture:
    """Return the dial that adds noise to the published mean."""
    by_sum, most = first_page.groups_by_sum(), first_page.the_most().value
    total, own = min(by_sum), first_page.beliefs(epsilon)
    share, half = own[total], float(most) / epsilon * math.log(2)
    truth, published = Fraction(total, SIZE), Fraction(first_page.published(epsilon))
    strongest = max(own.values())
    stops = ["Infinity" if math.isinf(one) else f"{one:g}" for one in first_page.EPSILONS]
    return Picture(
        "noisy",
        "noisy",
        "What does noise leave of it?",
        (f"1 in {1 / share:.0f}", "for the right six"),
        f"The school publishes {decimals(published)} days. "
        f"To the attacker the right six have a chance of {percent(share)}. "
        f"Half of all draws fall within {digits(half)} days of the true mean: the bar.",
        NAMES,
        DAYS,
        (0, 20),
        "days",
        answer=published,
        before=truth,
        bar=(truth - Fraction(half), truth + Fraction(half)),
        lit={group: own[sum_] / strongest for sum_, some in by_sum.items() for group in some},
        data={
            "size": SIZE,
            "published": total,
            "most": pair(most),
            "epsilons": stops,
            "opening": stops.index(f"{epsilon:g}"),
            "draws": [*first_page.draws().values()],
            "beliefs": [*map(_beliefs, first_page.EPSILONS)],
            "query": "published",
        },
        actions={"draw": "Draw again", **BEGIN},
    )


def _beliefs(epsilon: float) -> list[float]:
    """What the attacker believes of a group with each sum, from the least sum up."""
    return [float(f"{share:.6g}") for _, share in sorted(first_page.beliefs(epsilon).items())]


GAMES = {game.__name__: game for game in (naming, hiding, moving, noisy)}
