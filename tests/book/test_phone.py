"""The second form of a figure, for a phone, and its colours in the dark."""

import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest
from conftest import ABSENCES
from nbclient import NotebookClient
from nbformat import v4
from sensitivity_book import palette
from sensitivity_book.pictures import phone
from sensitivity_book.pictures.phone import phone_form

import sensitivity_lab as sl
from sensitivity_lab.plotting import style

TABLE = sl.sweep(
    [sl.MEAN, sl.MEDIAN, sl.SUM],
    {"absence_days": ABSENCES},
    size=6,
    relations=[make(k) for make in (sl.AddRemove, sl.Change) for k in (1, 2, 3)],
)
WITNESS = sl.global_sensitivity(sl.MEAN, ABSENCES, size=6, relation=sl.Change(1))
PAY = sl.Universe.population([("art", 1), ("law", 5), ("art", 9)])
ROWS = sl.global_sensitivity(len, PAY, size=2, relation=sl.Change(1))
WIDE = 300  # pixels that a figure has in a box on a phone of 375


def titled():
    with style.styled_figure() as figure:
        axes = figure.subplots()
        axes.set_title("a title that is a good deal longer than a phone is wide, and goes on")
        axes.plot([1, 2], label="one that is long enough")
        axes.plot([2, 1], label="and another like it")
        axes.set_xticks([1, 1.05, 2], ["a long label", "beside it", "the last"])
        figure.legend(loc="outside lower center", ncols=2)
    return figure


FIGURES = {
    "sweep": lambda: sl.plot_sweep(TABLE),
    "witness": lambda: sl.plot_witness(WITNESS),
    "rows": lambda: sl.plot_witness(ROWS),
    "titled": titled,
}


@pytest.mark.parametrize("name", FIGURES)
def test_text_on_a_phone_is_large_enough_and_stays_on_the_page(name):
    """Catches words under 11 pixels, and words that are cut off at the edge."""
    figure = phone_form(FIGURES[name]())
    assert figure.get_figwidth() == style.PHONE
    figure.set_dpi(72)
    figure.draw_without_rendering()
    page = figure.bbox.padded(6)
    for text in figure.findobj(plt.Text):
        if text.get_text().strip() and text.get_visible() and text.get_alpha() != 0:
            assert text.get_fontsize() * WIDE / (72 * style.PHONE + 8.4) >= 11, text
            box = text.get_window_extent()
            assert page.x0 <= box.x0, text
            assert box.x1 <= page.x1, text


def test_panels_come_to_stand_below_one_another():
    """Catches a panel that is lost, or squeezed to a third of a phone, and an axis without its name."""
    wide = sl.plot_sweep(TABLE)
    narrow = phone_form(wide)
    assert [axes.get_title(loc="left") for axes in narrow.axes] == ["mean", "median", "sum"]
    assert [axes.get_subplotspec().rowspan.start for axes in narrow.axes] == [0, 1, 2]
    assert [axes.get_xlabel() for axes in narrow.axes] == ["", "", style.K_LABEL]
    for one, other in zip(wide.axes, narrow.axes, strict=True):
        assert [*map(str, one.lines[0].get_xydata())] == [*map(str, other.lines[0].get_xydata())]
    assert [axes.get_subplotspec().rowspan.start for axes in wide.axes] == [0, 0, 0]  # as it was
    assert wide.get_figwidth() == style.WIDTH


def test_numbers_written_on_the_first_panel_of_a_row_are_written_on_each():
    """Catches panels below one another of which one has a scale."""
    with style.styled_figure() as figure:
        for axes in figure.subplots(1, 2, sharey=True):
            axes.plot([1, 2])
    narrow = phone_form(figure)
    for axes in narrow.axes:
        assert any(label.get_visible() for label in axes.get_yticklabels())


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    high, low = sorted(map(luminance, (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_are_seen_in_the_dark():
    """Catches a line that fades into a dark page, and words that cannot be read on it."""
    paper = palette.DARK[style.PAPER]
    words = {
        style.INK,
        style.ADDED,
        style.REMOVED,
        style.EXACT,
        style.CLAIMED,
        palette.WORDS,
        "#000000",
    }
    for light, dark in palette.DARK.items():
        if light not in palette.GROUNDS:
            assert contrast(dark, paper) >= (4.5 if light in words else 3), light
        else:  # what stands on it is seen
            assert contrast(palette.DARK[style.INK], dark) >= 4.5, light
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_every_colour_of_the_style_has_its_dark_form():
    """Catches a colour that stays as on paper when a page turns dark."""
    names = ("INK", "PALE", "GREY", "GRID", "PAPER", "BAND", "ADDED", "REMOVED", "ADDED_TINT")
    names += ("REMOVED_TINT", "CLAIMED", "EXACT", "LOOSE", "TOO_SMALL")
    assert {getattr(style, name) for name in names} | {*style.COLOURS} <= {*palette.DARK}
    drawn = {
        colour
        for draw in FIGURES.values()
        for form in (draw(), phone_form(draw()))
        for colour in re.findall(r"(?:fill|stroke): (#\w{6})", phone.with_phone_form(form, svg_of))
    }
    assert drawn <= {*palette.DARK}
    assert style.INK in drawn


def svg_of(figure):
    from io import StringIO

    file = StringIO()
    with plt.rc_context(style.STYLE):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def test_a_notebook_shows_each_figure_once_in_both_forms_and_the_same_every_time():
    """Catches a figure shown twice, as a PNG, with a last bit that differs or a phone's form that is shown."""
    cells = [
        "import sensitivity_lab as sl\nfrom sensitivity_book.pictures.phone import inline_svg\ninline_svg()",
        "school = sl.Universe.population([1, 2, 3, 10])\n"
        "found = sl.global_sensitivity(sl.MEAN, school, size=3, relation=sl.Change(1))",
        "sl.plot_witness(found)",
        "sl.plot_witness(found)",
        "figure = sl.plot_sweep(sl.sweep([sl.SUM], {'': school}, size=2, relations=[sl.Change(1)]))\n"
        "figure.set_layout_engine('none')\n"
        "figure",
        "axes, = figure.axes\n"
        "axes.set_position([axes.get_position().x0 * (1 + 1e-15), *axes.get_position().bounds[1:]])\n"
        "figure",
    ]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    assert all(not cell.outputs for cell in notebook.cells[:-4])
    data = [cell.outputs[0].data for cell in notebook.cells[-4:]]
    assert all(len(cell.outputs) == 1 for cell in notebook.cells[-4:])
    svg, again, swept, moved = (each["image/svg+xml"] for each in data)
    assert "image/png" not in data[0]
    assert svg == again
    assert "<clipPath" in swept
    assert swept == moved  # but for a last bit
    root = ElementTree.fromstring(svg)
    [second] = [part for part in root if part.get("class") == "phone"]
    assert second.get("style") == "display: none"
    assert float(second.get("width")[:-2]) < 330 < float(root.get("width")[:-2])
    ids = re.findall(r'\sid="([^"]+)"', svg)
    assert len(ids) == len({*ids})
    assert {*re.findall(r'(?:url\(#|href="#)([^")]+)', svg)} <= {*ids}
    assert svg.count(">dataset</text>") == 2
