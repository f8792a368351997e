"""What an answer shows: the number, two datasets, what it speaks of, noise, Python, the curve."""

import io
import math
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from sensitivity_beyond.ask.call import Call
from sensitivity_beyond.ask.form import Form, Refused
from sensitivity_beyond.ask.reading import preview
from sensitivity_beyond.tables.shown import marked_witness
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import as_float
from sensitivity_lab.numbers.text import counted, number_text, true_minus, value_text
from sensitivity_lab.results import Sensitivity, captions
from sensitivity_lab.tables import compare

PAGE: dict[str, Any] = {"seconds": 20, "max_datasets": 500_000, "progress": False}
DESK: dict[str, Any] = {"seconds": 120, "progress": False}
SMALLER = ". A page stops after 20 seconds, or at 500,000 datasets; Python on a desk has more."
EPSILONS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10)
LAST: dict[str, Any] = {}  # all names of the call that was answered last, for its curve
TURN = "const at = this.dataset.epsilons.split(' ')[this.value]; this.ariaValueText = at; \
this.nextElementSibling.textContent = at; this.closest('section').querySelectorAll('.frame')\
.forEach((one, i) => { one.hidden = i != this.value; })"


def look(form: Form) -> dict[str, Any]:
    """What was read of a form: its shape, its columns, and the first rows; or what is refused."""
    try:
        data = Call(form).data
    except Refused as refused:
        return {"field": refused.field, "refused": str(refused), "shape": "numbers", "columns": []}
    columns = [str(name) for name in data.data] if data.shape == "table" else []
    return {"shape": data.shape, "columns": columns, "html": preview(data)}


def answer(form: Form, budget: dict[str, Any] = PAGE) -> dict[str, str]:
    """The answer as HTML; or what is refused, the field that it speaks of, and the Python."""
    code = ""
    try:
        call = Call(form)
        code = section("The same in Python", f"<pre tabindex='0'>{escape(call.snippet())}</pre>")
        LAST.update(call.run(**budget))
    except Refused as refused:
        limited = isinstance(refused.__cause__, (TooLarge, TimeoutError)) and budget is PAGE
        return {"field": refused.field, "refused": f"{refused}{SMALLER * limited}", "html": code}
    return {"html": shown(call, LAST["found"]) + code}


def shown(call: Call, found: Sensitivity) -> str:
    """The parts of an answer; what comes from a caller is escaped."""
    many = f"All {counted(found.datasets, 'dataset')} that there are were asked."
    how = "A proof shows it, with no list of all." if found.method == "solver" else many
    said = (
        f"<b>{escape(found.query.name)}</b>, {found.relation.description}: no two such datasets "
        f"have answers further apart, and these two are as far apart. {how}"
    )
    pair = marked_witness(found.universe, found.witness).html(captions(found))
    html = section(f"The answer: {true_minus(value_text(found.value))}", f"<p>{said}</p>")
    html += section("Two datasets that prove it", pair)
    html += section("What the number speaks of", f"<p>{' '.join(scope(call, found))}</p>")
    return html + section("Noise for an ε", dial(as_float(found.value)))


def section(title: str, html: str) -> str:
    """A part of the answer under its title."""
    return f'<section><h3 tabindex="-1">{escape(title)}</h3>{html}</section>'


def scope(call: Call, found: Sensitivity) -> Iterator[str]:
    """What the number is true of, and what it is not."""
    form, hidden = call.form, call.form["size_kind"] == "hidden"
    who = f"{'up to ' * hidden}{form['size']} {'people' if form['person'] else 'records'}"
    if form["known"] == "known":
        yield f"It is true of all datasets of {who} out of those that were read."
    else:
        yield f"It is true of all datasets of {who} with the values that were named."
        yield "A value beyond them may move the answer further, unless numbers are cut to bounds."
    if not hidden and form["neighbours"] != "Change":
        yield "The number of records is taken to be public. If it is not, ask for any up to some."
    if not found.relation.at_most and found.relation.k > 1:
        yield "It is for exactly k; noise must hide fewer people too, so make it for at most k."
    if form["groups"] == "seen":
        yield "Which groups are published tells, without any noise, that somebody is in them."
    yield from (f"Left out: {escape(line)}." for line in (*found.infeasible, *found.not_asked))
    yield "It does not speak of a program's rounding, nor of other numbers of the same people."


