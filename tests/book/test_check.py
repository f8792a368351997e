"""The directive `{check}`: what it makes of its choices, and what it refuses."""

import io
import re
from pathlib import Path

import pytest
from conftest import ROOT
from sphinx.testing.util import SphinxTestApp

CHECK = """# A page

```{check} How many has $x$?
- no: 6

  Each of the `six` can go.
- yes: $24$

  Six can leave, and four can come: 6 × 4.

  So it is 24.
- no: **none**

  - They are many.
```

```{check} Another?
- no: No

  Yes, another.
- yes: Yes

  It is.
```
"""


@pytest.fixture
def built(tmp_path, monkeypatch):
    """The page, built with nothing but the directive, and what is said of it."""
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    conf = 'extensions = ["myst_parser", "check"]\nmyst_enable_extensions = ["dollarmath"]\n'
    (tmp_path / "conf.py").write_text(conf, encoding="utf-8")
    (tmp_path / "index.md").write_text(CHECK, encoding="utf-8")
    said = io.StringIO()
    app = SphinxTestApp("html", tmp_path, freshenv=True, warning=said)
    app.build()
    app.cleanup()
    (page,) = Path(app.outdir).glob("index.*")
    return page.read_text(encoding="utf-8"), said.getvalue()


def test_a_choice_opens_to_its_verdict_and_reason(built):
    """Catches a choice that tells too early, a reason without verdict, choices across questions."""
    page, said = built
    assert said == ""
    shape = r'<details class="choice (\w+)" name="(.*?)">\s*<summary>(.*?)</summary>(.*?)</details>'
    plain = [
        [" ".join(re.sub("<.*?>", "", part).split()) for part in choice]
        for choice in re.findall(shape, page, re.DOTALL)
    ]
    assert plain == [
        ["wrong", "check-1", "6", "No. Each of the six can go."],
        [
            "right",
            "check-1",
            r"\(24\)",
            "Yes. Six can leave, and four can come: 6 × 4. So it is 24.",
        ],
        ["wrong", "check-1", "none", "No. They are many."],
        ["wrong", "check-2", "No", "No. Yes, another."],
        ["right", "check-2", "Yes", "Yes. It is."],
    ]
    assert "open" not in re.findall("<details[^>]*>", page)
    labels = re.findall(r'role="group" aria-labelledby="(.*?)"', page)
    assert labels == ["check-1", "check-2"]
    assert [page.count(f' id="{label}"') for label in labels] == [1, 1]
    assert r"\(x\)" in page
