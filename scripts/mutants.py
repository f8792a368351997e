"""How strong are the tests?  Change one operator, comparison, constant or branch at a time,
and count who notices.

    .venv/bin/python scripts/mutants.py                    # the modules of MODULES, 40 mutants each
    .venv/bin/python scripts/mutants.py numbers/gap.py 80  # one module, more mutants

A module of the book is named by its whole path.

A mutant is killed if its module's own examples or tests fail, or need far more of a processor than
they did. Survivors are printed with their line: each is a test to write, or a change that means the
same.  All is done in a copy of the project, one mutant after the other, a few seconds each: run it
by hand.

`mutants.csv`, beside this file, is what was killed before and after the tests lost a sixth of their
lines, in November 2026: the same mutants, asked of the tests named there.  What no test there kills
may be killed by others.
"""

import ast
import importlib
import multiprocessing
import os
import random
import resource
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# ruff: disable[E501]
MODULES = {  # the module: the tests that know it best, the quickest first
    "numbers/exact.py": ["core/numbers", "core/test_universe.py"],
    "numbers/gap.py": ["core/numbers", "core/test_sensitivity.py", "core/methods/test_walk_and_sweep.py"],
    "audit/claim_and_scope.py": ["beyond/audit/test_audit.py", "beyond/test_ways_out.py"],
    "methods/sweep.py": ["core/test_sensitivity.py", "core/methods/test_walk_and_sweep.py"],
    "proofs/entries/splits.py": ["beyond/proofs/test_entries.py"],
    "proofs/ranks.py": ["beyond/proofs/test_ranks.py", "beyond/proofs/test_solvers.py"],
    "proved/worst_pair.py": ["beyond/audit/test_worst_pairs.py", "beyond/proofs/test_solvers.py"],
    "proofs/scatter/outermost.py": ["beyond/proofs/test_spread_layouts.py", "beyond/proofs/test_spread_floor.py"],
    "records.py": ["core/test_universe.py", "beyond/tables/test_row_values.py", "beyond/tables/test_records.py", "beyond/tables/test_image.py"],
    "closed_form.py": ["core/misuse/test_errors.py", "core/proved/test_formulas.py", "core/proved/test_closed_forms.py"],
    "tables/sql/parsed.py": ["beyond/sql/test_sql.py", "beyond/sql/test_databases.py"],
    "proofs/entries/bins.py": ["beyond/proofs/test_entries.py", "core/proved/test_formulas.py"],
    "tables/shown.py": ["beyond/tables/test_witness_tables.py"],
    "book/sensitivity_book/theory/gradient.py": ["book/test_gradient.py", "book/test_refusals.py"],
    "book/sensitivity_book/theory/privacy/noise.py": ["book/test_noise.py", "book/test_refusals.py"],
    "book/sensitivity_book/theory/stability/domains.py": ["book/test_maps.py", "book/test_refusals.py"],
    "book/sensitivity_book/answers/compare.py": ["book/test_answers.py"],
    "book/sensitivity_board/check_certificate.py": ["board/test_certificates.py"],
}  # fmt: skip
# ruff: enable[E501]
SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
FORK = multiprocessing.get_context("fork")  # a copy of a process that has imported what is slow


def change(node: ast.AST) -> bool:
    """Change one node of a syntax tree in place, if it is of a kind that can be."""
    match node:
        case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in SWAPS:
            node.op = SWAPS[type(op)]()
        case ast.Compare(ops=[op, *_]) if type(op) in SWAPS:
            node.ops[0] = SWAPS[type(op)]()
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case _:
            return False
    return True


def places(source: str) -> list[int]:
    """Which nodes can be changed, by their number in the walk; no annotations."""
    tree = ast.parse(source)
    hints = {
        id(inner)
        for outer in ast.walk(tree)
        for hint in (getattr(outer, "annotation", None), getattr(outer, "returns", None))
        if hint is not None
        for inner in ast.walk(hint)
    }
    return [i for i, node in enumerate(ast.walk(tree)) if id(node) not in hints and change(node)]


def changed_at(source: str, place: int) -> tuple[int, str]:
    """The line that changes, and the whole source with the change."""
    tree = ast.parse(source)
    node = list(ast.walk(tree))[place]
    change(node)
    return node.lineno, ast.unparse(ast.fix_missing_locations(tree))


def _tested(copy: Path, tests: list[str], seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    paths = [str(copy / path) for path in (".", "beyond", "book", "tests")]
    os.chdir(copy)
    os.setpgrp()  # what a test starts ends with it
    os.environ |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    sys.path[:0] = paths
    sys.dont_write_bytecode = True
    said = open("said.txt", "w", encoding="utf-8")  # noqa: SIM115
    os.dup2(said.fileno(), 1)
    os.dup2(said.fileno(), 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--doctest-modules"]
    os._exit(pytest.main([*options, *tests]))


def passes(copy: Path, tests: list[str], seconds: int) -> bool:
    """Whether the tests pass in a copy of the project, within so many seconds of a processor."""
    process = FORK.Process(target=_tested, args=(copy, tests, seconds))
    process.start()
    process.join(60 + 20 * seconds)  # for what sleeps
    if process.is_alive():
        os.killpg(process.pid, 9)
        process.join()
    return process.exitcode == 0


def path(module: str, root: Path = ROOT) -> Path:
    """Where a module stands: of the book, of the package, or beyond it."""
    places = ("", "sensitivity_lab", "beyond/sensitivity_beyond")
    return root / next(Path(at) / module for at in places if (ROOT / at / module).exists())


def survivors(module: str, number: int) -> tuple[int, list[int], float]:
    """How many mutants of a module were drawn, by its name; the lines that nobody missed;
    the seconds of a run."""
    source = path(module).read_text(encoding="utf-8")
    tests = [str(path(module, Path())), *(f"tests/{name}" for name in MODULES[module])]
    everywhere = places(source)
    drawn = random.Random(module).sample(everywhere, min(number, len(everywhere)))
    alive = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        left = shutil.ignore_patterns(".git", ".venv*", "_build", "__pycache__")
        shutil.copytree(ROOT, copy, ignore=left)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        if not passes(copy, tests, 3600):
            said = (copy / "said.txt").read_text(encoding="utf-8")
            raise SystemExit(
                f"{said[-2000:]}\nthe tests of {module} fail before anything is changed"
            )
        once = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        for place in drawn:
            line, changed = changed_at(source, place)
            path(module, copy).write_text(changed, encoding="utf-8")
            if passes(copy, tests, 10 + 4 * int(once)):
                alive.append(line)
    return len(drawn), sorted(alive), once


def main(asked: list[str]) -> None:
    """Print a line for each module, and the lines of its survivors."""
    number = next((int(word) for word in asked if word.isdigit()), 40)
    for slow in ("numpy", "pandas", "narwhals", "duckdb", "sqlglot", "hypothesis", "matplotlib"):
        importlib.import_module(slow)
    for module in [word for word in asked if not word.isdigit()] or MODULES:
        drawn, alive, once = survivors(module, number)
        print(f"{module}: {drawn - len(alive)} of {drawn} killed ({once:.0f} s a run)", flush=True)
        lines = path(module).read_text(encoding="utf-8").splitlines()
        for line in alive:
            print(f"    {line}: {lines[line - 1].strip()}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
