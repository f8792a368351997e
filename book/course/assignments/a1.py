"""Assignment 1: by hand, noise, neighbours, school, vehicle."""

import math
from fractions import Fraction
from random import Random

from assignments.task import Task, about, function, number, pair, value

TITLE = "How far can one person move a number?"


def days_of(rng: Random, pupils: int) -> list[int]:
    return sorted(rng.sample(range(1, 31), pupils))


def asked(query: str, days: list[int], size: int, relation: str) -> str:
    return (
        f"sl.global_sensitivity({query}, sl.Universe.population({days}), "
        f"size={size}, relation=sl.{relation})"
    )


def sum_swapped(rng: Random) -> Task:
    days, size = days_of(rng, 9), rng.randint(4, 6)
    code = asked("sl.SUM", days, size, "Change(1)")
    return number(
        "moved",
        value(code).value,
        f"moved = {code}.value",
        **about("The sum of a study", "Paper", 1, 5, "by-hand.2 by-hand.3"),
        text=(
            f"Nine pupils were absent on {days} days. {size} of them are studied. How far can "
            "one swap move the *sum* of their days?"
        ),
        given={"days": days, "size": size},
    )


def mean_left(rng: Random) -> Task:
    days, size = days_of(rng, 9), rng.randint(4, 6)
    found = value(asked("sl.MEAN", days, size, "AddRemove(1)"))
    x, y = map(list, found.witness)
    return pair(
        (
            f"pair(sl.MEAN, sl.Universe.population({days}), {size}, sl.AddRemove(1), "
            f"Fraction('{found.value}'))"
        ),
        f"x, y = {x}, {y}",
        f"# The days of {size} pupils, and of their neighbour",
        **about("A witness", "Code", 2, 10, "by-hand.1 by-hand.2 by-hand.4 neighbours.1"),
        text=(
            f"Nine pupils were absent on {days} days. {size} of them are studied, and one leaves "
            "or joins. Find two neighbours whose *means* are as far apart as can be. `x` has "
            f"{size} pupils."
        ),
        given={"days": days, "size": size, "right": found.value},
    )


def top_minus_bottom(rng: Random) -> Task:
    most = rng.choice([2, 3])
    text = (
        f"Write `spread(dataset)`: the sum of the {most} largest numbers of a list, minus {most} "
        "times the smallest. A shorter list counts all it has."
    )
    return function(
        "def spread(dataset):",
        f"    return sum(sorted(dataset)[-{most}:]) - {most} * min(dataset)",
        f"lambda d: sum(sorted(d)[-{most}:]) - {most} * min(d)",
        "[([*x],) for n in range(1, 5) for x in sl.Universe.value_range([1, 2, 5, 9]).datasets(n)]",
        **about("A query of your own", "Code", 2, 10, "by-hand.4"),
        text=text,
        given={"most": most},
    )


def belief_after(rng: Random) -> Task:
    apart, scale, percent = rng.randint(2, 9), rng.randint(4, 20), rng.choice([10, 20, 25, 30, 40])
    odds = percent / (100 - percent) * math.exp(apart / scale)
    code = (
        f"odds = {percent} / {100 - percent} * math.exp({apart} / {scale})\n"
        "belief = odds / (1 + odds)"
    )
    return number(
        "belief",
        odds / (1 + odds),
        f"import math\n{code}",
        **about("What an attacker may believe", "Paper", 1, 5, "noise.1 noise.3"),
        text=(
            f"Neighbouring answers lie at most {apart} apart. One answer gets Laplace noise of "
            f"scale {scale}. An attacker believed in one of two neighbours with {percent} %. How "
            "far can her belief in it rise? (A number between 0 and 1, three digits.)"
        ),
        given={"apart": apart, "scale": scale, "percent": percent},
    )


