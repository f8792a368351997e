"""Ask every library of the board again, and say what has changed: `make audit`.

Each folder of `libraries` has a lock of its own, and scripts that ask a library and store a table
of figures each in `data`: `figures.py` makes NAME.csv, any other STEM.py NAME_STEM.csv. Here each
is run in an environment made from the lock, under `_build/audit`; a folder without a lock is asked
in the environment that runs this. Where only the date is new, the stored table stays as it was.
Then the folder's programs are held to the board, and at the end the board is made anew.
"""

import csv
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from sensitivity_board import claims
from sensitivity_board.programs import HERE, LIBRARIES, held

DATA = HERE / "data"
ENVIRONMENTS = HERE.parents[1] / "_build" / "audit"
PYTHON = "python3.11"  # the one that all these libraries run on
JAVA = "17"  # which Spark, and so Tumult, needs


def main() -> int:
    """Ask the libraries that are named, or all of them, and return how many failed."""
    names = sys.argv[1:] or libraries()
    if unknown := sorted(set(names) - set(libraries())):
        print(
            f"Not in {LIBRARIES.relative_to(HERE.parents[1])}: {', '.join(unknown)}",
            file=sys.stderr,
        )
        return len(unknown)
    failed = [name for name in names if not audited(name)]
    claims.make_board()
    return len(failed)


def libraries() -> list[str]:
    """Return the folders of `libraries`."""
    folders = filter(Path.is_dir, LIBRARIES.iterdir())
    return sorted(path.name for path in folders if path.name[0].isalpha())


def audited(name: str) -> bool:
    """Run one library's scripts and programs, and report;
    whether they ran, or had a reason not to."""
    if reason := obstacle(name):
        print(f"{name}: skipped. {reason}")
        return True
    ran = [asked_again(name, script) for script in sorted((LIBRARIES / name).glob("*.py"))]
    return all([*ran, not held(LIBRARIES / name, environment(name))])


def asked_again(name: str, script: Path) -> bool:
    """Run one script, report what changed in its table, and say whether it ran."""
    table = table_of(script)
    before = table.read_text(encoding="utf-8") if table.exists() else ""
    shared = {**os.environ, "PYTHONPATH": str(LIBRARIES)}
    try:
        subprocess.run([environment(name), script], check=True, cwd=ENVIRONMENTS, env=shared)
    except subprocess.CalledProcessError as error:
        print(f"{table.stem}: failed. {error}")
        return False
    told = figures(before)
    changes = claims.changed(told, figures(table.read_text(encoding="utf-8")))
    if not changes:
        table.write_text(before, encoding="utf-8")
    print(f"{table.stem}: {len(told)} figures, {len(changes) or 'none'} changed")
    print(*changes, sep="\n", end="\n" if changes else "")
    return True


def table_of(script: Path) -> Path:
    """Return the table that a library's script makes."""
    name = script.parent.name
    return DATA / (f"{name}.csv" if script.stem == "figures" else f"{name}_{script.stem}.csv")


def obstacle(name: str) -> str:
    """Say why a library cannot be asked on this machine; nothing where it can."""
    if lock_of(name).exists() and shutil.which(PYTHON) is None:
        return f"It needs {PYTHON}."
    if name == "tumult" and java() != JAVA:
        return f"It needs Java {JAVA}; found {java() or 'none'}."
    return ""


def java() -> str:
    """Return the first number of the version of the Java that is installed."""
    if shutil.which("java") is None:
        return ""
    said = subprocess.run(
        ["java", "-version"], capture_output=True, encoding="utf-8", check=False
    ).stderr
    number = re.search(r'version "(\d+)', said)
    return number[1] if number else ""


def lock_of(name: str) -> Path:
    """Return where a library's lock lies, if it has one."""
    return LIBRARIES / name / "requirements.txt"


def environment(name: str) -> Path:
    """Return the Python of an environment made from the library's lock,
    made anew when that changes."""
    lock, home = lock_of(name), ENVIRONMENTS / name
    if not lock.exists():
        return Path(sys.executable)
    python, installed = home / "bin" / "python", home / "requirements.txt"
    if not installed.exists() or installed.read_bytes() != lock.read_bytes():
        print(f"{name}: installing", flush=True)
        subprocess.run([PYTHON, "-m", "venv", "--clear", home], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "--require-hashes", "-r", str(lock)], check=True)
        shutil.copy(lock, installed)
    return python


def figures(text: str) -> dict[str, str]:
    """Return what a table says, by what it is about; of each library also the version."""
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        found[f"{row['library']}, version"] = row["version"]
        about = row["library"], row["query"], row["parameters"], row["quantity"]
        found[", ".join(about)] = row["value"]
    return found


if __name__ == "__main__":
    sys.exit(main())
