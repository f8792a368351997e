"""A table in which a reader ticks a relation, and sees which pairs of datasets it allows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

import sensitivity_lab as sl
from sensitivity_book.palette import MIDDLE

Dataset = tuple[Any, ...]

STYLE = f"""
.ticks table {{ border-collapse: collapse; margin: 0 auto; }}
.ticks :is(th, td) {{ padding: .3em .5em; text-align: center; background: none; }}
.ticks th label {{ cursor: pointer; font-weight: normal; display: block; }}
.ticks tbody tr {{ border-top: 1px solid {MIDDLE}8; }}
.ticks tbody th {{ font-weight: normal; white-space: nowrap; }}
.ticks small {{ font-size: .85em; }}
.ticks td b {{ display: none; }}
@media (max-width: 600px) {{ .ticks table {{ font-size: .8em; }} \
.ticks :is(th, td) {{ padding: .2em; }} }}
"""
SHOWN = ".ticks:has(.tick{0}:checked) .tick{0} b {{ display: inline; }}\n"
SHOWN += ".ticks:has(.tick{0}:checked) .tick{0} i {{ display: none; }}\n"
PLAIN = ".ticks td b { display: inline; } .ticks td i { display: none; }"
ALWAYS = f"@supports not selector(:has(a)) {{ {PLAIN} }}\n@media print {{ {PLAIN} }}\n"


class Ticks:
    """Who is a neighbour of a dataset: hidden, relation by relation, until the reader ticks it."""

    def __init__(
        self, dataset: Dataset, others: Sequence[Dataset], relations: Sequence[sl.Relation]
    ) -> None:
        self.dataset, self.others, self.relations = dataset, others, relations
        self.answers = [
            ["yes" if one.are_neighbours(dataset, other) else "·" for one in relations]
            for other in others
        ]

    def __repr__(self) -> str:
        return f"<Ticks: neighbours of {self.dataset} under {', '.join(map(str, self.relations))}>"

    def _repr_html_(self) -> str:
        style = STYLE + "".join(map(SHOWN.format, range(len(self.relations)))) + ALWAYS
        heads = "".join(map(_head, range(len(self.relations)), self.relations))
        rows = "".join(map(self._row, self.others, self.answers))
        return (
            f'<style>{style}</style><div class="ticks"><table><thead><tr><th>dataset</th>'
            f"{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
        )

    def _row(self, other: Dataset, answers: Sequence[str]) -> str:
        cells = "".join(
            f'<td class="tick{i}"><i>?</i><b>{said}</b></td>' for i, said in enumerate(answers)
        )
        moved = escape(_moved(self.dataset, other))
        records = ", ".join(map(str, other))
        return f"<tr><th>{records}<br><small>{moved}</small></th>{cells}</tr>"


def _head(number: int, relation: sl.Relation) -> str:
    """A relation with its box; its name may break between its words."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z(])", "<wbr>", str(relation))
    box = f'<input type="checkbox" class="tick{number}">'
    return f"<th><label>{box}<br>{name}</label></th>"


def _moved(dataset: Dataset, other: Dataset) -> str:
    """Which records left and which joined, as − 3, + 4."""
    before, after = Counter(dataset), Counter(other)
    left = [f"\N{MINUS SIGN}\N{NO-BREAK SPACE}{one}" for one in (before - after).elements()]
    joined = [f"+\N{NO-BREAK SPACE}{one}" for one in (after - before).elements()]
    return ", ".join([*left, *joined]) or "no change"
