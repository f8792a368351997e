"""The directive `{check}`: a question that readers answer for themselves, on the page.

Its argument is the question.  Its body is one bullet list, an item for each choice.  An item begins
with `yes:` or `no:`; the rest of its first paragraph is the choice, what follows is the reason.

On the page a choice is a `<details>` that opens to "Yes." or "No." and the reason, without a
script; they share a name, so that one is open at a time.  Everywhere else it is a question and a
list.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

VERDICT = re.compile(r"(yes|no):\s*")


class check(nodes.container): ...


class question(nodes.paragraph): ...


class choices(nodes.bullet_list): ...


class choice(nodes.list_item): ...


class offered(nodes.paragraph): ...


class reason(nodes.container): ...


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("check", Check)
    for kind, opened, closed in HTML:
        app.add_node(
            kind, html=(visitor(opened), visitor(closed))
        )  # others: as what it descends from
    return {"parallel_read_safe": True, "parallel_write_safe": True}


HTML = [
    (
        check,
        '<div class="check" role="group" aria-labelledby="{id}">\n'
        '<p class="check-title" aria-hidden="true">Check yourself</p>\n',
        "</div>\n",
    ),
    (question, '<p class="question" id="{id}">', "</p>\n"),
    (choices, "", ""),
    (choice, '<details class="choice {verdict}" name="{id}">\n', "</details>\n"),
    (offered, "<summary>", "</summary>\n"),
    (reason, '<div class="reason">', "</div>\n"),
]


def visitor(markup: str) -> Any:
    return lambda writer, node: writer.body.append(markup.format_map(node.attributes))


class Check(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        id_ = f"check-{self.env.new_serialno('check') + 1}"
        asked, messages = self.state.inline_text(self.arguments[0], self.lineno)
        body = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, body)
        if len(body) != 1 or not isinstance(body[0], nodes.bullet_list):
            raise self.error("a check has one bullet list, of its choices, and nothing else")
        answers = [self.answer(item, id_) for item in body[0]]
        if {answer["verdict"] for answer in answers} != {"right", "wrong"}:
            raise self.error("a check has at least one choice with yes: and one with no:")
        title = question("", "", *asked, id=id_)
        return [check("", title, choices("", *answers, bullet="-"), id=id_), *messages]

    def answer(self, item: Any, id_: str) -> choice:
        first = item[0] if item.children else nodes.paragraph()
        opening = first[0].astext() if first.children else ""
        found = VERDICT.match(opening)
        if not (isinstance(first, nodes.paragraph) and found):
            raise self.error(f"a choice begins with yes: or no:, got {first.astext()[:40]!r}")
        if first.astext() == found[0].strip():
            raise self.error("a choice says nothing after its yes: or no:")
        if len(item) < 2:
            raise self.error(
                f"a choice needs a reason, in a paragraph below: {first.astext()[:40]!r}"
            )
        verdict, word = {"yes": ("right", "Yes."), "no": ("wrong", "No.")}[found[1]]
        rest = nodes.Text(opening[found.end() :])
        because = item[1:]
        if not isinstance(because[0], nodes.paragraph):
            because.insert(0, nodes.paragraph())
        because[0].insert(0, [nodes.strong("", word), nodes.Text(" ")])
        return choice(
            "", offered("", "", rest, *first[1:]), reason("", *because), verdict=verdict, id=id_
        )
