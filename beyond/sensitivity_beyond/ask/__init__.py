"""Ask: a form, a page or widgets, that becomes one public call.  No mathematics stands here."""

from sensitivity_beyond.ask.answer import answer, curve, look
from sensitivity_beyond.ask.form import EXAMPLES, PARTS
from sensitivity_beyond.ask.reading import MOST_BYTES

__all__ = ["EXAMPLES", "MOST_BYTES", "PARTS", "answer", "curve", "look"]
