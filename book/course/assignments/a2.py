"""Assignment 2: closed forms and clipping."""

from fractions import Fraction
from random import Random

from assignments.task import Task, about, function, number, pair, value

TITLE = "Which formula, and which bounds?"


def bounds_of(rng: Random) -> tuple[int, int]:
    """Bounds of both signs, or of one: never with 0 as an end, where two formulas agree."""
    low = rng.choice([-5, -4, -3, -2, 1, 2, 3])
    return low, (rng.randint(1, 9) if low < 0 else low + rng.randint(2, 7))


def both_formulas(rng: Random) -> Task:
    (low, high), k = bounds_of(rng), rng.randint(2, 4)
    code = (
        f"sum(sl.global_sensitivity(sl.SUM, sl.Universe.value_range([{low}, {high}]), size=5, "
        f"relation=family({k})).value for family in (sl.Change, sl.SymmetricDifference))"
    )
    return number(
        "both",
        value(code),
        f"both = {code}",
        **about("Two formulas for one sum", "Paper", 1, 5, "closed-forms.2 clipping.2"),
        text=(
            f"Five records are clipped to $({low}, {high})$ and added up. How far does the sum "
            f"move if at most {k} of them are changed, and how far if at most {k} come or go? "
            "Give the two numbers, added up."
        ),
        given={"low": low, "high": high, "k": k},
    )


def mix_refutes(rng: Random) -> Task:
    high, k = rng.randint(3, 9), rng.choice([2, 3, 4])
    claim = Fraction(k * high, 1 + k)
    universe = f"sl.Universe.value_range(range({high + 1}))"
    ends = (
        f"sl.global_sensitivity(sl.MEAN, sl.Universe.value_range([0, {high}]), size=range(1, "
        f"{2 * k + 2}), relation=sl.SymmetricDifference({k}))"
    )
    return pair(
        (
            f"pair(sl.MEAN, {universe}, None, sl.SymmetricDifference({k}), "
            f"Fraction('{claim}') + Fraction(1, 100))"
        ),
        f"x, y = map(list, {ends}.witness)",
        f"# Whole numbers from 0 to {high}, one or more in each",
        **about("A formula is refuted", "Paper", 2, 10, "closed-forms.1 closed-forms.3"),
        text=(
            f"Datasets have at least one record, all from 0 to {high}, and at most {k} records "
            f"come or go. A formula gives $kR/(1 + k) = {claim}$ for the mean. Find two datasets "
            "within that distance whose means are further apart."
        ),
        given={"high": high, "k": k, "claim": claim},
    )


def mean_of_many(rng: Random) -> Task:
    (low, high), m = bounds_of(rng), rng.randint(6, 20)
    code = (
        f"sl.closed_form(sl.MEAN, bounds=({low}, {high}), min_size={m}, "
        "relation=sl.SymmetricDifference(1)).value"
    )
    return number(
        "moved",
        value(code),
        f"moved = {code}",
        **about("At least so many", "Paper", 1, 5, "closed-forms.1"),
        text=(
            f"Records lie between {low} and {high}. There are at least {m} of them, whoever "
            "comes or goes, and one comes or goes. How far can the mean move?"
        ),
        given={"low": low, "high": high, "m": m},
    )


def spread_of_some(rng: Random) -> Task:
    size, high, k = rng.choice([5, 6, 7]), rng.randint(2, 6), rng.choice([2, 3])
    code = (
        f"sl.global_sensitivity(sl.VARIANCE, sl.Universe.value_range([0, {high}]), size={size}, "
        f"relation=sl.Change({k})).value"
    )
    return number(
        "moved",
        value(code),
        f"moved = {code}",
        **about("Steps add up to too much", "Paper", 2, 10, "closed-forms.1 closed-forms.4"),
        text=(
            f"Of {size} records between 0 and {high} at most {k} are changed. How far can their "
            f"variance move (the mean squared distance from the mean)? {k} times the number for "
            "one change is too much."
        ),
        given={"size": size, "high": high, "k": k},
    )


