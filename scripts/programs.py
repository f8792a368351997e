"""Hold a library's programs to the board: python scripts/programs.py NAME PYTHON.

A program of `scripts/libraries/NAME/programs` shows one claim that is too small, with nothing but the
library. PYTHON, which has the library, runs them; each must give the claim, the two datasets
and the answers that `board.json` holds. Said are how many agree, and which do not.
"""

import json
import math
import operator
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BOARD = ROOT / "book" / "sensitivity_book" / "data" / "board.json"
RUNNER = ROOT / "scripts" / "run_programs.py"


def main(name, python):
    """The number of programs that did not run."""
    paths = programs(name)
    if not paths:
        return 0
    said, cases = ask(python, paths), stored(BOARD)
    parted = {address: differences(one, cases.get(address)) for address, one in said.items()}
    agree = sum(not words for words in parted.values())
    print(f"{name}: {agree} of {len(said)} programs agree with the board")
    for address, words in parted.items():
        if words:
            print(f"  {address}: {'; '.join(words)}")
    return sum("error" in one for one in said.values())


def programs(name):
    """The programs of one library."""
    return sorted((ROOT / "scripts" / "libraries" / name / "programs").glob("*.py"))


def ask(python, paths):
    """What programs say, by address, in the words of `run_programs.py`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "said.json"
        subprocess.run([python, "-I", RUNNER, file, *paths], check=True, cwd=folder)
        return json.loads(file.read_text(encoding="utf-8"))


def stored(board):
    """The cases of a board, by address."""
    return {one["address"]: one for one in json.loads(board.read_text(encoding="utf-8"))["cases"]}


def differences(said, case):
    """How a program and the board's case part, in words; nothing where they agree."""
    if "error" in said:
        return [said["error"]]
    if case is None:
        return ["the board has no such case"]
    if case["witness"] is None:
        return ["the board has no witness of it"]
    witness = case["witness"]
    pairs = {
        "claim": (said["claim"], case["claimed"], same),
        "datasets": (said["datasets"], [witness["dataset"], witness["neighbour"]], operator.eq),
        "answers": (said["answers"], witness["answers"], same),
    }
    return [
        f"{name} {short(one)}, on the board {short(other)}"
        for name, (one, other, equal) in pairs.items()
        if not equal(plain(one), plain(other))
    ]


def plain(value):
    """What is written as JSON, read: numbers exactly, sequences as lists."""
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, dict) and "runs" in value:
        return [plain(part) for part, copies in value["runs"] for _ in range(copies)]
    if isinstance(value, dict) and "number" in value:
        text = value["number"]
        return float(text) if text in ("inf", "-inf", "nan") else Fraction(text)
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return value


def same(one, other):
    """Whether two are equal, numbers to nine digits: of a float, machines may differ in the last."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    numbers = all(isinstance(value, (int, float, Fraction)) for value in (one, other))
    return one == other or (numbers and math.isclose(one, other, rel_tol=1e-9))


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
