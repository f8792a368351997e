"""How strong are the tests?  Change one operator, comparison, constant or branch at a time, and count who notices.

    .venv/bin/python scripts/mutants.py                     # the modules of MODULES, 40 mutants each
    .venv/bin/python scripts/mutants.py numbers/gap.py 80   # one module, more mutants

A mutant is killed if one of its module's tests fails, or takes far longer than it did.  Survivors
are printed with their line: each is a test to write, or a change that means the same.  The package is
copied for it, so that nothing is changed here.  It takes an hour or two on two cores: run it by hand.
"""

import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = {  # the module: the tests that know it best
    "numbers/exact.py": ["tests/numbers", "tests/test_sensitivity.py"],
    "numbers/gap.py": [
        "tests/numbers",
        "tests/test_sensitivity.py",
        "tests/methods/test_walk_and_sweep.py",
    ],
    "proved/entries/splits.py": ["tests/proved/test_entries.py"],
    "proved/entries/bins.py": ["tests/proved/test_entries.py", "tests/proved/test_formulas.py"],
    "proved/ranks/population.py": [
        "tests/proved/test_l_statistics.py",
        "tests/methods/test_solvers.py",
    ],
    "proved/scatter/outermost.py": [
        "tests/methods/test_solvers.py",
        "tests/methods/test_spread_floor.py",
    ],
    "methods/sweep.py": ["tests/methods/test_walk_and_sweep.py", "tests/test_sensitivity.py"],
    "audit/claims.py": ["tests/audit/test_audit.py"],
}
SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def changes(node):
    """The ways to change one node of a syntax tree, each a function that does it in place."""
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
        yield lambda n: setattr(n, "op", SWAPS[type(n.op)]())
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield lambda n: n.ops.__setitem__(0, SWAPS[type(n.ops[0])]())
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):  # True and False are ints
        yield lambda n: setattr(
            n,
            "value",
            not n.value if n.value in (True, False) and isinstance(n.value, bool) else n.value + 1,
        )
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))


def mutants(source):
    """Every changed source, with the line that changed."""
    tree = ast.parse(source)
    skip = {
        inner
        for outer in ast.walk(tree)
        for hint in ("annotation", "returns")
        if getattr(outer, hint, None) is not None
        for inner in ast.walk(getattr(outer, hint))
    }
    for place, node in enumerate(ast.walk(tree)):
        for which, _ in enumerate([] if node in skip else changes(node)):
            changed = copy.deepcopy(tree)
            same = next(n for i, n in enumerate(ast.walk(changed)) if i == place)
            list(changes(same))[which](same)
            yield node.lineno, ast.unparse(ast.fix_missing_locations(changed))


def run(copy_of, tests, seconds):
    """Whether the tests pass in a copy, within so many seconds."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        *tests,
    ]
    paths = os.pathsep.join(str(copy_of / path) for path in (".", "book", "tests"))
    try:
        return subprocess.run(command, cwd=copy_of, env=os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
                              capture_output=True, timeout=seconds).returncode == 0  # fmt: skip
    except subprocess.TimeoutExpired:
        return False


def survivors(module, tests, number, workers=2):
    """Of so many mutants of a module, drawn by its name: those that no test noticed."""
    source = (ROOT / "sensitivity_lab" / module).read_text(encoding="utf-8")
    tests = ["--doctest-modules", f"sensitivity_lab/{module}", *tests]
    everyone = list(mutants(source))
    drawn = random.Random(module).sample(everyone, min(number, len(everyone)))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        copies = [Path(folder) / str(i) for i in range(workers)]
        for place in copies:
            shutil.copytree(
                ROOT, place, ignore=shutil.ignore_patterns(".git", ".venv*", "_build", "notebooks")
            )
        start = time.monotonic()
        if not run(copies[0], tests, 3600):
            raise SystemExit(f"the tests of {module} fail before anything is changed")
        seconds = 4 * (time.monotonic() - start) + 30

        def share(i):
            found = []
            for line, changed in drawn[i::workers]:
                (copies[i] / "sensitivity_lab" / module).write_text(changed, encoding="utf-8")
                if run(copies[i], tests, seconds):
                    found.append(line)
            return found

        alive = sorted(line for part in pool.map(share, range(workers)) for line in part)
    return len(drawn), alive, source.splitlines()


def main(asked):
    """Print a line for each module, and the lines of its survivors."""
    number = next((int(word) for word in asked if word.isdigit()), 40)
    wanted = [word for word in asked if not word.isdigit()] or list(MODULES)
    for module in wanted:
        drawn, alive, lines = survivors(module, MODULES[module], number)
        print(f"{module}: {drawn - len(alive)} of {drawn} killed", flush=True)
        for line in alive:
            print(f"    {line}: {lines[line - 1].strip()}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
