"""The chapters with their outputs, the copies that JupyterLab opens, and what none may show."""

import re
import sys
from functools import cache

from conftest import ROOT

sys.path.append(str(ROOT / "scripts"))
import chapters
import lab  # noqa: F401
import outputs  # noqa: F401
import pages
import ties  # noqa: F401

# What JupyterLab would print as it stands: options, roles, labels and fences of directives.
RAW = re.compile(
    r":label:|:class:|\{(ref|term|cite|numref|prf|eq)|</book|^\s*[`:~]{3,}\{|^\(.*\)=$", re.M
)
DOCUMENTS = {one.path.stem: one for one in chapters.noted()}
CHAPTERS = sorted((ROOT / "book" / "chapters").glob("*.md"))


@cache
def read(name):
    """A chapter as its page shows it: the cells of its text, with the outputs that are stored."""
    return pages.as_on_its_page(chapters.chapter(DOCUMENTS[name]))
