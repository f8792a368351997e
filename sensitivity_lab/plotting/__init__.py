"""Pictures of sensitivities and their witnesses; the style that other pictures may share."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sensitivity_lab.plotting.palette import *  # its colours are public  # noqa: F403

if TYPE_CHECKING:
    from sensitivity_lab.plotting.style import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """A name of the style, which loads Matplotlib."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.style"), name)
