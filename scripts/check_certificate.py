"""Check certificates, or a whole board of claims: python check_certificate.py FILE.json ...

It needs Python 3.11 and nothing else; it imports no part of Sensitivity Lab. A certificate holds a
claim about a function, the widest pair of neighbouring datasets, and where they are few the
function's answers on all datasets. Checked are: that the two are neighbours, that their answers
are as far apart as it says, that the verdict follows, and, with all answers there, that no two
neighbours have answers further apart. The answers are the library's: ask it again by `make audit`.
"""

import json
import math
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

CLOSE = Fraction(1, 10**9)  # of the larger: floats this close are one number
OF_RECORDS = ("Change", "Add", "Remove", "SymmetricDifference", "symmetric distance", "Person")


def main(paths):
    failed = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        for one in told.get("cases", [told]):
            try:
                print(f"{one.get('address', path)}: {checked(one)}")
            except (KeyError, TypeError, ValueError) as error:
                failed += 1
                print(f"{one.get('address', path)}: NOT RIGHT: {type(error).__name__}: {error}")
    return failed


def checked(told):
    """What of a certificate was checked, in words; ValueError where it is not right."""
    claimed, exact = plain(told["claimed"]), plain(told["exact"])
    verdict = "exact" if same(claimed, exact) else "too small" if claimed < exact else "loose"
    require(verdict == told["verdict"], f"the numbers say {verdict}")
    require(told["proved"] == "exact" or verdict == "too small", "one pair proves no such verdict")
    if told["witness"] is None:
        return f"{verdict}, as its numbers say; no witness is stored"
    pair = [plain(told["witness"][side]) for side in ("dataset", "neighbour")]
    answers = plain(told["witness"]["answers"])
    near = neighbours(told["relation"], *pair, *map(Counter, pair))
    require(near is not False, "the two datasets are no neighbours")
    require(same(distance(told["norm"], *answers), exact), "the answers are not that far apart")
    done = f"{verdict}; the witness is right{'' if near else ', but for its relation: judge it'}"
    if not told["answers"]:
        return f"{done}; that no pair is wider is not checked"
    table = [(plain(dataset), plain(answer)) for dataset, answer in told["answers"]]
    require(set(zip(pair, answers, strict=True)) <= set(table), "the witness is not in the table")
    require(
        is_complete(told["universe"], table), "datasets are missing from the table, or twice there"
    )
    return f"{done}; {none_wider(told, table, exact)}"


def none_wider(told, table, exact):
    """Go through all pairs of the table; say how many neighbours there were."""
    widest, pairs = 0, 0
    counted = [(dataset, Counter(dataset), answer) for dataset, answer in table]
    for (x, in_x, one), (y, in_y, other) in combinations(counted, 2):
        asked = told["size"] in (None, len(x), len(y))
        ways = ((x, y, in_x, in_y), (y, x, in_y, in_x)) if asked else ()
        if any(neighbours(told["relation"], *way) for way in ways):
            pairs += 1
            widest = max(widest, distance(told["norm"], one, other))
    require(same(widest, exact), f"the widest pair of the table is {float(widest):.6g} apart")
    return f"none of {pairs:,} neighbouring pairs of {len(table):,} datasets is wider"


def is_complete(universe, table):
    """Whether a table holds all datasets of some sizes from some values, each once, or those listed."""
    if universe == "those listed":
        return len(dict(table)) == len(table)
    (low, high), values = universe["sizes"], [plain(value) for value in universe["values"]]
    every = [d for n in range(low, high + 1) for d in combinations_with_replacement(values, n)]
    return len(every) == len(table) and bags(every) == bags(dataset for dataset, _ in table)


def neighbours(relation, x, y, in_x, in_y):
    """Whether two datasets are neighbours; None for a relation that is not known here."""
    name, k = relation["name"], plain(relation["k"])
    if name in ("L1 distance", "L2 distance"):
        return len(x) == len(y) and distance(name[:2], x, y) <= k
    if name not in OF_RECORDS:
        return None
    gone, new = (in_x - in_y).total(), (in_y - in_x).total()
    if name in ("Add", "Remove"):
        return (gone, new) == ((0, k) if name == "Add" else (k, 0))
    return len(x) == len(y) and gone <= k if name == "Change" else gone + new <= k


def distance(norm, x, y):
    """How far apart two answers are: numbers, vectors, or datasets by their symmetric distance."""
    if norm == "symmetric distance":
        return ((Counter(x) - Counter(y)) + (Counter(y) - Counter(x))).total()
    gaps = [abs(a - b) for a, b in zip(flat(x), flat(y), strict=True)]
    length = {
        "L1": sum,
        "L∞": lambda gaps: max(gaps, default=0),
        "L2": lambda gaps: math.hypot(*gaps),
    }
    return length[norm](gaps)


def require(condition, message):
    if not condition:
        raise ValueError(message)


def flat(answer):
    return [n for part in answer for n in flat(part)] if isinstance(answer, tuple) else [answer]


def bags(datasets):
    return {frozenset(Counter(dataset).items()) for dataset in datasets}


def same(a, b):
    return a == b or (max(a, b) < math.inf and abs(a - b) <= CLOSE * Fraction(max(a, b)))


def plain(value):
    """What is written, read: numbers exactly, sequences as tuples."""
    if isinstance(value, list):
        return tuple(map(plain, value))
    if isinstance(value, dict) and "runs" in value:
        return tuple(plain(part) for part, copies in value["runs"] for _ in range(copies))
    if value is None or isinstance(value, str):
        return value
    text = value["number"] if isinstance(value, dict) else value
    return float(text) if text in ("inf", "-inf") else Fraction(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
