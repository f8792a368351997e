"""The copies that `scripts/lab.py` makes for JupyterLab, and what none of them may show."""

import re
import sys

from conftest import ROOT

sys.path.append(str(ROOT / "scripts"))
import lab  # noqa: F401

# What JupyterLab would print as it stands: options, roles, labels and fences of directives.
RAW = re.compile(
    r":label:|:class:|\{(ref|term|cite|numref|prf|eq)|</book|^\s*[`:~]{3,}\{|^\(.*\)=$", re.M
)
