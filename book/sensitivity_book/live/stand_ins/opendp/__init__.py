"""OpenDP is compiled for desktop computers: in a page its names are here, its answers are not."""

from __future__ import annotations

from typing import NoReturn


class Absent:
    """A name of OpenDP that can be looked up, and says where it answers when it is called."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Absent:
        """A name within it."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __call__(self, *arguments: object, **options: object) -> NoReturn:
        """Say what is missing."""
        raise ImportError(
            f"{self._name} is OpenDP's own code, which has no build for browsers: "
            "open the notebook in JupyterLab (make lab)"
        )
