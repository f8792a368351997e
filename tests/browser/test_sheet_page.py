"""The formula sheet, printed and as a file."""

import re
from pathlib import Path

from conftest import HTML
from playwright.sync_api import Browser
from sensitivity_book.pictures.sheet import write_pdf
from test_book import opened

PAGE = "book/formulas.html"


def test_it_prints_on_two_pages(browser: Browser) -> None:
    """Catches a sheet that grew, and examples that are printed with it."""
    with opened(browser, PAGE, formulas=True) as page:
        paper = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 2
    assert b"/MediaBox [0 0 842" in paper or b"/MediaBox [0 0 841" in paper  # A4 across


def test_the_link_leads_to_the_pdf_of_this_build(browser: Browser, tmp_path: Path) -> None:
    """Catches a link to nothing, and a PDF that an older build left."""
    with opened(browser, PAGE) as page:
        address = page.locator("a[href$='formulas.pdf']").get_attribute("href")
    assert address
    write_pdf(tmp_path / "formulas.pdf")
    assert (HTML / PAGE).parent.joinpath(address).read_bytes() == (
        tmp_path / "formulas.pdf"
    ).read_bytes()
