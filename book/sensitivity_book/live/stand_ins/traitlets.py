"""What explorers and dots need of traitlets where a page runs Python: a value that is declared."""

from typing import Any


class Unicode:
    """A text that would be sent to a page."""

    def tag(self, **metadata: Any) -> "Unicode":
        """Return it as it is: nothing is sent."""
        return self
