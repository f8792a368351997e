"""MyST as plain Markdown: what a notebook says where no Sphinx sets its page, as in JupyterLab.

Directives become Markdown with their titles, and what a page folds is a `<details>`.  Roles become
words, and links to other notebooks.  `Book` reads every document once, to know what each label
leads to; `Book.cells` then turns the text of one cell into cells.  A labelled block begins a cell
that has its label as its id: links lead there.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from mdit_py_plugins.dollarmath import dollarmath_plugin
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from pybtex.database import parse_file
from references import label as cited

MYST = create_md_parser(
    MdParserConfig(enable_extensions={"amsmath", "colon_fence", "deflist", "dollarmath"}),
    RendererHTML,
)
INLINE = MarkdownIt().use(dollarmath_plugin)  # what stands in a tag
INLINE.add_render_rule("math_inline", lambda self, tokens, i, *_: slanted(tokens[i].content))
OPENING = re.compile(r"\{([\w:-]+)\}\s*(.*)")
OPTION = re.compile(r":([\w-]+):\s*(.*)")
CODE_OR_ROLE = re.compile(r"(?:\{([\w:]+)\})?(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)", re.DOTALL)
NUMBERED = {"prf:theorem": "Theorem", "prf:definition": "Definition", "exercise": "Exercise"}
START = "00-start.ipynb"  # in the place of the first page


class Block(NamedTuple):
    """A directive, a label or plain text: `name` is empty for text, and "label" for a label."""

    name: str
    title: str
    options: dict[str, str]
    body: str


class Target(NamedTuple):
    """Where a label leads: a cell of a copy, if there is one, and the words of a link to it."""

    file: str | None
    words: str
    cell: str = ""


@dataclass
class Cell:
    """Markdown or code, with the label at which it begins."""

    kind: str
    source: str
    label: str = ""


def blocks(text: str) -> Iterator[Block]:
    """Cut a text into its directives and labels, and what stands between them."""
    lines, at = text.split("\n"), 0
    for token in MYST.parse(text):
        opened = OPENING.match(token.info) if token.type.endswith("fence") else None
        if token.level or not token.map or not (opened or token.type == "myst_target"):
            continue
        yield Block("", "", {}, "\n".join(lines[at : token.map[0]]))
        at = token.map[1]
        if opened:
            yield directive(opened[1], opened[2], token.content.split("\n"))
        else:
            yield Block("label", token.content, {}, "")
    yield Block("", "", {}, "\n".join(lines[at:]))


def directive(name: str, title: str, lines: list[str]) -> Block:
    """Part the options of a directive from its body."""
    options = {}
    while lines and (found := OPTION.fullmatch(lines[0])):
        options[found[1]] = found[2]
        lines = lines[1:]
    return Block(name, title, options, "\n".join(lines).strip("\n"))


def terms(glossary: str) -> Iterator[tuple[list[str], str]]:
    """The entries of a glossary: the names of each, and its definition."""
    for entry in re.split(r"\n\n(?=\S)", glossary):
        names = [line for line in entry.split("\n") if not line.startswith(" ")]
        said = [line for line in entry.split("\n") if line.startswith(" ") or not line]
        yield names, textwrap.dedent("\n".join(said))


def term_id(name: str) -> str:
    return "term-" + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def slanted(formula: str) -> str:
    """A formula of letters and signs in HTML: in a tag VS Code sets no TeX."""
    return re.sub(r"[^\W\d]", r"<em>\g<0></em>", formula.replace(r"\varepsilon", "ε"))


def details(summary: str, body: str) -> str:
    """What opens at a click; blank lines keep its body Markdown."""
    named = f"<summary>{INLINE.renderInline(summary)}</summary>"
    return f'<details style="margin-bottom: 0.5em">{named}\n\n{body}\n\n</details>\n'


def boxed(body: str) -> str:
    """Set apart, by a tag and not by `>`, which would stand in the formulas."""
    return f"<blockquote>\n\n{body}\n\n</blockquote>\n"


class Book:
    """What every label leads to, and every document in plain words."""

    def __init__(self, bibliography: Path) -> None:
        first = Target(START, "first page", "c1")
        self.labels = {"genindex": Target(None, "index"), "/book/intro": first}
        self.entries = parse_file(str(bibliography)).entries
        self.counts = Counter[tuple[str, int | str]]()

    def read(self, text: str, figures: list[str], file: str | None, chapter: int | str) -> None:
        """Remember where the labels of a document lead."""
        pending = ""
        for block in blocks(text):
            if block.name in NUMBERED:
                label = block.options["label"]
                words = self.numbered(NUMBERED[block.name], chapter)
                self.labels[label] = Target(file, words, label)
            elif block.name == "glossary":
                for names, _ in terms(block.body):
                    for name in names:
                        self.labels[term_id(name)] = Target(file, name, term_id(names[0]))
            elif block.name == "label":
                pending = block.title
            elif pending and (heading := re.search(r"^#+ (.*)", block.body, re.MULTILINE)):
                self.labels[pending], pending = Target(file, heading[1], pending), ""
        for name in figures:
            self.labels[name] = Target(file, self.numbered("Fig.", chapter), name)

    def numbered(self, kind: str, chapter: int | str) -> str:
        """The next of a kind, as the pages count: by chapter, or by the letter of a part."""
        self.counts[kind, chapter] += 1
        number = f"{chapter}." if chapter else ""
        return f"{kind} {number}{self.counts[kind, chapter]}"

    def cells(self, text: str) -> list[Cell]:
        """Turn the text of a Markdown cell into cells."""
        made = [Cell("markdown", "")]
        for block in blocks(text):
            label = block.options.get("label", "")
            if block.name == "label":
                made.append(Cell("markdown", "", block.title))
            elif block.name == "glossary":
                for names, said in terms(block.body):
                    entry = f"**{'**, **'.join(names)}**: {self.words(said)}"
                    made.append(Cell("markdown", entry, term_id(names[0])))
                made.append(Cell("markdown", ""))
            elif block.name == "answer":
                made += [Cell("code", block.body, f"answer-{block.title}"), Cell("markdown", "")]
            elif block.name in ("solution-start", "solution-end"):
                made += [Cell(block.name, ""), Cell("markdown", "")]
            elif label:
                made += [Cell("markdown", self.plain(block), label), Cell("markdown", "")]
            else:
                made[-1].source += "\n\n" + self.plain(block).strip("\n")
        for cell in made:
            cell.source = cell.source.strip("\n")
        return [cell for cell in made if cell.source or cell.kind.startswith("solution")]

    def text(self, text: str) -> str:
        """Turn what stands in a directive into Markdown."""
        return "\n".join(map(self.plain, blocks(text))).strip()

    def plain(self, block: Block) -> str:
        """Turn a directive into Markdown, with its title."""
        name, title, body = block.name, self.words(block.title), block.body
        if not name:
            return self.words(body)
        if name == "check":
            return "\n".join([f"**Check yourself.** {title}\n", *self.choices(body)])
        if name == "exercise":
            return f"### {self.labels[block.options['label']].words}: {title}\n\n{self.text(body)}"
        if name in NUMBERED:
            named = self.labels[block.options["label"]].words + (f" ({title})" if title else "")
            return boxed(f"**{named}.**\n\n{self.text(body)}")
        if name == "prf:proof":
            return f"*Proof.* {self.text(body)}\n"
        if name in ("dropdown", "solution"):
            return details(title if name == "dropdown" else "Solution", self.text(body))
        if name == "admonition":
            return boxed(f"**{title}**\n\n{self.text(body)}")
        if name == "margin":
            return boxed(self.text(body))
        raise ValueError(f"no plain form of the directive {name}")

    def choices(self, body: str) -> Iterator[str]:
        """The choices of a check, each of which opens to its verdict and reason."""
        lines = body.split("\n")
        for token in MYST.parse(body):
            if token.type == "list_item_open" and token.level == 1 and token.map:
                item = textwrap.dedent("\n".join([" ", *lines[slice(*token.map)]])[2:])
                item = textwrap.dedent(f"  {item[2:]}")
                offered, _, reason = item.partition("\n\n")
                verdict, _, choice = offered.partition(":")
                opening = {"yes": "**Yes.**", "no": "**No.**"}[verdict.strip()]
                yield details(self.words(choice.strip()), f"{opening} {self.text(reason)}")

    def words(self, text: str) -> str:
        """Replace roles, and leave code as it is."""
        return CODE_OR_ROLE.sub(lambda found: self.role(found) if found[1] else found[0], text)

    def role(self, found: re.Match[str]) -> str:
        name, content = found[1], " ".join(found[3].split())
        explicit = re.fullmatch(r"(.*\S)\s*<(.*)>", content)
        shown, label = (explicit[1], explicit[2]) if explicit else ("", content)
        if name.startswith("cite:"):
            links = "; ".join(self.source(key.strip(), name) for key in content.split(","))
            return f"({links})" if name == "cite:p" else links
        if name == "term":
            shown, label = shown or label, term_id(label)
        if name in ("term", "ref", "numref", "prf:ref", "doc"):
            file, words, cell = self.labels[label]
            shown = shown or words
            return f"[{shown}]({file}#cell-id={cell})" if file else f"*{shown}*"
        return f"**{content}**"

    def source(self, key: str, role: str) -> str:
        """Authors and year, with a link to the text if it has one."""
        entry = self.entries[key]
        authors, _, year = cited(entry).rpartition(", ")
        shown = f"{authors} ({year})" if role == "cite:t" else f"{authors}, {year}"
        doi, url = entry.fields.get("doi"), entry.fields.get("url")
        address = f"https://doi.org/{doi}" if doi else url
        return f"[{shown}]({address})" if address else shown
