"""The decks: reveal.js from the package, formulas and figures from the book,
nothing from a network."""

project = "Sensitivity Lab"
author = "The Sensitivity Lab authors"
extensions = [
    "myst_parser",
    "sphinx_revealjs",
    "sphinxcontrib.bibtex",
    "sphinx-mathjax-offline",
    "references",
]
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
exclude_patterns = ["_build"]
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "author_year"
bibtex_reference_style = "author_year"
revealjs_style_theme = "white"
revealjs_static_path = ["_static"]
revealjs_css_files = ["deck.css"]
revealjs_script_plugins = [{"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"}]
revealjs_script_conf = (
    "{hash: true, slideNumber: 'c/t', transition: 'none', width: 1200, height: 700}"
)
