"""nbval as the book compares: a digit is noticed wherever it stands, and no more than that."""

import os
import re
import subprocess
import sys
from copy import deepcopy

import nbformat
from lab_copies import outputs

CELLS = (
    "from sensitivity_book.pictures.phone import inline_svg; inline_svg(); print('moves by', 19)",
    "import pandas as pd; pd.DataFrame({'sensitivity': [2.5]})",
    "import matplotlib.pyplot as plt; plt.plot([1, 2], [1, 4]); plt.title('of 160'); plt.gcf()",
)
CHANGED = [  # of which cell, and what is changed in its outputs
    (0, "moves by 19", "moves by 18"),
    (1, "<td>2.5</td>", "<td>2.4</td>"),
    (2, ">of 160<", ">of 161<"),
    (2, r"d=\"M (\d\d)", r'd="M 9\1'),
    (2, r"d=\"M (\d\d)\.", r'd="M \1.9'),  # less than Matplotlibs differ by
]


def test_a_digit_is_noticed_and_another_matplotlib_is_not(tmp_path):
    """Catches rules that let a number, a word of a picture or a curve pass that is another, and
    those that fail for nobody's fault; nbval runs elsewhere, on what others made of a notebook."""
    sources = [CELLS[0], *(CELLS[cell] for cell, *_ in CHANGED)]
    ran = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in sources])
    outputs.run(ran)
    for cell, (_, before, after) in zip(ran.cells[1:], CHANGED, strict=True):
        was = deepcopy(cell)
        for data in (out.get("data", out) for out in cell.outputs):
            for kind in data.keys() & {"text", "text/html", "image/svg+xml"}:
                data[kind] = re.sub(before, after, data[kind], count=1)
        assert cell != was, before
    nbformat.write(ran, tmp_path / "changed.ipynb")
    rules = ("-p", "sensitivity_book.notebook_tests", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *rules, "--nbval", "-q", "-rA", "--tb=no", "."]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", env=own)
    told = re.findall(r"^(PASSED|FAILED) changed\.ipynb::Cell (\d)", done.stdout, re.M)
    passed = [number for result, number in told if result == "PASSED"]
    assert (len(told), passed) == (6, ["0", "5"]), done.stdout
