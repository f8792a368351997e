"""A table that is marked can be sorted, by mouse and by keyboard, from a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from playwright.sync_api import Browser, Page
from test_book import opened

SCRIPT = (ROOT / "book" / "_static" / "sort.js").as_uri()
ROWS = [
    ("mean", "19/6 ≈ 3.167", "−1", "5%"),
    ("count", "4", "∞", "1,000%"),
    ("Sum", "1/2", "—", "20%"),
    ("median", "≈ 1.41421", "-2.5", "100%"),
    ("quantile(0.9)", "3/4", "1e-3", "7%"),
    ("quantile(0.25)", "10", "0", "6%"),
]
ASCENDING = {
    "query": ["count", "mean", "median", "quantile(0.25)", "quantile(0.9)", "Sum"],
    "exact": ["1/2", "3/4", "≈ 1.41421", "19/6 ≈ 3.167", "4", "10"],
    "gap": ["-2.5", "−1", "0", "1e-3", "∞", "—"],
    "share": ["5%", "6%", "7%", "20%", "100%", "1,000%"],
}


def table(rows: list[tuple[str, ...]], attributes: str = "") -> str:
    head = "".join(f"<th>{name}</th>" for name in ASCENDING)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table {attributes}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    spanned = table(ROWS).replace("<td>mean", '<td rowspan="2">mean')
    html = (
        f'<meta charset="utf-8"><div class="cell tag_sortable">{table(ROWS)}</div>{table(ROWS)}'
        f'<div class="sortable">{spanned}</div><script src="{SCRIPT}"></script>'
    )
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    with opened(browser, str(tmp_path / "page.html")) as page:
        yield page


def column(page: Page, name: str) -> list[str]:
    at = [*ASCENDING].index(name) + 1
    return page.locator(f".tag_sortable td:nth-child({at})").all_inner_texts()


def test_a_column_is_sorted_up_and_down(page: Page) -> None:
    """Catches numbers sorted as words, a gap among the numbers, a heading for a mouse alone."""
    for name, ascending in ASCENDING.items():
        heading = page.get_by_role("columnheader", name=name).first
        button = heading.get_by_role("button")
        there = [cell for cell in ascending if cell != "—"]
        descending = there[::-1] + [cell for cell in ascending if cell == "—"]
        for hand, order, said in (
            (button.click, ascending, "ascending"),
            (button.click, descending, "descending"),
            (lambda: page.keyboard.press("Enter"), ascending, "ascending"),  # it kept the focus
            (lambda: page.keyboard.press("Space"), descending, "descending"),
        ):
            hand()
            assert column(page, name) == order
            assert heading.get_attribute("aria-sort") == said


def test_no_other_table_has_buttons(page: Page) -> None:
    """Catches a table that nobody marked, and one whose rows share a cell."""
    assert page.locator("button").count() == len(ASCENDING)
    assert page.locator(".tag_sortable button").count() == len(ASCENDING)
