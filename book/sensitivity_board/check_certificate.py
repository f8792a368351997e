"""Check certificates, or a whole board of claims: python check_certificate.py FILE.json ...

A certificate has a claim, the widest pair of neighbours, and if they are few the answers on all
datasets. Checked are: that the two are neighbours, that their answers are as far apart as it says,
that the verdict follows, and, of all answers, that no pair is wider. The answers are the library's.
"""

import json
import math
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from pathlib import Path


def main(paths):
    failed = 0
    for path in paths:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
        for one in told.get("cases", [told]):
            try:
                said = checked(one)
            except (KeyError, TypeError, ValueError) as error:
                failed, said = failed + 1, f"NOT RIGHT: {type(error).__name__}: {error}"
            print(f"{one.get('address', path)}: {said}")
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
    require(is_complete(told["universe"], table), "datasets are missing, or there twice")
    return f"{done}; {none_wider(told, table, exact)}"


def none_wider(told, table, exact):
    widest, pairs, relation = 0, 0, told["relation"]
    counted = [(dataset, Counter(dataset), answer) for dataset, answer in table]
    for (x, in_x, one), (y, in_y, other) in combinations(counted, 2):
        near = neighbours(relation, x, y, in_x, in_y) or neighbours(relation, y, x, in_y, in_x)
        if near and told["size"] in (None, len(x), len(y)):
            pairs += 1
            widest = max(widest, distance(told["norm"], one, other))
    require(same(widest, exact), f"the widest pair of the table is {float(widest):.6g} apart")
    return f"none of {pairs:,} neighbouring pairs of {len(table):,} datasets is wider"


def is_complete(universe, table):
    if universe == "those listed":
        return len(dict(table)) == len(table)
    (low, high), values = universe["sizes"], plain(universe["values"])
    every = [d for n in range(low, high + 1) for d in combinations_with_replacement(values, n)]
    bags = ({frozenset(Counter(d).items()) for d in some} for some in (every, dict(table)))
    return len(every) == len(table) and next(bags) == next(bags)


def neighbours(relation, x, y, in_x, in_y):
    """Whether two datasets are neighbours; None for a relation that is not known here."""
    name, k = relation["name"], plain(relation["k"])
    if name in ("L1 distance", "L2 distance"):
        return len(x) == len(y) and distance(name[:2], x, y) <= k
    if name in ("symmetric distance", "EachSide"):
        tables = zip(x, y, strict=True) if name == "EachSide" else [(x, y)]
        return all(distance("symmetric distance", *sides) <= k for sides in tables)
    if name not in ("Change", "Add", "Remove", "SymmetricDifference", "Person"):
        return None
    gone, new = (in_x - in_y).total(), (in_y - in_x).total()
    if name in ("Add", "Remove"):
        return (gone, new) == ((0, k) if name == "Add" else (k, 0))
    return len(x) == len(y) and gone <= k if name == "Change" else gone + new <= k


def distance(norm, x, y):
    """How far apart two answers are: numbers, vectors, or datasets by their symmetric distance."""
    if norm == "symmetric distance":
        return ((Counter(x) - Counter(y)) + (Counter(y) - Counter(x))).total()
    x, y = (answer if isinstance(answer, tuple) else (answer,) for answer in (x, y))
    gaps = [abs(a - b) for a, b in zip(x, y, strict=True)]
    return math.hypot(*gaps) if norm == "L2" else {"L1": sum, "L∞": max}[norm]([0, *gaps])


def require(condition, message):
    if not condition:
        raise ValueError(message)


def same(a, b):
    return a == b or abs(a - b) * 10**9 <= max(a, b) < math.inf  # the rounding of floats


def plain(value):
    """What is written, read: numbers exactly, sequences as tuples."""
    if isinstance(value, list):
        return tuple(map(plain, value))
    if isinstance(value, dict) and "runs" in value:
        return tuple(one for part, copies in value["runs"] for one in [plain(part)] * copies)
    if value is None or isinstance(value, str):
        return value
    text = value["number"] if isinstance(value, dict) else value
    return float(text) if text in ("inf", "-inf") else Fraction(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
