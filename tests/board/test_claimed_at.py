"""Where a claim is made: the quoted words, read with what was asked, give the claimed number."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace as Names

import numpy as np
import pytest
from sensitivity_board import case_files
from sensitivity_board.cases.jax_privacy import ENCODERS
from sensitivity_board.cases.sums_asked import side_by_side
from sensitivity_board.claimed import place

CASES = case_files()
QUOTED = [case for case in CASES if place(case).words]
PYTHON = {  # Rust, C++ and a docstring's sentence, as Python has them
    r"//[a-z ]+": "", r"(\w+::)+(inf|exact_int)_cast": "Real", r"(?<=\()\*|[?&]": "",
    r"\.and_then\(\|(\w+)\| \1(.*)\)$": r"\2", r"move \|_\|": "lambda _:",
    r"std::|static_cast<double>": "", "::": ".", "jnp": "np", r"^(return |\w+ ?= ?)": "",
    r"guaranteed to be (\S+) if `(\w+)` is True\..* `(\w+)`\.": r"\1 if \2 else \3",
}  # fmt: skip
METHODS = {  # what Rust's numbers can do
    "alerting_abs": abs, "clone": float, "into": float, "total_max": max, "total_min": min,
    "inf_sub": float.__sub__, "inf_mul": float.__mul__, "alerting_mul": float.__mul__,
    "inf_div": float.__truediv__,
}  # fmt: skip
Real = type("Real", (float,), {
    name: lambda *them, do=do: Real(do(*map(float, them))) for name, do in METHODS.items()
})  # fmt: skip


def evaluated(words, case):
    """The number that the words give for a case: with its setting, and what is stored with them."""
    names, wanted = globals() | asked(case), dict(place(case).names)
    in_all = wanted.pop("value_in_all", "value")  # of all groups, where the words are of one
    for name, meant in wanted.items():
        made = eval(meant, names)
        names[name] = Real(made) if isinstance(made, (float, Fraction)) else made
    for said, meant in PYTHON.items():
        words = re.sub(said, meant, words)
    value = eval(words, names)
    return eval(in_all, names | {"value": value(names["d_in"]) if callable(value) else value})


def asked(case):
    """What a case's setting says: bounds, numbers with a name, rows and groups, size, norm."""
    said, k = f"{case.function}, {case.setting}", case.row.k
    rows = re.findall(r"(\d) rows? (?:each|come)", said)
    rows, groups = int(rows[0]) if rows else 1 + ("row changes" in said), "of 2 groups" in said
    told = {"max_partitions_contributed": 1 + groups, "max_contributions_per_partition": rows}
    told |= {name: Real(Fraction(n)) for name, n in re.findall(r"(\w+)[ =](\d+(?:/\d+)?)", said)}
    told |= {name: 2 ** int(n) for name, n in re.findall(r"(\w+) 2\*\*(-\d+)", said)}
    L, U = map(Real, bounds(case.setting))
    d_in = Real(2 * k if case.row.relation == "Change" else k)
    maps = Names(new=lambda f: f(d_in), new_from_constant=lambda c: c * d_in)
    return {"normalize_by": 1, "np": np, "ENCODERS": ENCODERS} | told | {
        "told": Names(**told), "function": case.function, "setting": case.setting,
        "k": k, "n": case.row.size, "p": 2 if "L2" in case.quantity + said else 1,
        "d_in": d_in, "range": Real(U - L), "L": L, "U": U, "l": L, "u": U, "lower": L, "upper": U,
        "StabilityMap": maps, "Clone": Names(clone=lambda distance: distance),
        "l0": Real(2 if groups else rows), "l1": Real(2 if groups else rows), "linf": Real(rows),
        "groups": Real(re.findall(r"(\d) groups each|$", said)[0] or 1),
    }  # fmt: skip


def bounds(setting):
    if "side by side" in setting:
        return side_by_side(6)[0]
    if "next float" in setting:
        return 1, math.nextafter(1, 2)
    found = re.search(r"(?:bounds\w* \(|min_value )(\S+)[,;] (?:max_value )?([\d.,]+)", setting)
    return [float(end.replace(",", "")) for end in found.groups()] if found else (0, 1)


def is_the_claim(words, case):
    """Whether words are the claim of a case; those that name what it has not are none."""
    try:
        return math.isclose(evaluated(words, case), case.row.claimed, rel_tol=1e-13)
    except (SyntaxError, NameError, TypeError):
        return False


def test_the_quoted_words_are_the_claim():
    """Catches words of another branch, type or relation, words that claim nothing, a lost word."""
    assert [case.name for case in QUOTED if not is_the_claim(place(case).words, case)] == []
    silent = {case.library for case in CASES if not place(case).words}
    assert {case.library for case in QUOTED} & silent == {"OpenDP", "Tumult", "jax-privacy"}
    assert len(QUOTED) > 200


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("OpenDP: sum, ints", "d_in * ideal_sens + relaxation"),
        ("OpenDP Polars: count, 1 row changes", "l1_p.total_min(l0_p.inf_mul(&l_inf_p)?)"),
        ("PipelineDP: counts by partition, L2, max_contributions 8", "Sensitivities(l0=1, linf=1)"),
        ("PipelineDP: people by partition, L2, max_contributions 8", "Sensitivities(l0=1, linf=1)"),
        ("jax-privacy: clipped_fun, l2_clip_norm 5, 1 added", "return 2 * self.l2_norm_bound"),
        ("Tumult: private join, DropExcess(1) x DropExcess(2)", "tau_l * s_r * d_in_r"),
        ("PyDP: mean", "sensitivity (float): the maximum amount that any individual can affect"),
    ],
)
def test_other_words_and_other_numbers_are_refused(name, words):
    """Catches a test that passes the branch not taken, another type, a part, prose, or 10⁻¹⁶."""
    for case in (chosen := [case for case in QUOTED if case.name.startswith(name)]):
        assert not is_the_claim(words, case)
        claims = (float(case.row.claimed) * by for by in (1 + 1e-10, 0.5) if case.row.claimed)
        others = [replace(case, rows=(replace(case.row, claimed=claim),)) for claim in claims]
        assert not any(is_the_claim(place(case).words, other) for other in others)
    assert chosen
