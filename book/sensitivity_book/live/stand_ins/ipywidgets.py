"""What explorers need of ipywidgets where a page runs Python: controls that hold a value.

The page has its own controls, so nothing here is drawn and nothing is sent.
"""

from types import SimpleNamespace
from typing import Any


class _Control:
    def __init__(self, children: Any = (), *, value: Any = None, **options: Any) -> None:
        self.children, self.value = tuple(children), value
        self.style = SimpleNamespace()

    def observe(self, handler: Any, names: Any = None) -> None:
        """Nobody turns this control."""


class VBox(_Control):
    """A column of controls."""


class HTML(_Control):
    """A text."""


class Text(_Control):
    """A text field."""


class SelectionSlider(_Control):
    """A slider over settings."""


class Dropdown(_Control):
    """A menu of settings."""
