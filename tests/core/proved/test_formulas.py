"""The formulas in print: each text is evaluated as it stands."""

import math
import re
from fractions import Fraction
from itertools import product

import pytest
from conftest import STANDARD as RELATIONS
from conftest import a_third, intervals, refused
from routes import FORMULAS, letters

import sensitivity_lab as sl

FURTHER_DDOF = [(spread(ddof=d), 1) for spread in (sl.variance, sl.std) for d in (2, 3, 4, 5)]
VALUES = 4  # what count_distinct is told; the other queries do not ask
LETTERS = str.maketrans(
    {"·": "*", "−": "-", "²": "**2", "≥": ">=", "≤": "<=", "⌈": "ceil(", "⌉": ")", "⌊": "floor(",
        "⌋": ")"}
)  # fmt: skip


def as_python(text: str) -> str:
    """A printed formula as a Python expression, letter for letter."""
    text = text.translate(LETTERS).replace(", else", " else")
    text = re.sub(r"\|(\w)\|", r"abs(\1)", text)
    text = re.sub(r"√([vw])\(", r"root_\1(", text)
    text = re.sub(r"√(\w)", r"sqrt(\1)", text).replace("√", "sqrt")
    text = re.sub(r"(?<![<>])= (?=[0n])", "== ", text)
    text = re.sub(r"R\*max of (.*) over j <= k", r"R*max(\1 for j in range(min(k, n) + 1))", text)
    text = re.sub(
        r"(R\*max|the largest) (?:of )?(.*), (.*) over r \+ j <= k",
        r"largest(max(\2, \3) for r, j in moves)",
        text,
    )
    text = re.sub(
        r"the largest (.*) over b <= a <= k - b", r"largest(max([\1]) for a, b in mixes)", text
    )
    *cases, last = text.split("; ")
    return " else ".join([*cases, f"{last} else None" if cases else last])


def form_of(query, norm, relation, bounds, **known):
    """The package's closed form, or None where no direction is feasible."""
    values = 1 if bounds[0] == bounds[1] else VALUES
    try:
        return sl.closed_form(
            query, bounds=bounds, relation=relation, norm=norm, values=values, **known
        )
    except sl.Infeasible:
        return None


NARROW = [(2, 2), (-1, 0), (0, 1), (6, 9), (-9, -7), (5, 6)]  # a point; one bin, or none, of five


@pytest.mark.parametrize("known", ["size", "min_size"])
@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
@pytest.mark.parametrize(
    ("query", "norm"), a_third(FORMULAS + FURTHER_DDOF), ids=lambda x: getattr(x, "name", x)
)
def test_every_printed_formula_gives_the_value(query, norm, family, known):
    """Catches a misprint, also where bounds meet or miss the bins: the text is evaluated."""
    checked, further = 0, (query, norm) in FURTHER_DDOF
    sizes = range(query.smallest_size, max(8, query.smallest_size + 5))
    every = intervals(query)[:1] if further else [*intervals(query), *a_third(NARROW)]
    for (n, k), bounds in product(a_third(list(product(sizes, range(1, 6)))), every):
        form = form_of(query, norm, family(k), bounds, **{known: n})
        if form is None:
            continue
        text = form.formula.removesuffix(f"; {query.proved.words(norm).where}")
        if text == "the larger of Add(k)'s and Remove(k)'s":
            both = (form_of(query, norm, f(k), bounds, size=n) for f in (sl.Add, sl.Remove))
            shown = max(one.value for one in both if one is not None)
        else:
            shown = eval(as_python(text), letters(query, n, k, *bounds, VALUES))
        exact = not isinstance(form.value, float)
        assert shown == form.value if exact else math.isclose(shown, form.value), (text, n, k)
        checked += 1
    assert checked > (1 if further else 4)


def test_one_point_holds_one_value():
    """Catches three values in one point, whose formula says 2 beside a sensitivity of 0."""
    ask = {"bounds": (2, 2), "size": 3, "relation": sl.Change(2)}
    with refused(ValueError, "values must be 1", "both bounds are 2", "values=3"):
        sl.closed_form(sl.count_distinct, values=3, **ask)
    assert sl.closed_form(sl.count_distinct, values=1, **ask).value == 0


def test_the_step_of_a_spread_with_a_ddof_of_3_is_enumerated():
    """Catches a formula that holds up to ddof = 2 only: 2/5 here."""
    query, values = sl.variance(ddof=3), sl.Universe.value_range([0, Fraction(1, 2), 1])
    ask = {"relation": sl.SymmetricDifference(1)}
    assert sl.global_sensitivity(query, values, size=range(4, 8), **ask).value == Fraction(1, 2)
    form = sl.closed_form(query, bounds=(0, 1), min_size=4, **ask)
    assert (form.value, form.status) == (Fraction(1, 2), "exact")