def promise_broken(rng: Random) -> Task:
    days, size, epsilon = days_of(rng, 9), rng.randint(4, 6), rng.choice(["1/2", "1", "2"])
    claim = days[-2] - days[size - 1]
    moved = value(asked("sl.MAX", days, size, "Change(1)")).value
    return number(
        "kept",
        Fraction(epsilon) * moved / claim,
        (
            f"kept = Fraction('{epsilon}') * {asked('sl.MAX', days, size, 'Change(1)')}.value / "
            f"{claim}"
        ),
        **about("A promise that is not kept", "Paper", 2, 10, "noise.2 noise.4"),
        text=(
            f"Nine pupils were absent on {days} days. {size} of them are studied, and the "
            "*largest* number of days is published. A colleague says that one swap moves it by "
            f"at most {claim}, makes Laplace noise for that and promises $\\varepsilon = "
            f"{epsilon}$. Which ε does her noise keep?"
        ),
        given={"days": days, "size": size, "epsilon": epsilon, "claim": claim},
    )


def neighbours_counted(rng: Random) -> Task:
    everyone, size = rng.randint(7, 10), rng.randint(3, 5)
    code = (
        f"len(list(sl.Change(2).neighbours({tuple(range(1, size + 1))}, "
        f"sl.Universe.population(range(1, {everyone + 1})))))"
    )
    return number(
        "how_many",
        value(code),
        f"how_many = {code}",
        **about("How many neighbours", "Paper", 1, 5, "neighbours.1 neighbours.2"),
        text=(
            f"There are {everyone} people, and a dataset holds {size} of them. How many datasets "
            "does `Change(2)` compare it with, itself included?"
        ),
        given={"everyone": everyone, "size": size},
    )


def used_up(rng: Random) -> Task:
    years, size = sorted(rng.choices(range(1, 10), k=8)), rng.randint(3, 5)
    curve = [value(asked("sl.SUM", years, size, f"Change({k})")).value for k in (1, 2, 3)]
    code = asked("sl.SUM", years, size, "Change(k)")
    return number(
        "total",
        sum(curve),
        f"total = sum({code}.value for k in (1, 2, 3))",
        **about("A curve that bends", "Paper", 2, 10, "school.1 school.2 school.3"),
        text=(
            f"Eight pupils are in the school years {years}, and {size} of them are studied. "
            "Compute the sensitivity of the *sum* of their years with at most 1, 2 and 3 of "
            "them changed. Give the three numbers, added up."
        ),
        given={"years": years, "size": size},
    )


def zigzag(rng: Random) -> Task:
    low, width, size = rng.randint(0, 3), rng.choice([3, 5, 7]), rng.choice([4, 5, 6, 7])
    code = (
        f"sum(sl.global_sensitivity(sl.MEDIAN, sl.Universe.value_range([{low}, {low + width}]), "
        f"size=n, relation=sl.Change(1)).value for n in ({size}, {size + 1}))"
    )
    return number(
        "both",
        value(code),
        f"both = {code}",
        **about("Does it zigzag?", "Paper", 1, 5, "vehicle.1 vehicle.2 vehicle.3"),
        text=(
            f"Ratings go from {low} to {low + width}. How far can the median of {size} ratings "
            f"move if one changes, and the median of {size + 1}? Give the two numbers, added up."
        ),
        given={"low": low, "high": low + width, "size": size},
    )


def largest_proved(rng: Random) -> Task:
    return Task(
        **about("The largest of a study", "Proof", 2, 20, "by-hand.3 school.2 school.4 vehicle.4"),
        text=(
            "A school has $N$ pupils with $a_1 \\le \\dots \\le a_N$ days, and $n < N$ of them "
            "are studied. Prove that one swap moves the *largest* number of days of a study by "
            "at most $a_N - a_n$, and that some swap does. What becomes of the number as the "
            "study grows?"
        ),
        solution=(
            "**2:** every study has a largest of at least $a_n$, since it has $n$ pupils, and of "
            "at most $a_N$. **1:** so two largest numbers differ by at most $a_N - a_n$. **2:** "
            "the pupils $1, \\dots, n - 1$ and $N$ have the largest $a_N$; let $n$ take the place "
            "of $N$, and it is $a_n$. This is one swap, since $n < N$. **1:** it falls, or stays, "
            "as $n$ grows."
        ),
    )


TASKS = [
    sum_swapped,
    mean_left,
    top_minus_bottom,
    belief_after,
    promise_broken,
    neighbours_counted,
    used_up,
    zigzag,
    largest_proved,
]
