"""Records that are rows, or people who bring rows; questions of what they say."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sensitivity_beyond.tables.sql.duckdb import SETTINGS as SETTINGS


def __getattr__(name: str) -> Any:
    """The settings of the database, for what stands in for DuckDB; no other room waits for them."""
    if name != "SETTINGS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.sql.duckdb").SETTINGS
