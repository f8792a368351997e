"""Copy the project without the cards that wait:
`make book HELD=out` builds the pages from the copy.

`held.json` of the board names them: cards that are too small, and of which no thread or document of
their library speaks. SECURITY.md says why they wait. From the copy go their certificates, programs
and rows of tables, their verdicts in the tests, the letters about them, and words and cells about
them, which have others in their place. Nothing here says more about them
than the board does.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BOARD = Path("book/sensitivity_board")
HELD, LETTERS = BOARD / "held.json", BOARD / "letters"
OWN = [HELD, Path("scripts/held.py"), Path("tests/board/test_held.py")]
UNSAID = {  # what else speaks of them: by file, what is found there, and what takes its place
    "RELEASE.md": (r"^\*\*Findings\.\*\*.*?(?=^\*\*History)|^[^\n]*own findings[^\n]*\n", ""),
    "Makefile": (
        r"^ifeq \(\$\(HELD\),out\)\n.*?^else\n(.*?)^endif\n| \(HELD=out[^)]*\)|^PUBLIC [^\n]*\n",
        r"\1",
    ),
    ".github/workflows/pages.yml": (r" HELD=out[^\n]*|_build/public/(?=_build)", ""),
    "REUSE.toml": (r' "[^"]*/letters/\*\.md",', ""),
}


def main(folder: Path) -> None:
    """Make the copy anew, and store again what its notebooks answer that showed a card."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True, encoding="utf-8"
    )
    for path in listed.stdout.splitlines():
        if (ROOT / path).is_file():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(
                ROOT / path, folder / path
            )  # with its time, so that nothing is installed anew
    words = json.loads((folder / HELD).read_text("utf-8"))["words"]
    shown = {change["file"] for change in words if change["file"].startswith("book/chapters/")}
    cards = leave_out(folder)
    paths = (folder, folder / "beyond", folder / "book")
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    subprocess.run(
        [sys.executable, "scripts/outputs.py", *sorted(shown)], cwd=folder, env=own, check=True
    )
    print(f"{folder}: the project without {cards} cards.")


def leave_out(root: Path) -> int:
    """Take the cards out of a copy of the project, and return how many there were."""
    held = json.loads((root / HELD).read_text("utf-8"))
    addresses = {card["address"] for card in held["cards"]}
    edit(root / BOARD / "data" / "board.json", lambda text: without_cases(text, addresses))
    edit(root / "tests" / "board" / "not_exact.csv", lambda text: without_lines(text, addresses))
    for table in {card["table"] for card in held["cards"]}:
        asked = {tuple(card["asked"]) for card in held["cards"] if card["table"] == table}
        edit(
            root / BOARD / "data" / f"{table}.csv",
            lambda text, asked=asked: without_rows(text, asked),
        )
    for file in (root / BOARD / "libraries").glob("*/programs.toml"):
        edit(file, lambda text: without_programs(text, addresses))
    for change in held["words"]:
        edit(root / change["file"], lambda text, change=change: reworded(text, change))
    shutil.rmtree(root / LETTERS, ignore_errors=True)
    for name, (found, other) in UNSAID.items():
        edit(root / name, lambda text, pair=(found, other): re.sub(*pair, text, flags=re.M | re.S))
    for path in OWN:
        (root / path).unlink(missing_ok=True)
    return len(addresses)


def edit(file: Path, change) -> None:
    file.write_text(change(file.read_text("utf-8")), encoding="utf-8", newline="\n")


def without_cases(text: str, addresses: set[str]) -> str:
    """The board's file has a line a case."""
    first, *lines, last = text.splitlines()
    kept = [
        line.rstrip(",")
        for line in lines
        if json.loads(line.rstrip(","))["address"] not in addresses
    ]
    return "\n".join([first, ",\n".join(kept), last, ""])


def without_lines(text: str, addresses: set[str]) -> str:
    return "".join(
        line for line in text.splitlines(keepends=True) if line.split(",")[0] not in addresses
    )


def without_rows(text: str, asked: set[tuple[str, ...]]) -> str:
    """A table without what was asked of a library: its columns query and parameters."""
    lines = text.splitlines(keepends=True)
    return "".join(
        line
        for line, row in zip(lines, csv.reader(lines), strict=True)
        if tuple(row[3:5]) not in asked
    )


def without_programs(text: str, addresses: set[str]) -> str:
    parts = re.split(r"(?m)^(?=\[(?:programs|shapes)\.)", text)
    return "".join(
        part for part in parts if part.partition("]")[0].removeprefix("[programs.") not in addresses
    )


def reworded(text: str, change: dict[str, str]) -> str:
    if change["said"] not in text:
        raise ValueError(f"{change['file']} does not say {change['said']!r} any more: see {HELD}")
    return text.replace(change["said"], change["without"])


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
