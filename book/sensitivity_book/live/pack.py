"""What the runtime lacks, as one archive: both packages, the book's tools, and what they import.

It is made anew with every book, so that a page runs what it was built from.  All of it is Python;
what has no build for a browser is left to the stand-ins, of which each says so where it is called.
"""

import importlib.util
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

OURS = ("sensitivity_lab", "sensitivity_beyond", "sensitivity_book", "sensitivity_board")
THEIRS = ("narwhals", "tqdm", "jinja2", "markupsafe", "palmerpenguins", "sqlglot")
PRETTY = "lib/pretty.py"  # of IPython: how a notebook lays out a value; the rest stays here
KEPT = {".py", ".json", ".csv", ".js"}
LEFT_OUT = {"__pycache__", "tests", "stand_ins", "static", "_tkinter", "contrib", "libraries"}
LEAST_DATE = (1980, 1, 1, 0, 0, 0)  # of an archive: two are the same, byte for byte


def pack() -> bytes:
    """Return the archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(contents()):
            info = zipfile.ZipInfo(name, LEAST_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def contents() -> Iterator[tuple[str, bytes]]:
    """Each file of the archive: its name, and what is in it."""
    for package in (*OURS, *THEIRS):
        folder = folder_of(package)
        for file in files(folder):
            yield f"{package}/{file.relative_to(folder).as_posix()}", file.read_bytes()
    pretty = folder_of("IPython") / PRETTY
    yield pretty.name, pretty.read_bytes()
    stand_ins = Path(__file__).parent / "stand_ins"
    for file in files(stand_ins):
        yield file.relative_to(stand_ins).as_posix(), file.read_bytes()


def files(folder: Path) -> Iterator[Path]:
    """The files of a package that are taken along."""
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder).parts
        if file.is_file() and file.suffix in KEPT and not LEFT_OUT & set(inside):
            yield file


def folder_of(package: str) -> Path:
    """Where an installed package lies."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"package must be installed, got {package}")
    return Path(spec.origin).parent
