"""The programs of the cards: each shows one claim that is too small, with nothing but the library.

A library's `programs.toml` has a text for each address. Of programs that are alike it has one shape
with `$names` in it, the values that most of them share, and for each address what is its own. A
program has `DATASETS`, `claim()` and `answer(dataset)`, and at most 30 lines. `held` runs those of
a library and holds what they say to the board.
"""

from __future__ import annotations

import json
import math
import operator
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from string import Template
from typing import Any

HERE = Path(__file__).parent
BOARD = HERE / "data" / "board.json"
LIBRARIES = HERE / "libraries"


@dataclass(frozen=True)
class Program:
    """A program that shows a case by itself:
    its code, and the packages it needs beside Python 3.11."""

    code: str
    needs: tuple[str, ...] = ()


def programs(library: Path) -> dict[str, Program]:
    """Return the programs in a library's folder, by the address of their cards."""
    file = library / "programs.toml"
    told = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    shapes, needs = told.get("shapes", {}), _needs(library / "requirements.in")
    parts = {
        address: {**shapes.get(own.get("shape"), {}), **own}
        for address, own in told.get("programs", {}).items()
    }
    return {
        address: Program(Template(part["text"]).substitute(part), needs)
        for address, part in parts.items()
    }


def _needs(listed: Path) -> tuple[str, ...]:
    """The packages that a list names; the book's own environment has none."""
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
    return tuple(filter(None, (line.partition("#")[0].strip() for line in lines)))


def every_program(libraries: Path = LIBRARIES) -> dict[str, Program]:
    """Return the programs of all libraries, by the address of their cards."""
    return {
        address: program
        for library in sorted(libraries.iterdir())
        for address, program in programs(library).items()
    }


def held(library: Path, python: Path, board: Path = BOARD) -> int:
    """Run a library's programs, say which agree with the board, and return how many did not run."""
    known = programs(library)
    if not known:
        return 0
    said = ask(python, {address: program.code for address, program in known.items()})
    cases = {one["address"]: one for one in json.loads(board.read_text("utf-8"))["cases"]}
    parted = {address: differences(one, cases.get(address)) for address, one in said.items()}
    agree = sum(not words for words in parted.values())
    print(f"{library.name}: {agree} of {len(said)} programs agree with the board")
    for address, words in parted.items():
        if words:
            print(f"  {address}: {'; '.join(words)}")
    return sum("error" in one for one in said.values())


def ask(python: Path, codes: dict[str, str]) -> dict[str, Any]:
    """Return what programs say, by address, in the words of `run_programs.py`."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{address}.py" for address in codes]
        for file, code in zip(files, codes.values(), strict=True):
            file.write_text(code, encoding="utf-8")
        told = Path(folder) / "said.json"
        runner = HERE / "run_programs.py"
        subprocess.run([python, "-I", runner, told, *files], check=True, cwd=folder)
        said: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
        return said


def differences(said: dict[str, Any], case: dict[str, Any] | None) -> list[str]:
    """Return how a program and the board's case part, in words; nothing where they agree."""
    if "error" in said:
        return [said["error"]]
    if case is None:
        return ["the board has no such case"]
    witness = case["witness"]
    if witness is None:
        return ["the board has no witness of it"]
    pairs = {
        "claim": (said["claim"], case["claimed"], same),
        "datasets": (said["datasets"], [witness["dataset"], witness["neighbour"]], operator.eq),
        "answers": (said["answers"], witness["answers"], same),
    }
    return [
        f"{name} {_short(one)}, on the board {_short(other)}"
        for name, (one, other, equal) in pairs.items()
        if not equal(plain(one), plain(other))
    ]


def plain(value: Any) -> Any:
    """Return what is written as JSON, read: numbers exactly, sequences as lists."""
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, dict) and "runs" in value:
        return [one for part, copies in value["runs"] for one in [plain(part)] * copies]
    if isinstance(value, dict) and "number" in value:
        text = value["number"]
        return float(text) if text in ("inf", "-inf", "nan") else Fraction(text)
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return value


def same(one: Any, other: Any) -> bool:
    """Return whether two are equal, numbers to nine digits:
    machines may differ in a float's last."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    numbers = all(isinstance(value, (int, float, Fraction)) for value in (one, other))
    return one == other or (numbers and math.isclose(one, other, rel_tol=1e-9))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"
