"""The index, beyond the glossary: where each of its terms is defined, proved or discussed.

A definition, a theorem or a section is listed under every term of the glossary that its title
names, a theorem under the standard queries too (a section may well "mean" or "count" something
else).  A definition or a theorem whose title names none stands under the title itself.
What the glossary says a term is *also* called leads to that term.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import index
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

GLOSSARY = "book/glossary"
QUERIES = set(
    """count, sum, mean, median, quantile, variance, standard deviation, minimum, maximum,
histogram, distinct values, trimmed mean, tree of counts""".replace("\n", " ").split(", ")
)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", read_terms)
    app.add_transform(Entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def read_terms(app: Sphinx) -> None:
    """Terms stand at the left of a glossary block, their definitions are indented."""
    source = (Path(app.srcdir) / f"{GLOSSARY}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\{glossary\}\n(.*?)^```", source, re.DOTALL | re.MULTILINE)
    terms = re.findall(r"^(\S.*)$", "".join(blocks), re.MULTILINE)
    longest_first = sorted({*terms, *QUERIES}, key=lambda term: (-len(term), term))
    app.env.topics = re.compile(  # type: ignore[attr-defined]
        rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?:s|es)?(?!\w)", re.IGNORECASE
    )
    app.env.topic_names = {term.lower(): term for term in longest_first}  # type: ignore[attr-defined]


class Entries(SphinxTransform):
    default_priority = 840  # just before Sphinx collects what goes into the index

    def apply(self, **_: Any) -> None:
        for part in list(self.document.findall(nodes.Element)):
            entries = [*topics_of(part, self.env), *synonyms_of(part, self.env)]
            if entries:  # behind the title, which Sphinx expects to come first
                part.insert(1, index(entries=entries, inline=False))


def topics_of(part: nodes.Element, env: Any) -> Iterator[tuple[Any, ...]]:
    kind = part.get("realtype")  # of a definition or a theorem
    if not (kind or isinstance(part, nodes.section)) or not part.get("ids"):
        return
    title = next((child.astext() for child in part if isinstance(child, nodes.title)), "")
    title = re.sub("[{}]", "", title)  # of TeX
    shown = f"{title.strip(' ()')} ({kind})" if kind else title  # "(Title)" in sphinx-proof
    named = {env.topic_names[found.lower()] for found in env.topics.findall(title)}
    named -= set() if kind else QUERIES
    for topic in sorted(named):
        yield "single", f"{topic}; {shown}", part["ids"][0], "", None
    if kind and not named:
        yield "single", shown, part["ids"][0], "", None


def synonyms_of(part: nodes.Element, env: Any) -> Iterator[tuple[Any, ...]]:
    """From "term. Also *this*, *that*." the entries "this, see term" and "that, see term"."""
    if not (isinstance(part, nodes.definition_list_item) and isinstance(part[0], nodes.term)):
        return
    term, definition = part[0], part[-1]
    also = False
    for word in definition[0]:
        text = word.astext()
        if isinstance(word, nodes.emphasis) and also and text.lower() not in env.topic_names:
            yield "see", f"{text}; {term.astext()}", term["ids"][0], "", None
        elif isinstance(word, nodes.Text):
            also = text.rstrip().endswith("Also") or (also and ". " not in text and "." != text[-1])
