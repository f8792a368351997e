"""The list of references: each under what the text cites it by, "Dwork and Roth, 2014".

The list is sorted by these labels, so a reader finds what stands in brackets.  Team names stand
under their letter like people's.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from pybtex.database import Entry
from pybtex.plugin import register_plugin
from pybtex.richtext import Text
from pybtex.style.formatting.plain import Style
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.sorting import BaseSortingStyle
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    register_plugin("pybtex.style.formatting", "author_year", AuthorYear)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def label(entry: Entry) -> str:
    """Authors and year, as the text cites them: two are named, of more the first."""
    first, *others = (
        str(Text(" ").join([*person.rich_prelast_names, *person.rich_last_names]))
        for person in entry.persons["author"]
    )
    if len(others) > 1:
        first += " et al."
    elif others:
        first += f" and {others[0]}"
    return f"{first}, {entry.fields['year']}"


class Labels(BaseLabelStyle):
    def format_labels(self, sorted_entries: Iterable[Entry]) -> Iterator[str]:
        return map(label, sorted_entries)


class ByLabel(BaseSortingStyle):
    def sorting_key(self, entry: Entry) -> tuple[str, str]:
        return label(entry).removeprefix("The ").casefold(), entry.key


class AuthorYear(Style):
    default_label_style = Labels
    default_sorting_style = ByLabel
