"""Make the board's file anew, and say what changed: python -m sensitivity_book.case_files."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from sensitivity_book.case_files.board import BOARD, case_files, case_files_asked, dated
from sensitivity_book.case_files.case import Case
from sensitivity_book.case_files.certificates import certificate


def main() -> None:
    """Ask, store and report."""
    before = case_files() if BOARD.is_file() else []
    after = dated(case_files_asked(), before, date.today().isoformat())
    Path(str(BOARD)).write_text(board_text(after), encoding="utf-8", newline="\n")
    changes = changed(before, after)
    print(f"board: {len(after)} cases, {len(changes) or 'none'} changed")
    print(*changes, sep="\n", end="\n" if changes else "")


def board_text(cases: list[Case]) -> str:
    """Return the board's file: a line a case, so that two of them can be compared."""
    lines = (json.dumps(certificate(case), ensure_ascii=False) for case in cases)
    return '{"cases": [\n' + ",\n".join(lines) + "\n]}\n"


def changed(before: list[Case], after: list[Case]) -> list[str]:
    """Return a line for each case that is new, gone, or has another verdict, claim or exact number."""
    old, new = ({case.address: _told(case) for case in cases} for cases in (before, after))
    return [
        f"  {address}: {old.get(address, 'nothing')} → {new.get(address, 'nothing')}"
        for address in dict.fromkeys([*old, *new])
        if old.get(address) != new.get(address)
    ]


def _told(case: Case) -> str:
    row = case.row
    return f"{case.verdict}, claimed {row.claimed}, exact {row.found} ({case.version})"


if __name__ == "__main__":
    main()
