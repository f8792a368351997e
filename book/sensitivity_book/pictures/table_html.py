"""Tables: numbers stand on the right and have true minuses;
headings are no more than a reader needs.

pandas leaves the corner of a table an empty heading, which a screen reader announces as
a heading without a name.  It becomes a plain cell.  It also gives the names of the index a row of
headings of their own, empty but for them.  They move up into the row above; where the name of the
columns stands there, the two share a cell: "query, by k".
"""

import re

ONE = r"[+\-−±×≈=\s]*(?:\d[\d,]*(?:\.\d+)?(?:e[+\-−]?\d+)?(?:/\d[\d,]*)?|∞|inf)[\s%×]*"
NUMBER = re.compile(rf"{ONE}(?:[=≈]{ONE})?")
TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
ROW = re.compile(r"<tr.*?</tr>", re.DOTALL)
CELL = re.compile(r"<(t[dh])\b([^>]*)>(.*?)</\1>", re.DOTALL)
HYPHEN = re.compile(r"(?<![\w\"=])-(?=[\d∞]|inf\b)")
WRITTEN = re.compile(r"(?:(?<=[,:] )|(?<=\())-(?=\d)")  # in words, or in a dataset


def tidy(html: str) -> str:
    """Return the HTML without empty headings, and without a row for the names of an index."""
    return clear_empty_headings(one_row_fewer(html))


def set_for_reading(html: str) -> str:
    """Return the HTML with its tables' numbers on the right, and with true minuses."""
    return TABLE.sub(lambda table: aligned(table[0]), html)


def clear_empty_headings(html: str) -> str:
    """Make each empty heading a plain cell."""
    return re.sub(r"<th([^>]*)></th>", r"<td\1></td>", html)


HEAD_ROW = r"<tr[^>]*>(?:(?!</tr>).)*</tr>"
HEADING = re.compile(r"<th([^>]*)>(.*?)</th>", re.DOTALL)


def one_row_fewer(html: str) -> str:
    """Move the names of an index up, if each stands below an empty heading or the columns' name."""
    return re.sub(rf"({HEAD_ROW})\s*({HEAD_ROW})(?=\s*</thead>)", merged, html, flags=re.DOTALL)


def merged(rows: re.Match[str]) -> str:
    """One row of headings for two, where no name is lost."""
    above, below = (HEADING.findall(row) for row in rows.groups())
    columns = list(zip(above, below, strict=False))
    last = max((i for i, column in enumerate(columns) if texts(column)[1]), default=0)
    twice = [i for i, column in enumerate(columns) if all(texts(column))]
    if len(above) != len(below) or "colspan" in rows[0] or twice not in ([], [last]):
        return rows[0]
    cells = iter(columns)

    def cell(_: re.Match[str]) -> str:
        column = next(cells)
        across, named = texts(column)
        attributes, text = column[1] if named else column[0]
        if named and "class" not in attributes:
            attributes += ' class="index_name"'
        return f"<th{attributes}>{text}{f', by {across}' if across and named else ''}</th>"

    return HEADING.sub(cell, rows[1])


def texts(cells: tuple[tuple[str, str], ...]) -> list[str]:
    """Return the words of cells, without markup."""
    return [re.sub("<[^>]*>|&nbsp;", "", text).strip() for _, text in cells]


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
    """Whether more than half of a column's cells are numbers."""
    cells = [[is_number(cell[3]) for cell in CELL.finditer(row)] for row in ROW.findall(rows)]
    width = max(map(len, cells), default=0)
    columns = ([row[-i] for row in cells if len(row) >= i] for i in range(width, 0, -1))
    return [sum(column) * 2 > len(column) for column in columns]


def is_number(html: str) -> bool:
    """Whether a cell holds a number and nothing else."""
    text = re.sub(r"<[^>]*>|&nbsp;", "", html).strip()
    return NUMBER.fullmatch(text) is not None


def number(cell: re.Match[str]) -> str:
    """Set a cell: on the right if it is a number, else with the minuses in its words true ones."""
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
