"""A field as a piece of a page, which book/_static/answers.js brings to life,
and as two lines of code."""

from __future__ import annotations

import html
import json
import re
from fractions import Fraction
from typing import Any

from sensitivity_book.answers.kinds import Answer, DatasetAnswer, FunctionAnswer, NumberAnswer
from sensitivity_book.answers.on_paper import told_on_paper
from sensitivity_book.answers.reading import called
from sensitivity_lab.numbers import Exact


def markup(name: str, answer: Answer) -> str:
    """Return an empty element with all that the script needs: without a script nothing is seen."""
    data = json.dumps(told(name, answer), ensure_ascii=False)
    quoted = html.escape(data, quote=False).replace("'", "&#39;")
    return f'<div class="answer" id="answer-{name}" data-answer=\'{quoted}\' hidden></div>'


def told(name: str, answer: Answer) -> dict[str, Any]:
    """Return what the script is told: numbers as text, for they are exact."""
    if isinstance(answer, NumberAnswer):
        return {
            "kind": "number",
            "fields": [answer.label],
            "right": exact_text(answer.right),
            "rounded": isinstance(answer.right, float),
            "ladder": [[exact_text(rung.gap), rung.words] for rung in answer.ladder],
            "slips": [[exact_text(wrong), words] for wrong, words in answer.slips.items()],
            "why": answer.why,
            "unit": answer.unit,
        }
    if isinstance(answer, DatasetAnswer):
        own = told_on_paper(answer) if answer.by else {"elsewhere": elsewhere(name, answer)}
        return {"kind": "dataset", "fields": answer.fields, **own}
    return {
        "kind": "function",
        "fields": [answer.label],
        "start": answer.start,
        "elsewhere": elsewhere(name, answer),
    }


def exact_text(number: Exact | float) -> str:
    """Write a fraction in lowest terms, and a float with all its digits."""
    if isinstance(number, float):
        return re.sub(r"(\.\d+?)0+$", r"\1", f"{number:.17f}")
    return str(Fraction(number))


def elsewhere(name: str, answer: Answer) -> str:
    """Return what stands in the directive: a cell in JupyterLab,
    which asks without overwriting a chapter's names."""
    labels, own = (
        [answer.label] if not isinstance(answer, DatasetAnswer) else answer.fields,
        ["..."],
    )
    lines = [f"# {'; '.join(labels)}", "from sensitivity_book.answers import check_answer"]
    if isinstance(answer, DatasetAnswer):
        own = [json.dumps(part, ensure_ascii=False) for part in answer.example]
    elif isinstance(answer, FunctionAnswer):
        own, start = [called(answer)], answer.start.rstrip()
        lines += ["", f"{start}\n    ..." if start.endswith(":") else start, ""]
    return "\n".join([*lines, f'check_answer("{name}", {", ".join(own)})'])
