"""Assignment 3: tables, people, audits."""

import math
from fractions import Fraction
from random import Random

from assignments.task import Task, about, function, number, pair, value

TITLE = "Rows, people and other people's claims"


def join_moves(rng: Random) -> Task:
    low, high, size = rng.choice([10, 20, 30]), rng.choice([50, 70, 90]), rng.choice([2, 3])
    statement = (
        "SELECT COALESCE(SUM(b.salary - a.salary), 0) FROM staff AS a JOIN staff AS b USING "
        "(team) WHERE a.salary < b.salary"
    )
    code = (
        f"sl.global_sensitivity(sl.sql({statement!r}), sl.Universe.product(team=['art', 'law'], "
        f"salary=[{low}, {high}], name='staff'), size={size}, relation=sl.SymmetricDifference(1))"
    )
    return number(
        "moved",
        value(code).value,
        f"moved = {code}.value",
        **about("A join moves a row for each partner", "Paper", 1, 10, "tables.1 tables.2"),
        text=(
            f"An office has the teams art and law, and salaries of {low} or {high}. It publishes "
            f"the answer to\n\n```sql\n{statement}\n```\n\n"
            f"for a table of {size} people. How far can one person who joins or leaves move it?"
        ),
        given={"low": low, "high": high, "size": size},
    )


def above_average(rng: Random) -> Task:
    values, size = sorted(rng.sample(range(10, 100, 5), 3)), rng.choice([3, 4, 5])
    setting = (
        "def above(salaries):\n    return sum(one * len(salaries) > sum(salaries) for one in "
        "salaries)"
    )
    return pair(
        (
            "pair(lambda d: sum(one * len(d) > sum(d) for one in d), "
            f"sl.Universe.value_range({values}), {size}, sl.SymmetricDifference(1), {size})"
        ),
        f"x, y = [{values[1]}] * {size}, [{values[1]}] * {size} + [{values[0]}]",
        setting,
        **about("A subquery lets everybody move", "Paper", 2, 10, "tables.2 tables.3"),
        text=(
            f"{size} people earn {values[0]}, {values[1]} or {values[2]}. `above` counts those "
            "who earn more than the average. A colleague says that one person who joins or "
            f"leaves moves it by 1. Find a pair for which it moves by {size}."
        ),
        given={"values": values, "size": size},
    )


def classes_taken(rng: Random) -> Task:
    days, most = rng.randint(3, 8), rng.randint(2, 4)
    code = (
        "sl.global_sensitivity(lambda weeks: tuple(map(sum, zip(*weeks))), "
        f"sl.Universe.value_range([(0,) * {days}, ({most},) * {days}]), size=1, "
        "relation=sl.Change(1), norm=2).value"
    )
    return number(
        "moved",
        float(value(code)),
        f"moved = {code}",
        **about("One person in many groups", "Paper", 1, 5, "people.1 people.2"),
        text=(
            f"A gym publishes how many visits it had in each of {days} months. A member counts "
            f"at most {most} times in a month, and joins or leaves with all visits. How far do "
            "the counts move in L2? (Three digits.)"
        ),
        given={"days": days, "most": most},
    )


def bounded_person(rng: Random) -> Task:
    rows = [(name, rng.randint(1, 40)) for name in ["Ann", "Bea", "Cy", "Dee"] for _ in range(3)]
    most, cap = rng.choice([1, 2]), rng.randint(25, 35)
    names, prices = map(list, zip(*rows, strict=True))
    code = f"""import pandas as pd
orders = pd.DataFrame({{"person": {names}, "price": {prices}}})
buyers = sl.Universe.people(orders, id="person")
buyers = buyers.truncated(clip={{"price": (0, {cap})}}, rows={most}, keep="price")
moved = sl.global_sensitivity(sl.SUM.of("price"), buyers, size=3, relation=sl.AddRemove(1)).value"""
    return number(
        "moved",
        value("moved", code),
        code,
        **about("A person with bounds", "Paper", 2, 10, "people.2 people.3 tables.4"),
        text=(
            f"Four people placed orders: {', '.join(f'{name} {price}' for name, price in rows)}. "
            f"Each price is clipped to $(0, {cap})$, and only the "
            f"{'cheapest order' if most == 1 else 'two cheapest orders'} of a person counted. "
            "Three of the four are in the table. How far can one of them who joins or leaves "
            "move the sum?"
        ),
        given={"rows": rows, "most": most, "cap": cap},
    )


def person_changed(rng: Random) -> Task:
    back, fine, most = rng.randint(2, 9), rng.randint(10, 30), rng.randint(2, 4)
    code = (
        f"sl.global_sensitivity(sl.SUM, sl.Universe.value_range([{-back * most}, "
        f"{fine * most}]), size=1, relation=sl.Change(1)).value"
    )
    return number(
        "moved",
        value(code),
        f"moved = {code}",
        **about("One person for another", "Paper", 1, 5, "people.1 people.3"),
        text=(
            f"Readers pay fines of at most {fine}, and get at most {back} back, a fine of "
            f"{-back}. At most {most} rows a person are counted. One person is *changed* for "
            "another. How far does the sum move at most?"
        ),
        given={"back": back, "fine": fine, "most": most},
    )


