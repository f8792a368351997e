"""What explorers and dots need of anywidget where a page runs Python:
something that holds a value."""

from typing import Any


class AnyWidget:
    """A picture by a script of its own, which the page has."""

    def __init__(self, value: str = "") -> None:
        self.value = value

    def on_msg(self, handler: Any) -> None:
        """Nobody sends it a message."""

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return {"text/plain": repr(self)}
