"""Ask: what a filled form gives, beside the same question put in Python without the form."""

import base64
import io
import math
import os
import random
import re

import pandas as pd
import pytest
from sensitivity_beyond.ask.answer import DESK, EPSILONS, SMALLER, answer, curve, look, noise
from sensitivity_beyond.ask.call import Call
from sensitivity_beyond.ask.form import EXAMPLES, FIELDS, Refused, is_shown
from sensitivity_beyond.ask.reading import MOST_BYTES

import sensitivity_lab as sl

CASES = int(os.environ.get("ASK_CASES", 60))
QUICK = {"max_datasets": 800, "progress": False}
KINDS = {each.__name__: each for each in (sl.SymmetricDifference, sl.AddRemove, sl.Change)}
READY = {
    "COUNT": sl.COUNT, "SUM": sl.SUM, "MEAN": sl.MEAN, "MEDIAN": sl.MEDIAN, "MAX": sl.MAX,
    "quantile(0.25)": sl.quantile(0.25), "VARIANCE": sl.VARIANCE,
}  # fmt: skip
OWN = (  # of numbers, and of a table
    ("def top(data):\n    return 3 * max(data, default=0)", lambda x: 3 * max(x, default=0)),
    ("lambda rows: int(rows['n'].sum()) // 2", lambda rows: int(rows["n"].sum()) // 2),
)


def packed(content, name="some.csv"):
    """A file, as a form has it."""
    return f"{name}\n{base64.b64encode(content).decode()}"


def drawn(seed):
    """A form that is filled at random, and the question that it is, put directly."""
    rng = random.Random(seed)
    size, kind, known = rng.randint(2, 4), rng.choice([*KINDS]), rng.choice(("known", "any"))
    form = {"size": str(size), "k": rng.choice("12"), "neighbours": kind, "known": known}
    relation, hidden = KINDS[kind](int(form["k"])), rng.random() < 0.3
    form["size_kind"] = "hidden" if hidden else "public"
    asked = {"size": range(size + 1) if hidden else size, "relation": relation}
    make = sl.Universe.population if known == "known" else sl.Universe.value_range
    frame = pd.DataFrame(
        [(rng.randint(1, 3), rng.choice("ab"), rng.randint(-2, 9)) for _ in range(6)],
        columns=["id", "team", "n"],
    )
    shape = rng.choice(("list", "range", "rows", "people"))
    if shape == "list":
        numbers = [n / 2 if rng.random() < 0.2 else n for n in frame["n"].tolist()]
        universe = make(numbers)
        form["pasted"] = rng.choice((", ", "\n", " ")).join(map(str, numbers))
    elif shape == "range":
        form |= {"source": "range", "low": "-2", "high": "6", "step": rng.choice("124")}
        universe = sl.Universe.value_range(range(-2, 7, int(form["step"])))
    else:
        text, universe = frame.to_csv(sep=rng.choice(",;\t"), index=False), make(frame)
        form |= {"pasted": text} if seed % 2 else {"source": "file", "file": packed(text.encode())}
    if shape == "people":
        form |= {"person": "id", "most_rows": "2"}
        universe = sl.Universe.people(frame, id="id").truncated(rows=2)
        if known == "any":
            anyone = sl.Universe.value_range(frame[["team", "n"]])
            universe = sl.Universe.people(anyone, most_rows=2)
    of_rows, chance = shape in ("rows", "people"), rng.random()
    name = rng.choice([*READY])
    query = READY[name]
    if chance < 0.2:
        query = OWN[of_rows][1]
        form |= {"ask": "function", "function": OWN[of_rows][0]}
    elif of_rows and chance < 0.3:
        form |= {"ask": "sql", "statement": "SELECT COALESCE(SUM(n), 0) AS s FROM things"}
        query = sl.sql(form["statement"])
    else:
        form["query"] = name
        if of_rows and name != "COUNT":
            form["column"], query = "n", query.of("n")
        if name != "COUNT" and rng.random() < 0.4:
            form, query = form | {"clip_low": "0", "clip_high": "4.5"}, query.clipped(0, 4.5)
        if of_rows and rng.random() < 0.4:
            form["group"], form["groups"] = "team", rng.choice(("public", "seen"))
            keys = frame["team"].unique().tolist() if form["groups"] == "public" else None
            query = query.by("team", keys=keys)
    return form, query, universe, asked


def test_a_form_gives_what_the_package_gives(tmp_path, monkeypatch):
    """Catches a form that asks another question than it says, and a snippet that asks a third."""
    monkeypatch.chdir(tmp_path)
    answered = 0
    for form, query, universe, asked in map(drawn, range(CASES)):
        call, refused, found = Call(form), None, None
        try:
            found = sl.global_sensitivity(query, universe, **asked, **QUICK)
        except (ValueError, TypeError) as error:
            refused = str(error)[:1500]
        if found is None:  # refused as the package refuses it
            with pytest.raises(Refused) as mine:
                call.run(**QUICK)
            assert str(mine.value).replace("top", "<lambda>") == refused
            continue
        answered += 1
        mine = call.run(**QUICK)["found"]
        assert (mine.value, mine.relation, mine.size) == (found.value, *[*asked.values()][::-1])
        if "file" in form:
            (tmp_path / "some.csv").write_bytes(base64.b64decode(form["file"].split("\n")[1]))
        space = {}
        exec(call.snippet(), space)
        assert space["found"].value == found.value, call.snippet()
    assert answered > CASES / 2


READ = {  # what is pasted, or a file: its shape, its records or the first row, and a note
    "1,5; 2,5": ("numbers", [1.5, 2.5], "“,” parts decimals"),
    "pay\n1.234,50\n2,5": ("numbers", [1234.5, 2.5], "“.” parts thousands"),
    "1,234\n5,678": ("numbers", [1234, 5678], "“,” parts thousands"),
    "12 345\n1 000\n": ("numbers", [12345, 1000]),
    "days\n1\n\n−3": ("numbers", [1, -3], "1 empty line left out"),
    "0.1\n0.25": ("numbers", [0.1, 0.25]),
    "😀\n😀\n🙂": ("values", ["😀", "😀", "🙂"]),
    "007\n008": ("values", ["007", "008"]),
    "=1+2\n3": ("values", ["=1+2", "3"], "1 cell with ="),
    "a\tb\n1\t=SUM(A1)": ("table", [1, "=SUM(A1)"], "not computed"),
    "zip;n\n01234;3\n1;2": ("table", ["01234", 3]),
    "a,b\n,2\n1.5,3": ("table", [None, 2], "1 missing"),
    "a,b\n1,2\n3": ("refused", "2 cells in row 3, as in the first, got 1"),
    "a,b\n1,2\n3,4,5": ("refused", "2 cells in row 3, as in the first, got 3"),
    "days": ("refused", "a row below its header"),
    " \n": ("refused", "hold a record"),
    "<img src=x onerror=alert(1)>,b\n</script>,2": ("table", ["</script>", 2], "&lt;img"),
    b"": ("refused", "hold a record"),
    b"PK\x03\x04\x14": ("refused", "what is no text"),
    b"\x89PNG\r\n\x1a\n\0\0": ("refused", "what is no text"),
    b"\xef\xbb\xbfa;b\r\n1;2\r\n": ("table", [1, 2]),
    b"a,b\r1,2\r": ("table", [1, 2]),
    "größe;n\n1;x".encode("cp1252"): ("table", [1, "x"]),
    "größe,n\n1,é".encode("utf-16"): ("table", [1, "é"]),
    b"1\n" * (MOST_BYTES // 2 + 1): ("refused", "at most 20,000,000 bytes"),
    b"id,pay\n" + b"".join(b"%d,%d\n" % (i, i % 97) for i in range(100_000)): ("table", [0, 0]),
}


@pytest.mark.parametrize("given", READ, ids=lambda given: repr(given[:20]))
def test_whatever_is_pasted_is_read_or_refused_in_a_sentence(given, tmp_path, monkeypatch):
    """Catches a cell that is lost, a number that is another, and Python that reads it otherwise."""
    shape, expected, *notes = READ[given]
    form = (
        {"pasted": given} if isinstance(given, str) else {"source": "file", "file": packed(given)}
    )
    seen = look(form)
    if shape == "refused":
        assert expected in seen["refused"]
        assert seen["field"] in form
        return
    assert (seen["shape"], seen.get("refused")) == (shape, None)
    assert all(note in seen["html"] for note in notes)
    assert "<img" not in seen["html"]
    data = Call(form).data
    (tmp_path / "some.csv").write_bytes(given if isinstance(given, bytes) else b"")
    monkeypatch.chdir(tmp_path)
    space = {"io": io, "pd": pd}
    exec(data.python, space)
    if shape == "table":
        first = [None if pd.isna(cell) else cell for cell in data.data.iloc[0]]
        assert first == expected
        pd.testing.assert_frame_equal(space["table"], data.data)
    else:
        assert data.data == expected == space["records"]


RANGE = {"source": "range", "low": "0", "high": "9", "size": "3"}
TABLE = {"pasted": "id,pay\n1,5\n1,\n2,7\n", "size": "1", "query": "SUM", "column": "pay"}
REFUSED = [
    ("high", {**RANGE, "high": "many"}, "must be a number"),
    ("step", {**RANGE, "step": "2"}, "lead from 0 up to 9"),
    ("step", {**RANGE, "high": "1e7"}, "at most 1,000,001 values"),
    ("size", {**RANGE, "size": ""}, "must be a whole number"),
    ("size", {**RANGE, "size": "-3"}, "must be a whole number"),
    ("k", {**RANGE, "k": "0"}, "k must"),
    ("neighbours", {**RANGE, "size": "1", "neighbours": "Remove"}, "no direction"),
    ("clip_high", {**RANGE, "clip_low": "1"}, "must be a number"),
    ("size", {**RANGE, "ask": "function", "function": "max", "size": "30"}, SMALLER),
    ("function", {**RANGE, "ask": "function", "function": "def f(x:\n  1"}, "SyntaxError"),
    ("function", {**RANGE, "ask": "function", "function": "lambda x: 1 / 0"}, "ZeroDivisionError"),
    ("statement", {**TABLE, "ask": "sql", "statement": "DROP TABLE x"}, "statement must"),
    ("file", {"source": "file"}, "must be chosen"),
    ("column", {**TABLE, "column": ""}, "ask of a column"),
    ("missing", TABLE, "missing"),
    ("most_rows", {**TABLE, "known": "any", "person": "id"}, "where anybody may come"),
    ("person", {**TABLE, "query": "count_people"}, "counts people"),
]


@pytest.mark.parametrize(("field", "form", "words"), REFUSED)
def test_what_is_refused_is_told_beside_its_field(field, form, words):
    """Catches a refusal that nobody finds, and a way out that a page does not have."""
    got = answer(form)
    assert words in got["refused"]
    assert got["field"] == field


def test_every_example_has_a_number_two_datasets_noise_and_a_curve():
    """Catches an example that the form cannot fill in, and a part of an answer that is missing."""
    values = ["19/6 ≈ 3.167", "1", "100,000", "5,000", "6,500"]
    for example, value in zip(EXAMPLES.values(), values, strict=True):
        assert all(str(example[name]) for name in example if FIELDS[name])
        call = Call(example)
        assert all(call.form[name] == text for name, text in example.items())  # none is hidden
        html = answer(example)["html"]
        assert f"The answer: {value}<" in html
        assert html.count('class="frame"') == len(EPSILONS)
        assert call.snippet().splitlines()[-2] in html.replace("&#x27;", "'")
        drawn = curve()["html"]
        assert all(f"k = {k}: " in drawn for k in (1, 2, 3, 4))
        assert "var(--fig-008a64, #008a64)" in drawn  # the package's picture, dark where a page is


def test_exactly_k_is_said_not_to_hide_fewer():
    """Catches noise that is made for exactly two, and nobody told that it need not hide one."""
    told = [name for name in EXAMPLES if "noise must hide fewer" in answer(EXAMPLES[name])["html"]]
    assert told == ["A vehicle"]


def test_the_noise_is_as_wide_as_it_says():
    """Catches a nine of ten that is eight: P(|X| > w) = exp(−w/b) of Laplace noise of scale b."""
    for sensitivity, epsilon in ((19 / 6, 1), (1, 0.05), (100_000, 10)):
        found = re.search(r"scale ([\d.,]+), .*<b>([\d.,]+)</b>", noise(sensitivity, epsilon))
        scale, within = (float(one.replace(",", "")) for one in found.groups())
        assert scale == pytest.approx(sensitivity / epsilon, rel=0.005)
        assert math.exp(-within / scale) == pytest.approx(0.1, abs=0.003)


def test_nothing_of_a_caller_becomes_markup():
    """Catches a cell, a column or a name of a function that a page would run."""
    evil = "<img src=x onerror=alert(1)>"
    form = {"pasted": f"{evil};$n_{{\n{evil};1\nb;2\n", "known": "any", "size": "1"}
    for more in (
        {"query": "SUM", "column": "$n_{", "group": evil, "groups": "seen"},
        {"ask": "function", "function": f"def f(rows): return len(rows)  # {evil}"},
        {"ask": "sql", "statement": f"SELECT COUNT(*) AS n FROM t WHERE '{evil}' <> ''"},
        {"query": "SUM", "column": evil},
    ):
        got = answer({**form, **more})
        html = got["html"] + (curve()["html"] if "refused" not in got else "")
        assert "<img" not in html


def test_jupyter_shows_the_same_form():
    """Catches a widget that hides a field, loses a choice, or answers something else."""
    box = sl.explore()
    examples, *fields, read, go, said, found, drawn, _ = box.children
    made = dict(zip(FIELDS, fields, strict=True))
    for name, example in EXAMPLES.items():
        examples.label = name
        shown = {each for each, control in made.items() if control.layout.display != "none"}
        filled = {each: str(control.value) for each, control in made.items()}
        filled["shape"] = look(example)["shape"]
        assert shown == {each for each in FIELDS if is_shown(each, filled)}
        go.click()
        assert (said.value, found.value) == ("", answer(example, DESK)["html"])
        assert "k = 4" in drawn.value
    made["size"].value = "many"
    go.click()
    assert "whole number" in said.value
    made["pasted"].value = "a,b\n1"
    assert "2 cells" in read.value
    with pytest.raises(TypeError, match="universe"):
        sl.explore(size=3)