def dial(sensitivity: float) -> str:
    """A slider over ε, each with how large Laplace noise is, and a tent over either answer."""
    if not sensitivity:
        return "<p>Nobody can move this answer: it needs no noise.</p>"
    frames = "".join(
        f'<div class="frame"{" hidden" * (epsilon != 1)}>{noise(sensitivity, epsilon)}</div>'
        for epsilon in EPSILONS
    )
    given = f'value="{EPSILONS.index(1)}" data-epsilons="{" ".join(map(str, EPSILONS))}"'
    given += f' max="{len(EPSILONS) - 1}" aria-valuetext="1" oninput="{escape(TURN)}"'
    label = f'<label>ε, smaller is safer <input type="range" {given}> <output>1</output></label>'
    return f"<p>{label}</p>{frames}"


def noise(sensitivity: float, epsilon: float) -> str:
    """The noise for an ε, in a sentence and as a picture."""
    scale, tents = sensitivity / epsilon, ""
    wide, within = (number_text(float(f"{x:.3g}")) for x in (scale, scale * math.log(10)))
    for look, end in (("leaves", 0), ("joins", 1)):  # the two answers are a sensitivity apart
        ys = [84 - 60 * math.exp(-epsilon * abs(i / 15 - 3 - end)) for i in range(101)]
        points = " ".join(f"{3 * i},{y:.1f}" for i, y in enumerate(ys))
        tents += f"<polyline class='{look}' points='{points}'/>"
    return (
        f"<p>At ε = {epsilon:g} add Laplace noise of scale {wide}, made for L1: nine of ten times "
        f"each published number is within <b>{within}</b> of the true one.</p>"
        "<svg class='noise' viewBox='0 0 300 90' style='max-width: 40em' fill='none' "
        "stroke='currentColor' role='img' aria-label='Where the published number falls: a tent over"
        f" each of the two answers.'>{tents}<path d='M0 84H300'/><g fill='currentColor' "
        "stroke='none' font-size='12'><text x='132' y='14' text-anchor='end'>dataset</text>"
        "<text x='153' y='14'>neighbour</text></g></svg>"
    )


def curve(_form: Any = None, budget: dict[str, Any] = PAGE) -> dict[str, str]:
    """Of the last answer the package's picture against k, with the closed form, and in words."""
    from matplotlib import rc_context  # loaded when the number is there
    from matplotlib.text import Text

    from sensitivity_lab.plotting import PHONE, STYLE
    from sensitivity_lab.plotting.curves import plot_sweep

    found, kind = LAST["found"], type(LAST["found"].relation)
    relations = [kind(k) for k in range(1, max(4, found.relation.k) + 1)]
    asked = [LAST["query"]], {"": LAST["universe"]}
    try:
        table = compare(*asked, size=found.size, relations=relations, **budget)
    except (ValueError, TimeoutError) as error:
        return {"html": f"<p>{escape(str(error))}{SMALLER * (budget is PAGE)}</p>"}
    table.attrs, said, file = {}, [], io.StringIO()  # the form says what was asked
    columns = table[["k", "sensitivity", "closed_form", "status"]]
    for k, value, form, status in columns.to_numpy(dtype=object):
        beside = "" if form is None else f" (closed form: {number_text(form)}, {status})"
        said.append(f"k = {k}: {'no neighbours' if value is None else number_text(value)}{beside}")
    figure: Any = plot_sweep(table, formulas=bool(table["closed_form"].notna().any()))
    for text in figure.findobj(Text):
        text.set_parse_math(False)  # a column may be called $x$
    figure.axes[0].set_title("", loc="left")
    figure.set_size_inches(PHONE, 3)
    with rc_context(STYLE):
        figure.savefig(file, format="svg", metadata={"Date": None})
    svg = re.sub(r"(fill|stroke): ?#(\w{6})\b", r"\1: var(--fig-\2, #\2)", file.getvalue())
    words = escape("; ".join(said))
    svg = svg[svg.index("<svg") :].replace("<svg", f"<svg role='img' aria-label='{words}'", 1)
    return {"html": f"{svg}<p>{words}.</p>"}
