"""Run the book's notebooks on all cores, and keep what they answer where the build looks for it.

With `stored` their stored outputs are taken instead, which nbval has confirmed.
"""

import logging
import os
import shutil
import sys
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors import load_executor
from sensitivity_book.stage.explorers.explorer import PAGE

ROOT = Path(__file__).parents[1]
CACHE = ROOT / "_build" / ".jupyter_cache"  # as in _config.yml
LOG = ROOT / "_build" / "notebooks.log"
SECONDS = 300  # for one cell


def main(stored: bool) -> int:
    """Fill the cache anew: how many notebooks failed."""
    os.environ[PAGE] = "all"
    shutil.rmtree(CACHE, ignore_errors=True)  # it would not see that the package has changed
    cache = get_cache(CACHE)
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"), key=lambda path: -path.stat().st_size)
    if stored:
        for path in notebooks:
            notebook = nbformat.read(path, as_version=4)
            cache.cache_notebook_bundle(CacheBundleIn(notebook, str(path)), check_validity=False)
        return 0
    for path in notebooks:
        cache.add_nb_to_project(str(path))
    with LOG.open("w", encoding="utf-8") as log:  # each kernel warns of its sockets there
        os.dup2(log.fileno(), sys.stderr.fileno())
        logging.basicConfig(level=logging.WARNING)
        executor = load_executor("local-parallel", cache, logging.getLogger())
        ran = executor.run_and_cache(timeout=SECONDS)
    for path in (*ran.excepted, *ran.errored):
        said = cache.get_project_record(path).traceback or "it could not be read"
        print(f"{path} failed: {said.rpartition('nbclient.exceptions.')[2]}")
    return len(ran.excepted) + len(ran.errored)


if __name__ == "__main__":
    sys.exit(bool(main("stored" in sys.argv[1:])))