def kept_rows(rng: Random) -> Task:
    most, cap = rng.choice([2, 3]), rng.randint(5, 9)
    body = f"""    total, kept = 0, {{}}
    for person, price in sorted(rows, key=lambda row: -row[1]):
        kept[person] = kept.get(person, 0) + 1
        if kept[person] <= {most}:
            total += min(price, {cap})
    return total"""
    reference = (
        f"lambda rows: sum(sum(sorted((min(p, {cap}) for who, p in rows if who == one), "
        f"reverse=True)[:{most}]) for one in {{who for who, _ in rows}})"
    )
    return function(
        "def bounded(rows):",
        body,
        reference,
        "[([*zip(x[::2], x[1::2])],) for x in (('a', 1), ('a', 4, 'a', 12), ('a', 3, 'b', 7, 'a', "
        "2, 'a', 9), ('a', 20, 'b', 20, 'a', 1, 'b', 2, 'a', 6, 'b', 5, 'a', 7))]",
        **about("Bound the rows yourself", "Code", 2, 15, "people.3 people.4"),
        text=(
            "Write `bounded(rows)`. A row is a person and a price, such as `('Ann', 4)`. Clip "
            f"each price at {cap}, keep the {most} largest prices of each person, and return "
            "their sum."
        ),
        given={"most": most, "cap": cap},
    )


def guesses_right(rng: Random) -> Task:
    times, epsilon = rng.choice(["3/2", "2", "4/3", "5/2"]), rng.choice(["1/2", "1", "3/4"])
    kept = float(Fraction(times) * Fraction(epsilon))
    return number(
        "right",
        math.exp(kept) / (1 + math.exp(kept)),
        (
            f"import math\nkept = float(Fraction('{times}') * Fraction('{epsilon}'))\n"
            "right = 1 / (1 + math.exp(-kept))"
        ),
        **about("What too small a claim costs", "Paper", 1, 5, "audits.2 audits.4"),
        text=(
            f"An audit says of a claim: too small by a factor of {times}. Noise was made for it, "
            f"with $\\varepsilon = {epsilon}$. How often, at most, is an attacker right who is "
            "told that one of two neighbours is the table, each equally likely? (A number "
            "between 0 and 1, three digits.)"
        ),
        given={"times": times, "epsilon": epsilon},
    )


def trimmed_breaks(rng: Random) -> Task:
    low, size = rng.randint(0, 3), rng.choice([3, 4, 5])
    high = low + rng.randint(3, 7)
    setting = (
        "def trimmed(d):\n    middle = sorted(d)[1:-1]\n"
        "    return Fraction(sum(middle), len(middle))"
    )
    universe = f"sl.Universe.value_range(range({low}, {high + 1}))"
    code = f"sl.global_sensitivity(trimmed, {universe}, size={size}, relation=sl.Change(1))"
    found = value(code, setting)
    return pair(
        (
            f"pair(lambda d: Fraction(sum(sorted(d)[1:-1]), len(d) - 2), {universe}, {size}, "
            f"sl.Change(1), Fraction('{found.value}'))"
        ),
        f"x, y = map(list, {code}.witness)",
        setting,
        **about("A claim about a trimmed mean", "Code", 2, 10, "audits.1 audits.2"),
        text=(
            f"`trimmed` drops the smallest and the largest of {size} ratings from {low} to "
            f"{high}, and averages the rest. Somebody claims that one changed rating moves it by "
            f"at most {Fraction(high - low, size)}, the range divided by the size. Find the pair "
            "that breaks the claim by most."
        ),
        given={"low": low, "high": high, "size": size, "right": found.value},
    )


def claim_mended(rng: Random) -> Task:
    width = rng.choice([4, 5, 6, 8])
    return function(
        "def claim(n):",
        f"    return Fraction({width}, 1 if n == 1 else 2)",
        (
            "lambda n: sl.global_sensitivity(lambda d: Fraction(min(d) + max(d), 2), "
            f"sl.Universe.value_range([0, {width}]), size=n, relation=sl.Change(1)).value"
        ),
        "[(n,) for n in range(1, 7)]",
        **about("A claim that is exact", "Code", 2, 10, "audits.1 audits.3"),
        text=(
            f"Ratings lie in a range of width {width}. Write `claim(n)`: how far the *midrange*, "
            "halfway between the smallest and the largest, of $n$ ratings can move if one "
            "changes. It should be exact at sizes 1 to 6."
        ),
        given={"width": width},
    )


def report_written(rng: Random) -> Task:
    return Task(
        **about(
            "An audit of your own", "Report", 3, 45, "audits.1 audits.3 published.3 published.4"
        ),
        text=(
            "Take a function that you wrote, or one of a library. State its claim, relation, "
            "bounds and sizes. Hold it to every pair with `sl.audit`, and write half a page: the "
            "verdict, its scope, the smallest witness if there is one, what an attacker gains, "
            "and the line that now stands in your tests."
        ),
        solution=(
            "**2:** claim, relation, bounds and sizes are all stated. **3:** the audit runs, and "
            "its verdict is read rightly: *too small* is a proof, *exact* and *loose* hold for "
            "what was asked. **2:** the witness is the smallest, or the report says why there is "
            "none. **1:** what an attacker gains is a number. **1:** the test fails if the claim "
            "is made smaller."
        ),
    )


TASKS = [
    join_moves,
    above_average,
    classes_taken,
    bounded_person,
    person_changed,
    kept_rows,
    guesses_right,
    trimmed_breaks,
    claim_mended,
    report_written,
]
