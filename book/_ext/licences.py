"""The licences of what pages load and others wrote, laid beside it:
`_static/licences` of the built book.

Each is copied from the package that brings the scripts.  MathJax comes in one that has no licence
with it, so the text of its licence is that of `packaging`, which is under the same.  Prism's stands
beside `prism.js`.
"""

from importlib import metadata
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

BRINGS = {
    "sphinx-mathjax-offline": "MathJax 3, Copyright The MathJax Consortium, Apache License 2.0",
    "sphinx": "Sphinx: doctools.js, searchtools.js and others",
    "sphinx-book-theme": "the theme of the pages",
    "pydata-sphinx-theme": "the theme below it, with Bootstrap and Font Awesome",
    "sphinx-togglebutton": "togglebutton.js",
    "sphinx-copybutton": "copybutton.js, with clipboard.js, which names its own",
    "sphinx-design": "design-tabs.js, and the grids",
    "sphinx-proof": "proof.css",
    "sphinx-exercise": "exercise.css",
    "myst-nb": "mystnb.css",
}
ELSEWHERE = {"sphinx-mathjax-offline": ("packaging", "LICENSE.APACHE")}


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", lay_down)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def lay_down(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static" / "licences"
    folder.mkdir(parents=True, exist_ok=True)
    for package, brings in BRINGS.items():
        head = f"{package} {metadata.version(package)} brings {brings}.\n\n"
        (folder / f"{package}.txt").write_text(head + text_of(package), encoding="utf-8")


def text_of(package: str) -> str:
    """The licence that is installed with a package; a package without one is a KeyError."""
    home, name = ELSEWHERE.get(package, (package, "LICENSE"))
    for file in metadata.distribution(home).files or ():
        if ".dist-info" in file.parts[0] and file.name.removesuffix(".rst") == name:
            return file.read_text(encoding="utf-8")
    raise KeyError(f"no licence is installed with {package}")