def ends_miss_it(rng: Random) -> Task:
    start, top = rng.choice([(3, 4), (2, 4), (5, 4), (6, 5), (3, 5)])
    setting = f"def late(dataset):\n    return max(0, min(sum(dataset) - {start}, {top}))"
    universe = f"sl.Universe.value_range(range({top + 1}))"
    code = f"sl.global_sensitivity(late, {universe}, size=3, relation=sl.Change(1))"
    found = value(code, setting)
    return pair(
        (
            f"pair(lambda d: max(0, min(sum(d) - {start}, {top})), {universe}, 3, sl.Change(1), "
            f"{found.value})"
        ),
        f"x, y = map(list, {code}.witness)",
        setting,
        **about("Where the two ends miss it", "Code", 2, 10, "closed-forms.3 closed-forms.4"),
        text=(
            f"A sum starts to count at {start} and stops {top} later. Records are whole numbers "
            f"from 0 to {top}. Find three, and the same three with one changed, between which it "
            "moves as far as it can."
        ),
        given={"start": start, "top": top, "right": found.value},
    )


def clipped_total(rng: Random) -> Task:
    low, high = bounds_of(rng)
    total = f"sum(min(max(x, {low}), {high}) for x in d)"
    return function(
        "def clipped(d):",
        f"    return {total}",
        f"lambda d: {total}",
        "[([*x],) for n in (1, 2) for x in sl.Universe.value_range([-9, 0, 2, 15]).datasets(n)]",
        **about("Clip it", "Code", 1, 5, "clipping.1"),
        text=(
            "Write `clipped(d)`: the sum of a list, each number of which is first clipped to "
            f"$({low}, {high})$."
        ),
        given={"low": low, "high": high},
    )


def error(ages: list[int], bound: int, epsilon: Fraction) -> Fraction:
    """The squared error of a clipped sum: what it loses, and the variance of its noise."""
    lost = sum(max(age - bound, 0) for age in ages)
    return lost**2 + 2 * (bound / epsilon) ** 2


def best_bound(rng: Random) -> Task:
    epsilon = rng.choice([Fraction(1), Fraction(1, 2)])
    while True:  # until one bound is better than all others
        ages = sorted(rng.sample(range(5, 95), 12))
        first, second = sorted(range(1, 101), key=lambda b: error(ages, b, epsilon))[:2]
        if error(ages, first, epsilon) < error(ages, second, epsilon):
            break
    code = f"""def error(bound):
    lost = sum(max(age - bound, 0) for age in {ages})
    return lost ** 2 + 2 * (bound / Fraction('{epsilon}')) ** 2
bound = min(range(1, 101), key=error)"""
    return number(
        "bound",
        first,
        code,
        **about("The best bound", "Code", 3, 15, "clipping.3 clipping.4"),
        text=(
            f"Twelve people are {ages} years old. Their ages are clipped to $(0, U)$ and added "
            f"up, with Laplace noise for $\\varepsilon = {epsilon}$; one person joins or leaves. "
            "Which whole number $U$ has the least expected squared error? (In truth nobody may "
            "look at the ages to choose it. Say why, in a comment.)"
        ),
        given={"ages": ages, "epsilon": epsilon},
    )


def mean_proved(rng: Random) -> Task:
    return Task(
        **about("The mean of at least m", "Proof", 2, 20, "closed-forms.4 clipping.2"),
        text=(
            "Let all datasets have at least $m \\ge 1$ records between $L$ and $U$. One record "
            "joins or leaves, and both datasets have at least $m$. Prove that the mean moves by "
            "at most $(U - L)/(m + 1)$, and that some pair attains it."
        ),
        solution=(
            "**1:** by symmetry let a record $r$ join $n \\ge m$ others, whose mean is $\\mu$. "
            "**2:** the new mean is $(n\\mu + r)/(n + 1)$, and the gap is $|r - \\mu|/(n + 1)$. "
            "**2:** both $r$ and $\\mu$ lie between $L$ and $U$, and $n \\ge m$: at most $(U - "
            "L)/(m + 1)$. **1:** attained by $m$ records $L$ that a record $U$ joins."
        ),
    )


TASKS = [
    both_formulas,
    mix_refutes,
    mean_of_many,
    spread_of_some,
    ends_miss_it,
    clipped_total,
    best_bound,
    mean_proved,
]
