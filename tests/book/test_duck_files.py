"""DuckDB's script is the one that was looked at, or the build stops."""

import pytest
from sensitivity_book.live import duck_files


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
        duck_files.classic(script)
