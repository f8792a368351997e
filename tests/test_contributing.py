"""The guide for contributors, held to the project that it guides through."""

import re

from conftest import ROOT

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_guide_names_files_that_there_are():
    """Catches a file that has moved."""
    paths = re.findall(r"`([\w./-]+\.(?:py|md|ipynb|yml|bib))`", GUIDE)
    assert len(set(paths)) > 10
    folders = [ROOT, ROOT / "sensitivity_lab", ROOT / "book" / "sensitivity_board"]
    wanted = [path for path in paths if path != "figures.py" and not path.endswith("NAME.csv")]
    missing = [path for path in wanted if not any((folder / path).exists() for folder in folders)]
    assert missing == []
