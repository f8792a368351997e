"""Make the board's file anew, and say what changed: python -m sensitivity_board."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from sensitivity_board.case import Case
from sensitivity_board.certificates import certificate
from sensitivity_board.claims import BOARD, case_files, case_files_asked, dated


def main() -> None:
    """Ask, store and report."""
    before = case_files() if BOARD.is_file() else []
    after = dated(case_files_asked(), before, date.today().isoformat())
    Path(str(BOARD)).write_text(board_text(after), encoding="utf-8", newline="\n")
    changes = changed(told(before), told(after))
    print(f"board: {len(after)} cases, {len(changes) or 'none'} changed")
    print(*changes, sep="\n", end="\n" if changes else "")


def board_text(cases: list[Case]) -> str:
    """Return the board's file: a line a case, so that two of them can be compared."""
    lines = (json.dumps(certificate(case), ensure_ascii=False) for case in cases)
    return '{"cases": [\n' + ",\n".join(lines) + "\n]}\n"


def told(cases: Iterable[Case]) -> dict[str, str]:
    """Return of each case, by its address, the verdict, the claim and the exact number."""
    return {
        case.address: f"{case.verdict}, claimed {case.row.claimed}, exact {case.row.found}"
        f" ({case.version})"
        for case in cases
    }


def changed(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """Return a line for each name that is new, gone, or has another value."""
    return [
        f"  {name}: {old.get(name, 'nothing')} → {new.get(name, 'nothing')}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]


if __name__ == "__main__":
    main()
