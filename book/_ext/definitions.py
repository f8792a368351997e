"""A term of the glossary shows what it means wherever it is used: on hover, and on keyboard focus.

The text is the glossary's own: of a term's definition as many whole sentences, from the first, as
stay short.  What leads elsewhere in brackets is left out, and simple TeX becomes plain letters.

A link to a term is followed by its definition, a tooltip that the link is described by.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

GLOSSARY = "book/glossary"
TERM = re.compile(r"(?:^|/)(?:glossary\.html)?#(term-[^#]+)$")
SHORT = 130  # letters, after which no sentence is added
ELSEWHERE = "\0"
TEX = [
    (r"\\(?:Pr|mathrm)\b", "Pr"),
    (r"\\(?:[lr]vert|mid)\b ?", "|"),
    (r"\\in\b", "∈"),
    (r"\\infty\b", "∞"),
    (r"\\(?:left|right|,|;)", ""),
    (r"\^\{(\S{2,}?)\}", r"^(\1)"),
    (r"[{}]", ""),
    (r"(?<!\w)-", "−"),
]
GREEK = {"beta": "β", "delta": "δ", "Delta": "Δ", "varepsilon": "ε", "rho": "ρ", "sigma": "σ"}


class defined(nodes.reference): ...


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(defined, html=(open_link, close_link))  # elsewhere it is a reference
    app.connect("env-updated", read_definitions)
    app.connect("doctree-resolved", add_definitions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def read_definitions(app: Sphinx, env: Any) -> None:
    env.definitions = {}
    if GLOSSARY in env.all_docs:
        for item in env.get_doctree(GLOSSARY).findall(nodes.definition_list_item):
            text = opening("".join(map(plain, item[-1][0])))
            names = [id_ for term in item[:-1] for id_ in term["ids"]]
            env.definitions |= dict.fromkeys(names, text)


def plain(part: nodes.Node) -> str:
    if isinstance(part, nodes.math):
        return letters(part.astext())
    if not isinstance(part, pending_xref) or part["reftype"] == "term":
        return part.astext()
    return "" if part["reftype"] == "p" else ELSEWHERE  # a source in brackets goes without a trace


def letters(tex: str) -> str:
    for name, letter in GREEK.items():
        tex = re.sub(rf"\\{name}(?![a-zA-Z])(?: (?=[a-z]\b))?", letter, tex)
    for pattern, instead in TEX:
        tex = re.sub(pattern, instead, tex)
    return tex


def opening(definition: str) -> str:
    """The first sentence, and those after it that say something and keep it short."""
    text = re.sub(rf" *\([^()]*{ELSEWHERE}[^()]*\)|, *{ELSEWHERE}(?=[.,;])", "", definition)
    text = re.sub(r"[, ]+(?=\.(?: |$))", "", text)
    first, *others = re.split(r"(?<=[.!?]) +(?=[A-Z(])", " ".join(text.split()))
    shown = first
    for sentence in others:
        left_out = sentence.startswith("Also ") or ELSEWHERE in sentence or "\\" in sentence
        if left_out or len(shown) + len(sentence) > SHORT:
            break
        shown += f" {sentence}"
    shown = shown.partition(ELSEWHERE)[0].rstrip(" ,;:.(") if ELSEWHERE in shown else shown
    return shown if shown.endswith(".") else f"{shown}."


def add_definitions(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.builder.format == "html":
        number(links_to_terms(doctree), app.env.definitions)  # type: ignore[attr-defined]


def links_to_terms(doctree: nodes.document) -> Iterable[tuple[nodes.reference, str]]:
    for link in list(doctree.findall(nodes.reference)):
        to = link.get("refuri") or f"#{link.get('refid', '')}"
        if found := TERM.search(to):
            yield link, found[1]


def number(links: Iterable[tuple[nodes.reference, str]], definitions: dict[str, str]) -> None:
    for count, (link, term) in enumerate(links, 1):
        if term in definitions:
            told = defined("", "", *link.children, **link.attributes)
            told["definition"], told["told_by"] = definitions[term], f"definition-{count}"
            link.replace_self(told)


def open_link(writer: Any, node: defined) -> None:
    writer.body.append('<span class="defined">')
    writer.visit_reference(node)
    described = f'<a aria-describedby="{node["told_by"]}" '
    writer.body[-1] = writer.body[-1].replace("<a ", described, 1)


def close_link(writer: Any, node: defined) -> None:
    writer.depart_reference(node)
    told = re.sub(r"\^(?:\(([^)]*)\)|(\S))", r"<sup>\1\2</sup>", escape(node["definition"]))
    writer.body.append(
        f'<span class="definition" role="tooltip" id="{node["told_by"]}">{told}</span></span>'
    )
