"""The budget: what each part of the project has, what it may have, and what a change adds.

    .venv/bin/python scripts/budget.py

The limits stand in `pyproject.toml`, under `tool.budget`; a part has those that are written there,
of its lines, its code (lines that are not blank, no docstring and no comment), its characters, its
functions and its words. A part beyond one of them fails `make lint`. Limits only fall. The change
is that of its lines since main, or on main since the commit before.
"""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> bool:
    """Print a row for each limit; whether a part is beyond one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    paths, since, failed = files(), changes(), False
    print(f"{'':32}{'has':>9}{'limit':>9}{'change':>8}")
    for name, part in project["tool"]["budget"].items():
        texts = [(ROOT / path).read_text(encoding="utf-8") for path in paths if is_in(part, path)]
        change = sum(more for path, more in since.items() if is_in(part, path))
        for measure in [key for key in part if key not in ("in", "but", "ends")]:
            has, limit = sum(map(MEASURES[measure], texts)), part[measure]
            added = f"{change:+8,}" if measure == "lines" else ""
            beyond = "   beyond its limit" if has > limit else ""
            print(f"{name:20}{measure:12}{has:9,}{limit:9,}{added:8}{beyond}".rstrip())
            failed |= has > limit
    return failed


def lines(text: str) -> int:
    return len(text.splitlines())


def code(source: str) -> int:
    """How many lines of a Python source are neither blank nor docstring nor comment."""
    silent: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | FUNCTIONS):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                silent |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in silent
        for number, line in enumerate(source.splitlines(), 1)
    )


def functions(source: str) -> int:
    return sum(isinstance(node, FUNCTIONS) for node in ast.walk(ast.parse(source)))


def words(text: str) -> int:
    return len(text.split())


MEASURES = {
    "lines": lines, "code": code, "characters": len, "functions": functions, "words": words,
}  # fmt: skip


def files() -> list[str]:
    """The paths of all files that git knows or does not ignore."""
    listed = (git("ls-files", "-co", "--exclude-standard") or "").splitlines()
    return [path for path in listed if (ROOT / path).is_file()]


def is_in(part: dict, path: str) -> bool:
    """Whether a path is a file of a part."""
    return path.endswith(tuple(part.get("ends", [".py"]))) and any(
        path.startswith(folder) and not path.startswith(tuple(part.get("but", ["\0"])))
        for folder in part["in"]
    )


def changes() -> dict[str, int]:
    """By path, how many lines it has more than in main, or on main than in the commit before."""
    on_main = not git("diff", "--name-only", "main", "--")
    changed = git("diff", "--numstat", "--no-renames", "main~1" if on_main else "main", "--") or ""
    rows = (line.split("\t") for line in changed.splitlines())
    return {path: int(more) - int(less) for more, less, path in rows if more.isdigit()}


def git(*asked: str) -> str | None:
    """What git answers; None where there is no git, or no such commit."""
    try:
        return subprocess.run(
            ["git", *asked], cwd=ROOT, capture_output=True, text=True, check=True, encoding="utf-8"
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


if __name__ == "__main__":
    sys.exit(main())
