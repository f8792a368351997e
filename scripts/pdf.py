"""Print the built book as one PDF: `make pdf` writes _build/sensitivity-lab.pdf.

The book is the first page, the path, the chapters beside it, the formulas and the glossary. Chromium prints each
page as it is built, hints and solutions open; pypdf binds them, with a title page, contents, page numbers, an
outline, and links that stay in the book where they can. Other pages have no public address yet: links to them go.
"""

import io
import shutil
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote, urldefrag

import yaml
from playwright.sync_api import Page, sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, FloatObject, NameObject, NullObject, NumberObject

ROOT = Path(__file__).parents[1]
HTML, OUT = ROOT / "_build" / "html", ROOT / "_build" / "sensitivity-lab.pdf"
PARTS, REFERENCE = ("The path", "Beside the path"), ("book/formulas", "book/glossary")
MOST = 300  # pages
PAPER = {"format": "A4", "margin": dict.fromkeys(("top", "bottom", "left", "right"), "18mm")}
READY = """async () => { await window.MathJax?.startup?.promise;
  document.querySelectorAll("details.sd-dropdown").forEach((one) => { one.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach((one) => one.classList.remove("toggle-hidden")); }"""
FRONT = """<style>body { font: 11pt/1.5 serif } td { padding-right: 2em } h1 { margin-top: 40%% }</style>
<h1>Sensitivity Lab</h1><p>%s</p><p>%s</p><p>Version %s. Text and figures: CC BY 4.0. Code: MIT.</p>
<h2 style="break-before: page">Contents</h2><table>%s</table>"""
FOOT = """<div style="height: 99vh; position: relative; break-after: page"><p style="position: absolute;
bottom: 6mm; width: 100%%; text-align: center; font: 9pt serif">%d</p></div>"""


def listed() -> list[str]:
    """The pages of the book, in its order."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = {
        one["caption"]: [page["file"] for page in one["chapters"]] for one in contents["parts"]
    }
    return [contents["root"], *(page for name in PARTS for page in parts[name]), *REFERENCE]


def printed(page: Page, name: str) -> tuple[str, PdfReader]:
    """The title of a page of the book, and the page as Chromium prints it, once its formulas are set."""
    page.goto((HTML / f"{name}.html").as_uri())
    page.emulate_media(media="print", color_scheme="light")
    page.evaluate(READY)
    pdf = page.pdf(**PAPER, scale=0.85)
    return " ".join(page.locator("h1").first.inner_text().split()), PdfReader(io.BytesIO(pdf))


def made(page: Page, html: str, **paper: object) -> PdfReader:
    page.set_content(html)
    return PdfReader(io.BytesIO(page.pdf(**{**PAPER, **paper})))


def front(titles: list[str], starts: list[int]) -> str:
    """The title page, and the contents with their page numbers."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = (f"<tr><td>{title}<td>{at + 1}" for title, at in zip(titles, starts, strict=True))
    return FRONT % (told["description"], told["authors"][0]["name"], told["version"], "".join(rows))


def spot(reader: PdfReader, start: int, name: str) -> tuple[int, NullObject | FloatObject]:
    """The page of the book, and how high on it, where a name of one of its parts stands; else its start."""
    named = reader.named_destinations
    found = named.get(name) or named.get(f"/{name}")
    if found is None:
        return start, NullObject()
    return start + (reader.get_destination_page_number(found) or 0), FloatObject(found.top)


def relink(writer: PdfWriter, parts: dict[str, tuple[PdfReader, int]]) -> None:
    """Let links lead to pages of the book: those within a part, and those to the file of another one."""
    for name, (reader, start) in parts.items():
        pages = writer.pages[start : start + len(reader.pages)]
        for link in (one.get_object() for own in pages for one in own.get("/Annots") or ()):
            file, place = urldefrag(str(link.get("/A", {}).get("/URI", "")))
            there = unquote(file).removeprefix(f"{HTML.as_uri()}/").removesuffix(".html")
            if "/Dest" in link:
                there, place = name, str(link["/Dest"]).removeprefix("/")
            elif not file.startswith("file:"):
                continue
            link.pop("/A", None)
            link.pop("/Dest", None)
            if there in parts:
                at, high = spot(*parts[there], unquote(place))
                goal = [writer.pages[at].indirect_reference, NameObject("/XYZ"), NumberObject(0)]
                link[NameObject("/Dest")] = ArrayObject([*goal, high, NullObject()])


def main() -> bool:
    """Bind the book; whether it has become too long."""
    names, writer = listed(), PdfWriter()
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"]).new_page()
        titles, readers = map(list, zip(*(printed(page, name) for name in names), strict=True))
        starts = [2 + sum(len(one.pages) for one in readers[:at]) for at in range(len(readers))]
        for reader in (made(page, front(titles, starts)), *readers):
            writer.append(reader, import_outline=False)
        feet = made(page, "".join(FOOT % (at + 1) for at in range(len(writer.pages))), margin={})
    for own, foot in list(zip(writer.pages, feet.pages, strict=False))[1:]:
        own.merge_page(foot)
    relink(writer, dict(zip(names, zip(readers, starts, strict=True), strict=True)))
    for title, at in zip(titles, starts, strict=True):
        writer.add_outline_item(title=title, page_number=at)
    writer.add_metadata({"/Title": "Sensitivity Lab"})
    writer.compress_identical_objects()
    writer.write(OUT)
    print(f"{OUT.relative_to(ROOT)}: {len(writer.pages)} pages, {OUT.stat().st_size / 1e6:.1f} MB")
    return len(writer.pages) > MOST


if __name__ == "__main__":
    sys.exit(main())
