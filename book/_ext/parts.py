"""Definitions, theorems, exercises and figures carry their part where it has no numbered chapters:
Theorem P.20 is one of the proofs, and no chapter's."""

from collections import Counter
from typing import Any

from sphinx.application import Sphinx

LETTERS = {"Further": "F", "Reports": "R", "Technical report": "P"}


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-get-updated", name_parts, priority=900)  # when all have their numbers
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def name_parts(app: Sphinx, env: Any) -> list[str]:
    counts: Counter[tuple[str, str]] = Counter()
    for part in app.config.external_site_map.root.subtrees:
        letter = LETTERS.get(part.caption)
        for page in map(str, part.items) if letter else ():
            for kind, numbers in env.toc_fignumbers.get(page, {}).items():
                for name in numbers:
                    counts[letter, kind] += 1
                    numbers[name] = (letter, counts[letter, kind])
    return []
