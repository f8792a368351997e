"""A formula from numbers: the simplest form that fits small cases,
held to cases that it has not seen.

Forms grow from letters by + − · / min max, up to three letters; of equal values on the seen cases
the shortest stays. The last step is looked up: where a + b must be t, the other side is t − a.
Floats choose, Fractions confirm.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, islice, product
from typing import Any, NamedTuple

import numpy as np

from sensitivity_lab import Infeasible, Query, Relation, Universe, global_sensitivity
from sensitivity_lab.numbers import brief, by_name, is_sequence, number_text

SIGNS = {"min": 1, "max": -1}  # of forms on one side of the target, two that meet it in turn
MOST_OF_AN_AXIS = 100  # so at most a million cases, each an enumeration that its own budget limits
LARGEST_HALF = 3  # letters on either side of the last step, so at most twice as many in all
Letters = dict[str, Fraction]
Asks = Sequence[tuple[Letters, Fraction]]
Level = tuple[list[Any], np.ndarray]  # forms of so many letters, and their values on all cases
JOINED: dict[str, tuple[int, Callable[[Any, Any], Any], Callable[..., Any]]] = {
    # how close it binds, exactly, and of many floats at once
    "min": (3, min, np.minimum), "max": (3, max, np.maximum),
    "·": (2, operator.mul, np.multiply), "/": (2, operator.truediv, np.divide),
    " + ": (1, operator.add, np.add), " − ": (1, operator.sub, np.subtract),
}  # fmt: skip
# For t and one side a, how the other side follows:
# of a + b = t and a·b = t, and of b − a = t and b / a = t.
BACK = {" + ": " − ", "·": "/", " − ": " + ", "/": "·"}


class Case(NamedTuple):
    """One exact sensitivity, and what was asked."""

    universe: Universe
    size: int | range
    relation: Relation
    value: Any
    seen: bool  # while the formula was chosen

    def letters(self) -> Letters:
        """What each letter stands for here; the halves of k and n count as letters."""
        ends, k = (self.universe.exact_values[0], self.universe.exact_values[-1]), self.relation.k
        low, high = (Fraction(end or 0) for end in ends)
        name, n = ("n", self.size) if isinstance(self.size, int) else ("m", min(self.size))
        held: dict[str, Any] = {
            "0": 0, "1": 1, "2": 2, "k": k, name: n, "R": high - low, "U": high, "L": low,
            "max(|L|, |U|)": max(abs(low), abs(high)), "v": self.universe.distinct,
            "⌈k/2⌉": (k + 1) // 2, "⌊k/2⌋": k // 2,
            f"⌈{name}/2⌉": (n + 1) // 2, f"⌊{name}/2⌋": n // 2,
        }  # fmt: skip
        return {letter: Fraction(number) for letter, number in held.items()}


class Form(NamedTuple):
    """A formula: its text, how close that binds, its letters (a half counts as two),
    its exact value."""

    text: str
    binds: int
    weight: int
    at: Callable[[Letters], Fraction | None]

    def joined(self, op: str, other: Form) -> Form:
        """Both, joined by an operation."""
        binds, exactly, _ = JOINED[op]

        def at(letters: Letters) -> Fraction | None:
            a, b = self.at(letters), other.at(letters)
            return None if a is None or b is None or (op == "/" and not b) else exactly(a, b)

        mine, others = (
            form.text if form.binds >= least else f"({form.text})"
            for form, least in ((self, binds), (other, binds + (op in ("/", " − "))))
        )
        text = f"{op}({self.text}, {other.text})" if op in SIGNS else f"{mine}{op}{others}"
        return Form(text, binds, self.weight + other.weight, at)


@dataclass(frozen=True)
class Conjecture:
    """A formula that fits small cases; what it says of others is no answer.

    `status` is "conjecture" (it fits the unseen cases, too), "refuted" (by the `counterexample`, of
    which the formula says `said`) or "none" (no form of at most six letters fits what was seen).
    `cases` are all that were asked.
    """

    query: str
    formula: str | None
    status: str
    cases: tuple[Case, ...]
    fits: int = 0
    counterexample: Case | None = None
    said: Any = None

    def __repr__(self) -> str:
        of, seen = len(self.cases), sum(case.seen for case in self.cases)
        if self.formula is None:
            return f"{self.query}: no form of {2 * LARGEST_HALF} letters fits the {seen} cases seen"
        fits = f"{self.query}: {self.formula} fits {self.fits} of {of}, "
        if self.counterexample is None:
            return f"{fits}{of - seen} of them unseen: a conjecture, not a proof"
        universe, size, relation, value, _ = self.counterexample
        said = "no number" if self.said is None else number_text(self.said)
        told = f"{number_text(value)} for {relation}, size {size}, {universe}, and not {said}"
        return f"{fits}the {seen} seen among them: refuted by {told}"


@by_name
def conjecture(
    query: Query | Callable[[Any], Any],
    universes: Universe | Iterable[Universe],
    *,
    sizes: int | Iterable[int | range],
    relations: Relation | Iterable[Relation],
) -> Conjecture:
    """Return the simplest formula that fits exact sensitivities of small cases, held to others.

    >>> import sensitivity_lab as sl
    >>> scales = [sl.Universe.value_range([0, R]) for R in (1, 2, 5)]
    >>> changes = [sl.Change(k) for k in (1, 2, 3, 4)]
    >>> conjecture(sl.MEAN, scales, sizes=range(1, 9), relations=changes)
    mean: R·min(k, n)/n fits 96 of 96, 54 of them unseen: a conjecture, not a proof

    The last universe, size and relation stay unseen, of each where there are several. Letters are
    k, the size n (of a range its least, m), the ends L and U, R = U − L, ``max(|L|, |U|)``, v
    different values, and halves. Where even and odd sizes have a form each, both are said. Let
    letters differ: with L = 0 everywhere nothing tells R from U. Nothing here is an answer:
    `closed_form` has proved ones.

    Cost: `global_sensitivity` for each case, then some seconds. Raises its errors, but leaves out
    what is not feasible; ValueError where too few cases are left, and for relations of several
    kinds.
    """
    asked = query
    if not isinstance(asked, Query):
        asked = Query(getattr(query, "__name__", "query"), query)
    axes = {"universes": universes, "sizes": sizes, "relations": relations}
    cases = tuple(_cases(asked, *(_listed_axis(name, given) for name, given in axes.items())))
    seen = [case.seen for case in cases]
    if sum(seen) < 4 or all(seen):
        got = f"{sum(seen)} and {len(seen) - sum(seen)}: give more universes, sizes, relations"
        raise ValueError(f"cases must be 4 to see and 1 unseen at the least, got {got}")
    asks = [(case.letters(), Fraction(case.value)) for case in cases]
    forms = _simplest([ask for ask, case in zip(asks, cases, strict=True) if case.seen])
    if not forms:
        return Conjecture(asked.name, None, "none", cases)
    said = [forms[_odd(letters) if len(forms) == 2 else 0].at(letters) for letters, _ in asks]
    wrong = [i for i, (_, target) in enumerate(asks) if said[i] != target]
    texts = " for even sizes, ".join(form.text for form in forms) + " for odd" * (len(forms) - 1)
    fits, result = len(cases) - len(wrong), (asked.name, texts)
    if not wrong:
        return Conjecture(*result, "conjecture", cases, fits)
    return Conjecture(*result, "refuted", cases, fits, cases[wrong[0]], said[wrong[0]])


def _listed_axis(name: str, given: Any) -> tuple[Any, ...]:
    """Some universes, sizes or relations; one alone counts as a list of it."""
    if isinstance(given, (int, Universe, Relation)):
        return (given,)
    if not is_sequence(given) or isinstance(given, Mapping):
        raise TypeError(f"{name} must be a list, as range(1, 9) for sizes, got {brief(given)}")
    if len(listed := tuple(islice(given, MOST_OF_AN_AXIS + 1))) > MOST_OF_AN_AXIS:
        raise ValueError(f"{name} must be at most {MOST_OF_AN_AXIS}, got more: small cases do")
    return listed


def _cases(query: Query, *axes: tuple[Any, ...]) -> Iterator[Case]:
    """Each feasible setting with its sensitivity;
    of each axis the last is unseen, if it has several."""
    if len({type(relation) for relation in axes[2]}) > 1:
        raise ValueError(f"relations must be of one kind, got {brief(axes[2])}")
    lasts = [axis[-1] for axis in axes if len(axis) > 1]
    for given in product(*axes):
        try:
            found = global_sensitivity(query, given[0], size=given[1], relation=given[2])
        except Infeasible:
            continue
        if isinstance(found.value, float) or not given[0].numeric or given[0].has_missing:
            raise ValueError(f"records and answers must be exact numbers, got {brief(found.value)}")
        if not found.not_asked and (given[2].at_most or not found.infeasible):
            seen = not any(one is last for one in given for last in lasts)
            yield Case(given[0], given[1], given[2], found.value, seen)


def _odd(letters: Letters) -> int:
    return int(letters.get("n", letters.get("m", Fraction(0)))) % 2


def _simplest(asks: Asks) -> list[Form]:
    """The form with the fewest letters, or two, for even and odd sizes, if these have fewer."""
    whole = _fitting(asks)
    parts = [[ask for ask in asks if _odd(ask[0]) == odd] for odd in (0, 1)]
    if min(map(len, parts)) < 3 or (whole and whole[0].weight <= LARGEST_HALF):
        return whole
    halves = [form for part in parts for form in _fitting(part)]
    fewer = not whole or sum(form.weight for form in halves) < whole[0].weight
    return halves if len(halves) == 2 and fewer else whole


@np.errstate(all="ignore")
def _fitting(asks: Asks) -> list[Form]:
    """The form with the fewest letters that fits all, if any does."""
    target = np.array([float(wanted) for _, wanted in asks], dtype=float)
    forms, rows = _grown_forms([letters for letters, _ in asks])
    place = {row.tobytes(): i for i, row in enumerate(rows)}
    fits = [forms[place[key]]] if (key := _rounded(target).tobytes()) in place else []
    for op, back in BACK.items():
        for form, row in zip(forms, _rounded(JOINED[back][2](target, rows)), strict=True):
            if (other := place.get(row.tobytes())) is not None:
                fits.append(forms[other].joined(op, form))
    for op, sign in SIGNS.items():
        meets: dict[bytes, Form] = {}
        for i in np.flatnonzero((sign * (rows - target) > -1e-9).all(axis=1)):
            meets.setdefault((abs(rows[i] - target) < 1e-9).tobytes(), forms[i])
        for (x, a), (y, b) in combinations(meets.items(), 2):
            if all(map(operator.or_, x, y)):
                fits.append(a.joined(op, b))
    fits.sort(key=lambda f: (f.weight, f.text.count("/"), len(f.text), -f.text.rfind("/")))
    exact = (f for f in fits if all(f.at(letters) == wanted for letters, wanted in asks))
    return [*islice(exact, 1)]


def _grown_forms(cases: Sequence[Letters]) -> Level:
    """Forms of up to three letters, and their values (forms, cases); of equal ones the first."""
    known = [Form(name, 3, 1 + (name[0] in "⌈⌊"), operator.itemgetter(name)) for name in cases[0]]
    made: Iterable[Any] = (
        (f, np.array([float(f.at(case) or 0) for case in cases], dtype=float)) for f in known
    )
    held: dict[bytes, Any] = {}
    levels: list[Level] = []
    while len(levels) < LARGEST_HALF:
        new: dict[bytes, Any] = {}
        for form, row in made:
            if (key := row.tobytes()) not in held and key not in new:
                new[key] = form if isinstance(form, Form) else form[0].joined(*form[1:]), row
        held |= new
        levels.append(_level(new))
        made = chain(*(_joined_levels(*sides) for sides in zip(levels, levels[::-1], strict=True)))
    return _level(held)


def _level(held: dict[bytes, Any]) -> Level:
    """The forms that are held, and their values."""
    forms, rows = ([one[i] for one in held.values()] for i in (0, 1))
    return forms, np.array(rows, dtype=float)


def _joined_levels(left: Level, right: Level) -> Iterator[tuple[Any, np.ndarray]]:
    """Each form of one level with each of another, by every operation;
    the text is made if it is needed."""
    (a, x), (b, y) = left, right
    for op in JOINED:
        rows = _rounded(JOINED[op][2](x[:, None], y))
        for i, j in np.argwhere(np.isfinite(rows).all(axis=2)):
            yield (a[i], op, b[j]), rows[i, j]


def _rounded(rows: np.ndarray) -> np.ndarray:
    rounded: np.ndarray = np.round(rows, 9) + 0.0
    return rounded
