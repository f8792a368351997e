"""The closed forms in words: each formula by relation, its letters, its conditions and its proof."""

from __future__ import annotations

import math

from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Relation

CONDITIONS = {
    "any": "records take any values from L to U, in any number of copies; L and U both occur",
    "count": "none",
    "count_where": "the predicate is true for some value and false for another",
    "count_distinct": "the bounds hold v values; a real interval holds infinitely many",
    "variance": "records take any real values from L to U; a grid may miss a mean that is needed",
    "std": "records take any real values from L to U; a grid may miss a mean that is needed",
    "histogram": "the bounds reach two bins or more; one record per person",
}

# For each family: the proof, then the formula by relation for a pinned size n and for at least
# m records. "any" stands for every relation that is not named.
# The tests evaluate each text, so they keep to one form: "A if p; B if q", or "A if p, else B".
SUM_UNBOUNDED = ("k·max(|L|, |U|)", "k·max(|L|, |U|)")
FORMULAS: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "count": ("count", {"any": ("k", "k"), "Change": ("0", "0")}),
    "count_where": ("count", {"any": ("k", "k"), "Change": ("min(k, n)", "k")}),
    "sum": ("sum", {"any": SUM_UNBOUNDED, "Change": ("min(k, n)·R", "k·R")}),
    "mean": (
        "mean",
        {
            "Add": ("k·R/(n + k)", "k·R/(m + k)"),
            "Remove": ("k·R/n", "k·R/(m + k)"),
            "AddRemove": ("k·R/n if k < n, else k·R/(n + k)", "k·R/(m + k)"),
            "SymmetricDifference": (
                "k·R/n if k < n; R·max((n − 1)/n, 1/2) if k = n; R if k > n",
                "R·max(k/(m + k), ⌈k/2⌉/(max(0, m − ⌊k/2⌋) + ⌈k/2⌉))",
            ),
            "Change": ("min(k, n)·R/n", "min(k, m)·R/m"),
        },
    ),
    "extreme": ("quantile", {"any": ("R", "R")}),
    "quantile": (
        "quantile",
        {
            "Add": ("R·max(g(n, 0, k), g(n, k, 0))", "R·min(1, k·max(q, 1 − q))"),
            "Remove": ("R·max(g(n − k, 0, k), g(n − k, k, 0))", "R·min(1, k·max(q, 1 − q))"),
            "AddRemove": (
                "the larger of Add(k)'s and Remove(k)'s",
                "R·min(1, k·max(q, 1 − q))",
            ),
            "SymmetricDifference": (
                "R·max of g(n − r, r, j), g(n − r, j, r) over r + j ≤ k",
                "R·min(1, k·max(q, 1 − q))",
            ),
            "Change": ("R·max of g(n − j, j, j) over j ≤ k", "R"),
        },
    ),
    "variance": (
        "variance",
        {
            "Add": ("R²·max(v(n + k), w(n))", "R²·max(v(m + k), v(m + k + 1), w(m))"),
            "Remove": ("R²·max(v(n), w(n − k))", "R²·max(v(m + k), v(m + k + 1), w(m))"),
            "AddRemove": (
                "the larger of Add(k)'s and Remove(k)'s",
                "R²·max(v(m + k), v(m + k + 1), w(m))",
            ),
            "SymmetricDifference": (
                "the largest D(n − r, r, j), D(n − r, j, r) over r + j ≤ k",
                "R²·min(k·m/((m + 1)·(m + 1 − d)), h)",
            ),
            "Change": ("R²·v(n)", "R²·max(v(m), v(m + 1))"),
        },
    ),
    "std": (
        "std",
        {
            "Add": ("R·max(√v(n + k), u(n))", "R·max(√v(m + k), √v(m + k + 1), u(m))"),
            "Remove": ("R·max(√v(n), u(n − k))", "R·max(√v(m + k), √v(m + k + 1), u(m))"),
            "AddRemove": (
                "the larger of Add(k)'s and Remove(k)'s",
                "R·max(√v(m + k), √v(m + k + 1), u(m))",
            ),
            "SymmetricDifference": (
                "the largest D(n − r, r, j), D(n − r, j, r) over r + j ≤ k",
                "R·min(k·√(m/((m + 1)·(m + 1 − d))), √h)",
            ),
            "Change": ("R·√v(n)", "R·max(√v(m), √v(m + 1))"),
        },
    ),
    "histogram L1": ("histogram", {"any": ("k", "k"), "Change": ("2·min(k, n)", "2·k")}),
    "histogram L2": ("histogram", {"any": ("k", "k"), "Change": ("√2·min(k, n)", "√2·k")}),
    "histogram L∞": ("histogram", {"any": ("k", "k"), "Change": ("min(k, n)", "k")}),
    "count_distinct": (
        "count-distinct",
        {
            "Add": (
                "min(k, v) if n = 0, else min(k, v − 1)",
                "min(k, v) if m = 0, else min(k, v − 1)",
            ),
            "Remove": (
                "min(k, v) if k = n, else min(k, v − 1)",
                "min(k, v) if m = 0, else min(k, v − 1)",
            ),
            "AddRemove": (
                "min(k, v) if k = n or n = 0, else min(k, v − 1)",
                "min(k, v) if m = 0, else min(k, v − 1)",
            ),
            "SymmetricDifference": (
                "min(k, v − 1) if k < n; max(min(n, v), min(k, v − 1)) if k ≥ n > 0; "
                "min(k, v) if n = 0",
                "min(k, v) if m = 0, else min(k, v − 1)",
            ),
            "Change": ("0 if n = 0, else min(k, v − 1, n − 1)", "min(k, v − 1)"),
        },
    ),
}
SPREAD_OUT = "s = ⌊c/2⌋⌈c/2⌉/c; h = 1/4 if d = 0, else ⌊m/2⌋⌈m/2⌉/(m(m − d)); D as proved"
# With at least m records a step adds or removes one: v(m + 1) at k = 1, or from d = 3 on w(m) or
# u(m), where that is larger.
FROM_DDOF_3 = {
    "variance": "R²·min(k·max(m/(m + 1), h)/(m + 1 − d), h)",
    "std": "R·min(k·max(√(m/((m + 1)·(m + 1 − d))), √h − √(h·(m − d)/(m + 1 − d))), √h)",
}
WHERE = {
    "quantile": (
        "g(c, a, b) is the largest clip(t − l) − clip(t − l − δ) over whole l from 0 to c; "
        "t = q(c + a − 1) + 1; δ = qa + (1 − q)b; clip cuts to [0, 1]"
    ),
    "variance": (
        "d is ddof; v(N) = i(N − i)/(N(N − d)), i = min(k, ⌊N/2⌋); "
        f"w(c) = s/(c − d) − s/(c + k − d), {SPREAD_OUT}"
    ),
    "std": (
        "d is ddof; v(N) = i(N − i)/(N(N − d)), i = min(k, ⌊N/2⌋); "
        f"u(c) = √(s/(c − d)) − √(s/(c + k − d)), {SPREAD_OUT}"
    ),
}


def formula_text(
    query: Query, relation: Relation, *, pinned: bool, norm: float = 1
) -> tuple[str, str, str]:
    """Return the formula in words, what its letters mean beyond R, k, n, m, and its proof.

    >>> from sensitivity_lab import MEAN, Change
    >>> formula_text(MEAN, Change(1), pinned=True)
    ('min(k, n)·R/n', '', 'Proofs: mean')

    `pinned` says that the size n is known; else both datasets have at least m records.
    Source: the theorem that it names, on the book's page of proofs.
    """
    family = query.family[0]
    if family == "histogram":
        family = f"histogram L{'∞' if norm == math.inf else int(norm)}"
    elif family == "quantile" and query.family[1] in (0, 1):
        family = "extreme"
    proof, texts = FORMULAS[family]
    name = type(relation).__name__
    text = texts[name if name in texts else "any"][not pinned]
    if family in FROM_DDOF_3 and query.family[1] > 2 and name == "SymmetricDifference":
        text = text if pinned else FROM_DDOF_3[family]
    return text, WHERE.get(family, ""), f"Proofs: {proof}"
