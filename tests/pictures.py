"""What several test modules ask of figures and of panels with sliders."""

import io
import re

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex

import sensitivity_lab as sl
from sensitivity_lab.plotting import style, witness

ONE = sl.Change(1)
picture = pytest.mark.mpl_image_compare(
    style="default", deterministic=True, savefig_kwargs={"dpi": 80}, tolerance=1
)


def svg(figure):
    file = io.StringIO()
    with plt.rc_context(style.STYLE):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def texts(figure):
    return [text.get_text() for text in figure.findobj(plt.Text) if text.get_text()]


def arrows(figure):
    """What marks a gap from answer to answer."""
    return [text for text in figure.axes[0].texts if getattr(text, "arrow_patch", None)]


def asked(query, universe, size=6, relation=ONE, **ask):
    return sl.global_sensitivity(query, universe, size=size, relation=relation, **ask)


def drawn(query, universe, size=6, relation=ONE, **ask):
    """A witness, and it as it stands on a page of 72 dots an inch."""
    figure = sl.plot_witness(asked(query, universe, size, relation, **ask))
    figure.set_dpi(72)
    figure.draw_without_rendering()
    return figure


def drawn_beside(found):
    """A witness on the right of two axes of a caller's own."""
    figure = plt.Figure(figsize=(10, 3))
    left, right = figure.subplots(1, 2)
    assert sl.plot_witness(found, ax=right) is right
    assert right.get_title().startswith(f"{found.query.name}, at most 1 record")
    assert right.get_legend().get_texts()
    assert not left.lines
    assert not figure.legends
    figure.draw_without_rendering()
    return right


def assert_readable(figure):
    """Hold a figure's letters to 12 points and to its page."""
    assert figure.get_figwidth() == style.WIDTH
    figure.set_dpi(72)
    figure.draw_without_rendering()
    page = figure.bbox.padded(1)
    for text in figure.findobj(plt.Text):
        if text.get_text().strip() and text.get_visible() and text.axes is not None:
            box = text.get_window_extent()
            assert text.get_fontsize() >= 12, text
            assert page.x0 <= box.x0 <= box.x1 <= page.x1, text


def dots(figure, kind):
    """Where the dots of one kind stand, with how high: (x, y)."""
    kind_style = witness.KINDS[kind]
    return sorted(
        (line.get_xdata()[0], line.get_ydata()[0])
        for line in figure.axes[0].lines
        if line.get_marker() == kind_style["marker"]
        and to_hex(line.get_color()) == kind_style["color"]
    )


def turned(box, **settings):
    """Turn the controls of these names; return the sentence, the panels and the pair."""
    *controls, sentence, panels, pair, _ = box.children
    for control, name in zip(controls, ("k", "size", "relation", "query"), strict=True):
        if name in settings:
            control.value = settings[name]
    return sentence.value, panels.value, pair.value


def said(svg):
    """The texts of a picture."""
    return {*re.findall(r"<text[^>]*>([^<]*)</text>", svg)}
