"""What the book adds to every page: definitions of terms, and where the reader is on the path."""

import re
from types import SimpleNamespace

import pytest
from conftest import ROOT
from docutils import nodes


@pytest.mark.parametrize(
    ("definition", "shown"),
    [
        ("Two neighbours (\0). Anybody can check it.", "Two neighbours. Anybody can check it."),
        ("One entry. Also row. A person may own several.", "One entry."),
        ("Kept in order, as in \0, for long.", "Kept in order, as in."),
        ("A sentence. " + "Much more is said of it here. " * 9, None),
        ("(ε, δ)-privacy, where pure has δ = 0.", "(ε, δ)-privacy, where pure has δ = 0."),
    ],
)
def test_a_definition_is_cut_after_a_sentence(extension, definition, shown):
    """Catches a tooltip that is a whole article, and one with a hole where a link was."""
    found = extension("definitions").opening(definition)
    assert found == shown or (shown is None and len(found) < 140 and found.endswith("here."))


def test_no_page_may_connect(extension):
    """Catches a page without a policy, and one whose scripts could tell somebody what is typed."""
    policy, context = extension("policy"), {"metatags": "<meta>"}
    policy.add_policy(None, "book/chapters/tables", "page.html", context, None)
    assert "connect-src 'none'" in context["metatags"]
    assert context["metatags"].endswith("<meta>")
    allowed = re.findall(
        r"[^ ;\"]*(?:https?:|\*)[^ ;\"]*", policy.told("a") + policy.told("search")
    )
    assert allowed == []  # no other machine, by name or by a star


@pytest.mark.parametrize("base", ["https://pages.example.org/lab/", "https://a.test/lab/"])
def test_a_page_says_what_it_is_and_a_placeholder_nothing(extension, tmp_path, base):
    """Catches a page shared without words, one with nobody's address, a root without a page."""
    front, context = extension("front"), {"title": "<b>One</b> number"}
    config = SimpleNamespace(html_baseurl=base, html_title="Lab")
    found = SimpleNamespace(found_docs={"book/intro"})
    app = SimpleNamespace(
        outdir=tmp_path, builder=SimpleNamespace(format="html"), config=config, env=found
    )
    front.forget_the_placeholder(app, config)
    says = nodes.paragraph(text='How far can "one" person move a number? ' * 9)
    tree = nodes.section("", nodes.note("", nodes.paragraph(text="In a box. " * 9)), says)
    front.describe(app, "book/intro", "page.html", context, tree)
    front.lay_down(app, None)
    tags = dict(re.findall(r'<meta \w+="(.*?)" content="(.*?)">', context["metatags"]))
    assert tags["description"].startswith("How far can &quot;one&quot; person")
    assert 150 < len(tags["description"]) < 300
    assert "book/intro.html" in (tmp_path / "index.html").read_text("utf-8")
    lost, real = (tmp_path / "404.html").read_text("utf-8"), "example" not in base
    assert ("https://" in lost) == (tmp_path / "sitemap.txt").exists() == real
    assert tags.get("og:url", "") == (f"{base}book/intro.html" if real else "")


def test_the_licences_lie_beside_the_scripts(extension, tmp_path):
    """Catches a build that hands on somebody's script without their licence."""
    licences = extension("licences")
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    licences.lay_down(app, None)
    texts = {file.stem: file.read_text("utf-8") for file in tmp_path.rglob("licences/*.txt")}
    assert texts.keys() == licences.BRINGS.keys()
    assert "Apache License\n" in texts["sphinx-mathjax-offline"]
    for package, text in texts.items():
        assert "Copyright" in text, package
        assert len(text) > 1_000, package
    prism = (ROOT / "book" / "_static" / "prism.js").read_text(encoding="utf-8")
    named = re.search(r"see ([\w.]+)\. ", prism)[1]
    assert "Permission is hereby granted" in (ROOT / "book/_static" / named).read_text("utf-8")
