"""Tables: numbers stand on the right and have true minuses; a table that is marked can be sorted.

A table is marked where the cell that shows it has the tag `sortable`, or where it stands in
`````{div} sortable````` or has that class itself.  Its headings become buttons by a script, `sort.js`; without
the script the table stays as it is.
"""

import re
from typing import Any

from sphinx.application import Sphinx

ONE = r"[+\-−±×≈=\s]*(?:\d[\d,]*(?:\.\d+)?(?:e[+\-−]?\d+)?(?:/\d[\d,]*)?|∞|inf)[\s%×]*"
NUMBER = re.compile(rf"{ONE}(?:[=≈]{ONE})?")
TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
ROW = re.compile(r"<tr.*?</tr>", re.DOTALL)
CELL = re.compile(r"<(t[dh])\b([^>]*)>(.*?)</\1>", re.DOTALL)
HYPHEN = re.compile(r"(?<![\w\"=])-(?=[\d∞]|inf\b)")
WRITTEN = re.compile(r"(?:(?<=[,:] )|(?<=\())-(?=\d)")  # in words, or in a dataset
SORTABLE = re.compile(r'class="[^"]*\b(?:tag_)?sortable\b')


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", set_tables, priority=450)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def set_tables(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    body = context.get("body", "")
    if "<table" in body:
        context["body"] = TABLE.sub(lambda table: aligned(table[0]), body)
    if SORTABLE.search(body):
        app.add_js_file("sort.js", loading_method="defer")


def aligned(table: str) -> str:
    """Mark the cells that are numbers, and the headings of columns that hold most of them."""
    head, end, rest = table.partition("</thead>")
    if not end:
        return table
    numeric = numeric_columns(rest)
    last = (ROW.findall(head) or [""])[-1]
    above = iter([*[False] * (len(CELL.findall(last)) - len(numeric)), *numeric])
    named = CELL.sub(lambda cell: marked(cell) if next(above, False) else cell[0], last)
    return head.replace(last, named) + end + CELL.sub(number, rest)


def numeric_columns(rows: str) -> list[bool]:
    """Whether more than half of a column's cells are numbers.

    Cells are counted from the right, because the name of a row may span several.
    """
    cells = [[is_number(cell[3]) for cell in CELL.finditer(row)] for row in ROW.findall(rows)]
    width = max(map(len, cells), default=0)
    columns = ([row[-i] for row in cells if len(row) >= i] for i in range(width, 0, -1))
    return [sum(column) * 2 > len(column) for column in columns]


def is_number(html: str) -> bool:
    text = re.sub(r"<[^>]*>|&nbsp;", "", html).strip()
    return NUMBER.fullmatch(text) is not None


def number(cell: re.Match[str]) -> str:
    if is_number(cell[3]):
        return marked(cell)
    if re.search(r"<code|<pre|class=\"math", cell[3]):
        return cell[0]
    return cell[0].replace(f">{cell[3]}</", f">{WRITTEN.sub('−', cell[3])}</")


def marked(cell: re.Match[str]) -> str:
    """A cell that stands on the right, its minus a true one."""
    tag, attributes, html = cell.groups()
    if 'class="' in attributes:
        attributes = attributes.replace('class="', 'class="num ', 1)
    else:
        attributes += ' class="num"'
    return f"<{tag}{attributes}>{HYPHEN.sub('−', html)}</{tag}>"
