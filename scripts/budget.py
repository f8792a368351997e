"""The budget of lines: what each part of the project has, what it may have, and what a change adds.

    .venv/bin/python scripts/budget.py

The limits stand in `pyproject.toml`, under `tool.budget`: lines, and for the package lines of code, which
are not blank, no docstring and no comment. A part beyond its limit fails `make lint`. Whoever raises a
limit says why in the commit; whoever makes a part smaller lowers it, as far as its `aim`. The change is that
since main, or on main since the commit before.
"""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def git(*asked: str) -> str | None:
    """What git answers; None where there is no git, or no such commit."""
    try:
        return subprocess.run(
            ["git", *asked], cwd=ROOT, capture_output=True, text=True, check=True, encoding="utf-8"
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def code_lines(source: str) -> int:
    """How many lines of a Python source are neither blank nor docstring nor comment."""
    silent: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                silent |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in silent
        for number, line in enumerate(source.splitlines(), 1)
    )


def texts_of(part: dict) -> list[tuple[str, str]]:
    """The files of a part, those that git knows or does not ignore: (path, text)."""
    paths = (git("ls-files", "-co", "--exclude-standard") or "").splitlines()
    return [
        (path, (ROOT / path).read_text(encoding="utf-8"))
        for path in paths
        if is_in(part, path) and (ROOT / path).is_file()
    ]


def changes() -> dict[str, int]:
    """By path, how many lines it has more than in main, or on main than in the commit before."""
    on_main = not git("diff", "--name-only", "main", "--")
    changed = git("diff", "--numstat", "--no-renames", "main~1" if on_main else "main", "--") or ""
    rows = (line.split("\t") for line in changed.splitlines())
    return {path: int(more) - int(less) for more, less, path in rows if more.isdigit()}


def is_in(part: dict, path: str) -> bool:
    """Whether a path is a file of a part."""
    return path.endswith(tuple(part.get("ends", [".py"]))) and any(
        path.startswith(folder) and not path.startswith(tuple(part.get("but", ["\0"])))
        for folder in part["in"]
    )


def main() -> bool:
    """Print a row for each part and each wing of the package; whether one is beyond its limit."""
    budget = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["budget"]
    since, failed = changes(), False
    print(f"{'':22}{'lines':>8}{'limit':>8}{'aim':>8}{'code':>8}{'limit':>8}{'change':>8}")
    for name, part in budget.items():
        texts = texts_of(part)
        lines = sum(len(text.splitlines()) for _, text in texts)
        code = sum(code_lines(text) for path, text in texts if path.endswith(".py"))
        change = sum(lines for path, lines in since.items() if is_in(part, path))
        beyond = lines > part["lines"] or code > part.get("code", code)
        failed |= beyond
        row = f"{name:22}{lines:8,}{part['lines']:8,}{part.get('aim', part['lines']):8,}"
        row += f"{code:8,}{part.get('code', ''):>8}{change:+8,}"
        print(row + ("   beyond its limit" if beyond else ""))
    return failed


if __name__ == "__main__":
    sys.exit(main())
