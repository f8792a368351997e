"""Print the built book as one PDF: `make pdf` writes _build/sensitivity-lab.pdf.

The book is the first page, the path, the chapters beside it, the formulas, the glossary and the
sources. Chromium prints each page as it is built, with outputs, hints, solutions and reasons open;
pypdf binds them, with a title page, contents, page numbers, an outline, and links that stay in the
book where they can. Other pages have no public address yet: links to them go.
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
PARTS = ("The path", "Beside the path")
REFERENCE = ("book/formulas", "book/glossary", "book/bibliography")
MOST = 300  # pages
WIDTH = round((210 - 2 * 18) / 25.4 * 96 / 0.85)  # pixels between the margins, at 85 %
PAPER = {"format": "A4", "margin": dict.fromkeys(("top", "bottom", "left", "right"), "18mm")}
READY = """async () => { await window.MathJax?.startup?.promise;
  document.querySelectorAll("details:is(.sd-dropdown, .below-input, .choice)").forEach((one) => {
    one.removeAttribute("name");    /* of choices only one may be open */
    one.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach(
    (one) => one.classList.remove("toggle-hidden"));
  document.querySelectorAll(".cell_output table:not(.sheet)").forEach((one) => {
    const room = one.closest(".cell_output").clientWidth;
    if (one.offsetWidth > room) one.style.zoom = room / one.offsetWidth; }); }"""
# A reader alone has nobody to ask: reasons are shown below their choices.
REASONS = """.bd-article details.choice > .reason { display: block !important }
.bd-article details.choice > summary::before { color: inherit !important }"""
FRONT = """<style>body { font: 11pt/1.5 serif } h1 { margin-top: 40%% }
h3 { font-size: 11pt; margin: 1.2em 0 0 } a { color: inherit; text-decoration: none }
p.at { border-bottom: 1px dotted; display: flex; justify-content: space-between; margin: 0.2em 0 }
</style><h1>Sensitivity Lab</h1><p style="max-width: 24em">%s</p><p>%s</p>
<p>Version %s. Text and figures: CC BY 4.0. Code: MIT.</p>
<h2 style="break-before: page">Contents</h2>%s"""
FOOT = """<div style="height: 99vh; position: relative; break-after: page">
<p style="position: absolute; bottom: 6mm; width: 100%%; text-align: center; font: 9pt serif">
%d</p></div>"""


def listed() -> dict[str, str]:
    """The pages of the book, in its order, each with the part in which it stands."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = {
        one["caption"]: [page["file"] for page in one["chapters"]] for one in contents["parts"]
    }
    chapters = {page: part for part in PARTS for page in parts[part]}
    return {contents["root"]: "", **chapters, **dict.fromkeys(REFERENCE, "Reference")}


def printed(page: Page, name: str) -> tuple[str, PdfReader]:
    """The title of a page of the book, and the page as Chromium prints it,
    once its formulas are set."""
    page.goto((HTML / f"{name}.html").as_uri())
    page.emulate_media(media="print", color_scheme="light")
    page.evaluate(READY)
    page.add_style_tag(content=REASONS)
    pdf = page.pdf(**PAPER, scale=0.85)
    return " ".join(page.locator("h1").first.inner_text().split()), PdfReader(io.BytesIO(pdf))


def made(page: Page, html: str, **paper: object) -> PdfReader:
    page.set_content(html)
    return PdfReader(io.BytesIO(page.pdf(**{**PAPER, **paper})))


def numbered(titles: list[str], parts: list[str]) -> list[str]:
    """The titles, chapters with their numbers,
    which the theme writes where text cannot be read off."""
    chapters = [at for at, part in enumerate(parts) if part in PARTS]
    return [
        f"{chapters.index(at) + 1}. {title}" if at in chapters else title
        for at, title in enumerate(titles)
    ]


def front(pages: dict[str, str], titles: list[str], starts: list[int]) -> str:
    """The title page, and the contents by part, each line a link with its page number."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows, above = "", ""
    for (name, part), title, at in zip(pages.items(), titles, starts, strict=True):
        rows += f"<h3>{part}</h3>" if part != above else ""
        link = f'<a href="{(HTML / name).as_uri()}.html">{title}</a>'
        rows, above = rows + f'<p class="at">{link}<span>{at + 1}</span></p>', part
    return FRONT % (told["description"], told["authors"][0]["name"], told["version"], rows)


def spot(reader: PdfReader, start: int, name: str) -> tuple[int, NullObject | FloatObject]:
    """The page of the book, and how high on it, where a name of one of its parts stands;
    else its start."""
    named = reader.named_destinations
    found = named.get(name) or named.get(f"/{name}")
    if found is None:
        return start, NullObject()
    return start + (reader.get_destination_page_number(found) or 0), FloatObject(found.top)


def relink(writer: PdfWriter, parts: dict[str, tuple[PdfReader, int]]) -> None:
    """Let links lead to pages of the book: those within a part,
    and those to the file of another one."""
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
    pages, writer = listed(), PdfWriter()
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"]).new_page(
            viewport={"width": WIDTH, "height": 1_000}
        )
        titles, readers = map(list, zip(*(printed(page, name) for name in pages), strict=True))
        titles = numbered(titles, list(pages.values()))
        starts = [2 + sum(len(one.pages) for one in readers[:at]) for at in range(len(readers))]
        opening = made(page, front(pages, titles, starts))
        for reader in (opening, *readers):
            writer.append(reader, import_outline=False)
        feet = made(page, "".join(FOOT % (at + 1) for at in range(len(writer.pages))), margin={})
    for own, foot in list(zip(writer.pages, feet.pages, strict=False))[1:]:
        own.merge_translated_page(foot, float(own.mediabox.width - foot.mediabox.width) / 2, 0)
    relink(
        writer,
        {"": (opening, 0), **dict(zip(pages, zip(readers, starts, strict=True), strict=True))},
    )
    for title, at in zip(titles, starts, strict=True):
        writer.add_outline_item(title=title, page_number=at)
    writer.add_metadata({"/Title": "Sensitivity Lab"})
    writer.compress_identical_objects()
    writer.write(OUT)
    print(f"{OUT.relative_to(ROOT)}: {len(writer.pages)} pages, {OUT.stat().st_size / 1e6:.1f} MB")
    return len(writer.pages) > MOST


if __name__ == "__main__":
    sys.exit(main())
