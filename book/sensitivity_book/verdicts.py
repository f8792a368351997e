"""What becomes of a claim: its verdict, and the budget that is spent where it is too small."""

from __future__ import annotations

import math
from typing import Any

from sensitivity_lab import AuditRow


def verdict(claimed: Any, exact: Any) -> str:
    """Return what becomes of a claim: "too small", "exact" or "loose".

    >>> verdict(3, 4), verdict(4, 4), verdict(5, 4)
    ('too small', 'exact', 'loose')
    """
    return AuditRow("", 1, None, claimed=claimed, found=exact).verdict


def price(row: AuditRow, power: int = 1) -> float:
    """Return the budget that is spent where 1 was promised: (exact / claimed) to the power.

    >>> row = AuditRow("Change", 1, 5, claimed=1, found=2)
    >>> price(row), price(row, power=2), price(AuditRow("Change", 1, 5, claimed=0, found=2))
    (2.0, 4.0, inf)
    """
    return (float(row.found) / float(row.claimed)) ** power if row.claimed else math.inf


def price_text(row: AuditRow, power: int = 1) -> str:
    """Return that budget in three digits.

    >>> price_text(AuditRow("Change", 1, 5, claimed=3, found=4))
    '1.33'
    """
    return f"{price(row, power):.3g}".replace("inf", "∞")
