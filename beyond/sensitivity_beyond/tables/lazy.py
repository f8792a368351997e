"""pandas, loaded when something of it is first used: who brings no table does not wait for it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any


class _Pandas:
    """The module, loaded with the first of its names; each name is then held here."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module("pandas"), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import pandas as pd
else:
    pd = _Pandas()

__all__ = ["pd"]
