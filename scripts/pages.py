"""Lay the stored outputs of the notebooks where the build of the pages looks for them.

A page is the text of its chapter with these outputs, so that a build runs no cell.
"""

import shutil
import sys
from typing import Any

from chapters import NOTEBOOKS, ONLY_IN_TESTS, ROOT, Document, chapter, code_cells, noted
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbformat import read
from sensitivity_book.stage.explorers.explorer import PAGE_FORM

CACHE = ROOT / "_build" / ".jupyter_cache"  # as in _config.yml


def main() -> int:
    """Fill the cache anew: whether a notebook is not what its text runs."""
    shutil.rmtree(CACHE, ignore_errors=True)
    cache, old = get_cache(CACHE), []
    for document in (one for one in noted() if one.runs):
        if stale(document):
            old.append(str(document.path.relative_to(ROOT)))
            continue
        bundle = CacheBundleIn(as_on_its_page(chapter(document)), str(document.path))
        cache.cache_notebook_bundle(bundle, check_validity=False)
    if old:
        print(f"Code has changed, and was not run since: make outputs NOTEBOOKS='{' '.join(old)}'")
    return len(old)


def stale(document: Document) -> bool:
    """Whether the cells of a text are others than those that its notebook ran."""
    path = NOTEBOOKS / str(document.copy)
    if not path.exists():
        return True
    cells = code_cells(read(path, as_version=4))
    ran = {cell.id: cell.source.removeprefix(f"{ONLY_IN_TESTS}\n") for cell in cells}
    return any(ran.get(cell.id) != cell.source for cell in code_cells(chapter(document)))


def as_on_its_page(notebook: Any) -> Any:
    """What is played with in the form for a page; no picture twice."""
    for output in (output for cell in code_cells(notebook) for output in cell.outputs):
        data = output.get("data", {})
        if PAGE_FORM in data:
            data["text/html"] = data.pop(PAGE_FORM)
        data.pop("image/png", None)
    return notebook


if __name__ == "__main__":
    sys.exit(bool(main()))
