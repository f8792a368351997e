"""Ask every library of the case files again, and say what has changed: `make audit`.

Each folder of `scripts/libraries` has a lock of its own, and scripts that ask a library and store a
table of figures each beside the book's data: `figures.py` makes NAME.csv, any other STEM.py
NAME_STEM.csv. Here each is run in an environment made from the lock, under `_build/audit`; a
folder without a lock is asked in the environment that runs this. Where only the date is new, the
stored table stays as it was. Then `programs.py` holds the folder's programs to the board, and at
the end the board is made anew.
"""

import csv
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "book" / "sensitivity_book" / "data"
LIBRARIES = ROOT / "scripts" / "libraries"
ENVIRONMENTS = ROOT / "_build" / "audit"
PYTHON = "python3.11"  # the one that all these libraries run on
JAVA = "17"  # which Spark, and so Tumult, needs


def main() -> int:
    names = sys.argv[1:] or libraries()
    if unknown := sorted(set(names) - set(libraries())):
        print(f"Not in scripts/libraries: {', '.join(unknown)}", file=sys.stderr)
        return len(unknown)
    failed = [name for name in names if not audited(name)]
    return len(failed) + (not board_made())


def libraries() -> list[str]:
    """The folders of `scripts/libraries`."""
    folders = filter(Path.is_dir, LIBRARIES.iterdir())
    return sorted(path.name for path in folders if path.name[0].isalpha())


def audited(name: str) -> bool:
    """Run one library's scripts and programs, and report; whether they ran, or had a reason not to."""
    if reason := obstacle(name):
        print(f"{name}: skipped. {reason}")
        return True
    ran = [asked_again(name, script) for script in sorted((LIBRARIES / name).glob("*.py"))]
    return all([*ran, programs_ran(name)])


def programs_ran(name: str) -> bool:
    """Hold one library's programs to the board, and say whether all of them ran."""
    try:
        script = ROOT / "scripts" / "programs.py"
        subprocess.run([sys.executable, script, name, environment(name)], check=True)
    except subprocess.CalledProcessError as error:
        print(f"{name}: not all programs ran. {error}")
        return False
    return True


def board_made() -> bool:
    """Make the board anew from tables and libraries, which says what changed; whether it could."""
    command = [sys.executable, "-m", "sensitivity_book.case_files"]
    return subprocess.run(command, check=False).returncode == 0


def asked_again(name: str, script: Path) -> bool:
    """Run one script, report what changed in its table, and say whether it ran."""
    table = table_of(script)
    before = table.read_text(encoding="utf-8") if table.exists() else ""
    try:
        subprocess.run([environment(name), script], check=True, cwd=ENVIRONMENTS)
    except subprocess.CalledProcessError as error:
        table.write_text(before, encoding="utf-8")
        print(f"{table.stem}: failed. {error}")
        return False
    changes = differences(before, table.read_text(encoding="utf-8"))
    if not changes:
        table.write_text(before, encoding="utf-8")
    print(f"{table.stem}: {len(figures(before))} figures, {len(changes) or 'none'} changed")
    print(*changes, sep="\n", end="\n" if changes else "")
    return True


def table_of(script: Path) -> Path:
    """The table that a library's script makes."""
    name = script.parent.name
    return DATA / (f"{name}.csv" if script.stem == "figures" else f"{name}_{script.stem}.csv")


def obstacle(name: str) -> str:
    """Why a library cannot be asked on this machine, or nothing."""
    if lock_of(name).exists() and shutil.which(PYTHON) is None:
        return f"It needs {PYTHON}."
    if name == "tumult" and java() != JAVA:
        return f"It needs Java {JAVA}; found {java() or 'none'}."
    return ""


def java() -> str:
    """The first number of the version of the Java that is installed."""
    if shutil.which("java") is None:
        return ""
    said = subprocess.run(
        ["java", "-version"], capture_output=True, encoding="utf-8", check=False
    ).stderr
    number = re.search(r'version "(\d+)', said)
    return number[1] if number else ""


def lock_of(name: str) -> Path:
    return LIBRARIES / name / "requirements.txt"


def environment(name: str) -> Path:
    """The Python of an environment made from the library's lock, made anew when that changes."""
    lock, home = lock_of(name), ENVIRONMENTS / name
    if not lock.exists():
        return Path(sys.executable)
    python, installed = home / "bin" / "python", home / "requirements.txt"
    if not installed.exists() or installed.read_bytes() != lock.read_bytes():
        print(f"{name}: installing", flush=True)
        subprocess.run([PYTHON, "-m", "venv", "--clear", home], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "--require-hashes", "-r", lock], check=True)
        shutil.copy(lock, installed)
    return python


def differences(before: str, after: str) -> list[str]:
    """What is new, gone or another value in a table, date apart: a line each."""
    old, new = figures(before), figures(after)
    return [
        f"  {', '.join(place)}: {old.get(place, 'nothing')} → {new.get(place, 'nothing')}"
        for place in dict.fromkeys([*old, *new])
        if old.get(place) != new.get(place)
    ]


def figures(text: str) -> dict[tuple[str, ...], str]:
    """What a table says, by what it is about; of each library also the version."""
    found: dict[tuple[str, ...], str] = {}
    for row in csv.DictReader(io.StringIO(text)):
        found[row["library"], "version"] = row["version"]
        found[row["library"], row["query"], row["parameters"], row["quantity"]] = row["value"]
    return found


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # what programs print here comes in its turn
    sys.exit(main())
