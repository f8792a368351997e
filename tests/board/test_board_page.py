"""The board's page: a card for each claim, with its numbers, in its place; and the files beside it."""

import json
import math
import re
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from sensitivity_board import BOARD, Case, case_files
from sensitivity_board import check_certificate as checker
from sensitivity_board.claimed import CAUSES, OTHER, cause, place, projects, standing
from sensitivity_board.page import SECTIONS, card, cards, opening, row, summary
from sensitivity_board.programs import HERE, Program
from sensitivity_book.answers import audits

from sensitivity_lab import AuditRow

STORED = {one["address"]: one for one in json.loads(BOARD.read_text("utf-8"))["cases"]}
STANDING = {case.address: standing(case) for case in case_files()}
LINES = r"/blob/(?:[0-9a-f]{40}|v?\d[\d.]+\d)/\S+#L\d+"
CODE = 'print("claimed: 1 < 2 & more")\n'


@pytest.fixture(scope="module")
def cases():
    return case_files()


@pytest.fixture(scope="module")
def page(cases):
    first = next(case for case in cases if case.verdict == "too small").address
    known = {first: Program(CODE, ("alpha==1.0", "beta<2"))}
    text = opening(cases) + "".join(cards(cases, verdict, known) for verdict in SECTIONS)
    return BeautifulSoup(text, "html.parser")


@pytest.fixture(scope="module")
def claims(page):
    """Each card with the certificate of its address and what it says by name."""
    found = page.select(".claim")
    return [(claim, STORED[claim["id"]], facts(claim)) for claim in found]


def made(claimed=2, found=4, **more):
    row = AuditRow("Change", 1, 2, claimed=claimed, found=found, searched=more.pop("searched", False), **more.pop("pair", {}))  # fmt: skip
    return Case("a library", "1.0", "sum", "bounds (0, 2)", (row,), date="2026-11-22", **more)


def shown(case, program=None):
    return BeautifulSoup(card(case, program), "html.parser").article


def said(case):
    return facts(shown(case))


def facts(claim):
    names, values = claim.dl.find_all("dt"), claim.dl.find_all("dd")
    return {name.text: value.get_text("\n") for name, value in zip(names, values, strict=True)}


def number(text):
    return float(Fraction(text.replace(",", "").replace("∞", "inf"))) if text != "inf" else math.inf


def numbers(stored):
    """Claimed and exact."""
    return [float(checker.plain(stored[name])) for name in ("claimed", "exact")]


# ---- Every claim, once, with its numbers ---------------------------------------------------------


def test_every_claim_has_one_card_with_an_address_of_its_own(page):
    """Catches a claim that is left out or shown twice, and an address that two of them share."""
    ids = Counter(claim["id"] for claim in page.select(".claim"))
    assert ids == Counter(STORED.keys())
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", address) for address in ids)
    every = [part["id"] for part in page.select("[id]")]
    assert len(every) == len(set(every))
    assert ids.keys().isdisjoint(verdict.replace(" ", "-") for verdict in SECTIONS)


def test_every_card_has_the_numbers_that_are_stored(claims):
    """Catches a card with another's claim, two numbers that look alike but are not, a verdict in another's
    colour, and a factor that the two numbers do not have."""
    for claim, stored, _ in claims:
        told = [text.text for text in claim.select(".numbers b")]
        assert list(map(number, told)) == pytest.approx(numbers(stored), rel=1e-5)
        assert told[0] != told[1] or stored["verdict"] == "exact"
        least = "at least" if stored["proved"] == "at least" else "exact"
        assert claim.select_one(".numbers").text.split(" ")[2:-1] == least.split(" ")
        assert claim["data-verdict"] == STANDING[claim["id"]]
        assert (claim.name == "details") == (stored["verdict"] == "exact")
        low, high = sorted(checker.plain(stored[name]) for name in ("claimed", "exact"))
        if claim.name == "details":
            assert number(claim.summary.b.text) == pytest.approx(numbers(stored)[1], rel=1e-5)
            continue
        words = claim.select_one(".verdict").text
        assert words[2:].lower().startswith(STANDING[claim["id"]])
        assert stored["verdict"] in words.lower()
        factor = re.search(r"×(.*)$", words)
        assert (factor is None) == (low == 0 or high == math.inf)
        if factor:
            told = factor[1].strip("()").replace(",", "")
            *_, last = told.split(" + ")  # of ×(1 + 9e-09) the part that tells
            expected = float(high / low) - (last != told)
            assert float(last) == pytest.approx(expected, rel=0.06 if last != told else 6e-3)


def test_a_card_names_library_version_day_relation_and_setting(claims):
    """Catches a card of which nobody could say what was asked, of what, and when; and a link to another."""
    for claim, stored, told in claims:
        assert claim["data-library"] == stored["library"]
        assert told["relation"] == stored["relation"]["words"]
        setting = re.sub(
            r"(; )?features?\s.* switched on", "", told.get("setting", ""), flags=re.DOTALL
        )
        assert (setting or "none") == (stored["setting"] or "none")
        assert ("switched on" in told.get("setting", "")) == stored["library"].startswith("OpenDP")
        assert told.get("quantity", "sensitivity") == stored["quantity"]
        year, _, day = stored["asked"].split("-")
        assert told["asked"].startswith(f"version {stored['version']}, on {int(day)} ")
        assert told["asked"].endswith(year)
        assert stored["function"] in (claim.h3 or claim.summary).text
        links = claim.select_one(".links")
        card, file = (link["href"] for link in links.select("a"))
        assert card == f"#{claim['id']}"
        assert file == f"../_static/board/certificates/{claim['id']}.json"
        held = f"({len(stored['answers'])} answers)" if stored["answers"] else "(the witness)"
        assert held in links.text or (stored["witness"] is None and "(the numbers)" in links.text)


def read_records(text):
    """A dataset or an answer as a card prints it: (0, 1 ×2) is [0, 1, 1]."""
    found = []
    for part in re.findall(r"[^,()\s][^,()]*", text):
        value, _, copies = part.partition(" ×")
        plain = None if value == "None" else Fraction(value.replace(",", ""))
        found += [plain] * int(copies or 1)
    return found


def flat(answer):
    return [one for part in answer for one in flat(part)] if isinstance(answer, tuple) else [answer]


def test_every_witness_is_printed_as_it_is_stored(claims):
    """Catches a record that is rounded, left out or printed on the other side."""
    checked = 0
    for _, stored, told in claims:
        witness = stored["witness"]
        lines = told.get("witness", "").split("\n") if witness else []
        assert len(lines) == (2 if witness else 0)
        for line, side, at in zip(lines, ("dataset", "neighbour"), (0, 1), strict=False):
            data, answer = line.split(" → ")
            records, moved = checker.plain([witness[side], witness["answers"][at]])
            plain = isinstance(records, tuple) and not isinstance(moved, dict)
            if plain and all(isinstance(one, Fraction | None) for one in records):
                printed = read_records(data)  # floats by the digits that tell each from the next
                assert [one and float(one) for one in printed] == [x and float(x) for x in records]
                values = [float(one) for one in flat(moved)]
                answered = answer if answer.startswith("(") else answer.replace(",", "")
                assert [float(x) for x in read_records(answered)] == pytest.approx(values, rel=1e-5)
                checked += 1
    assert checked > 100


# ---- Order, counts and filters -------------------------------------------------------------------


def test_too_small_comes_first_and_the_worst_of_them_at_the_top(page, claims):
    """Catches a page that hides the worst, or opens with what is exact, and a row below another library."""
    verdicts = [STANDING[stored["address"]] for _, stored, _ in claims]
    assert verdicts == sorted(verdicts, key=["too small", OTHER, "loose", "exact"].index)

    def off(verdict):
        pairs = [
            numbers(stored) for _, stored, _ in claims if STANDING[stored["address"]] == verdict
        ]
        return [c / e if e else math.inf for c, e in pairs]

    assert off("too small") == sorted(off("too small"))
    assert off("loose") == sorted(off("loose"), reverse=True)
    groups = page.select(".claims")
    names = [group.h3.text for group in groups]
    assert names == sorted(set(names), key=str.casefold)
    for group in groups:
        assert {claim["data-library"] for claim in group.select(".claim")} == {group.h3.text}


def test_the_page_counts_what_it_holds(page, cases):
    """Catches a sentence, a bar or a table left behind by a claim that is new."""
    found = Counter(STANDING.values())
    told = page.select_one(".board-count")
    many, of = re.match(r"([\d,]+) claims of (\d+) projects", told.text).groups()
    assert number(many) == len(STORED)
    assert int(of) == len(projects(cases)) == len({one["library"] for one in STORED.values()}) - 2
    causes = Counter(cause(case) for case in cases if standing(case) == "too small")
    assert all(f"{name} {count}" in told.text for name, count in causes.items())
    assert causes.total() == found["too small"]
    assert {link["href"]: link.text for link in told.select("a")} == {
        f"#{verdict.replace(' ', '-')}": str(found[verdict]) for verdict in SECTIONS
    }
    shares = {part["data-verdict"]: part["style"] for part in page.select(".board-shares i")}
    assert shares == {verdict: f"flex: {found[verdict]}" for verdict in SECTIONS}
    total = [cell.text for cell in page.select(".libraries tr")[-1].find_all("td")]
    assert total[-5:] == [str(found[verdict]) for verdict in SECTIONS] + [str(len(STORED))]
    assert summary(cases[:1]).startswith("1 claim of 1 project, asked on ")


def test_the_first_page_counts_as_the_board_does(page):
    """Catches the first page's sentence, left behind by a board that has grown."""
    said = (
        (ROOT / "book" / "intro.md")
        .read_text(encoding="utf-8")
        .split("## Libraries get it wrong")[1]
    )
    counted = Counter(one["verdict"] for one in STORED.values())
    asked = len(projects(case_files()))
    numbers = [int(number) for number in re.findall(r"\d+", said.split("## ")[0])]
    assert numbers == [
        asked,
        len(STORED),
        *(counted[v] for v in ("exact", "loose", "too small")),
    ]


TEN = """
opendp-count-1-added-or-removed
diffprivlib-sum-bounds-1-3-1-added-or-removed
opendp-count-by-categories-l1-size-known-1-changed
pipelinedp-counts-by-partition-l1-max-partitions-contributed-4-max-contributions-per-partition-2-1-person-added-or-removed
diffprivlib-sum-bounds-minus-2-3-1-changed
opendp-polars-sum-by-group-bounds-minus-1-1-margin-max-length-1-2-added-or-removed
opendp-count-distinct-size-known-1-changed
tumult-analytics-sum-2-rows-come-or-go-2-added-or-removed
jax-privacy-clipped-fun-by-its-docstring-l2-clip-norm-5-normalize-by-1-2-1-added-or-removed
smartnoise-sql-sum-a-person-2-rows-each-1-person-added-or-removed
"""


def test_ten_claims_of_an_exercise_are_those_of_the_board():
    """Catches an exercise whose claims, or whose three wrong ones, are no longer the board's."""
    cells = json.loads((ROOT / "notebooks" / "audits.ipynb").read_text("utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in cells)
    rows = re.findall(r"^\| (\d+) \| (\w+).*\| (\d+) \|$", text, re.MULTILINE)
    cases = [STORED[address] for address in TEN.split()]
    assert [(int(n), int(claimed)) for n, _, claimed in rows] == [
        (n, float(case["claimed"])) for n, case in enumerate(cases, 1)
    ]
    assert all(
        case["library"].startswith(name[:5]) for case, (_, name, _) in zip(cases, rows, strict=True)
    )
    wrong = {n for n, case in enumerate(cases, 1) if case["verdict"] == "too small"}
    assert wrong == {*audits.TOO_SMALL}
    assert {n for n, case in enumerate(cases, 1) if case["verdict"] == "loose"} == {7}


def test_every_choice_of_a_filter_fits_a_card_and_every_card_has_its_choice(page, cases):
    """Catches a choice that finds nothing, and "1 changed" and "2 changed" as two choices."""
    for name in ("library", "verdict", "relation", "cause"):
        options = [one.text for one in page.select(f"select[name={name}] option")]
        assert options[0] == "all"
        assert len(set(options)) == len(options)
        assert set(options[1:]) == {claim[f"data-{name}"] for claim in page.select(".claim")}
    assert page.form.has_attr("hidden")
    for case in cases:
        assert not re.search(rf"\b{case.row.k}\b", case.kind)
        assert set(case.kind.split()) <= {*re.findall(r"[^\s,]+", case.relation)}


# ---- What a card says ----------------------------------------------------------------------------


def test_every_thread_is_linked_and_none_is_made_up(claims):
    """Catches a card that hides a known thread, and one that links to another library's."""
    issues = json.loads((HERE / "data" / "issues.json").read_text("utf-8"))["issues"]
    for claim, one, told in claims:
        places = [link["href"] for link in claim.select("dd q + a")]
        links = [link["href"] for link in claim.select("dd a") if link["href"] not in places]
        about = [
            each
            for each in issues
            if each["library"] == one["library"] and one["function"] in each["functions"]
        ]
        assert links == [
            each["url"] for each in about if one["setting"].startswith(each.get("settings", ""))
        ]
        name = "status" if STANDING[one["address"]] == "too small" else "related"
        assert bool(links) == (told.get(name, "no thread found") != "no thread found")
        assert (name == "status") == ("status" in told)


def test_every_claim_says_where_it_is_made_in_words_of_the_library(claims, cases):
    """Catches a card without its place, and a link to what may change."""
    known = {case.address: case for case in cases}
    for claim, _, told in claims:
        case = known[claim["id"]]
        at = place(case)
        assert re.search(LINES, at.url)
        assert at.file.rsplit("/")[-1] in at.url
        assert 0 < len(at.words) < 110
        assert told["claimed at"].split("\n")[0] == at.words
    stored = json.loads((HERE / "data" / "claimed.json").read_text("utf-8"))["places"]
    assert {place(case).url for case in cases} == {one["url"] for one in stored}


def test_every_claim_that_is_not_exact_has_a_cause(cases):
    """Catches a cause that no filter offers, a new case taken for a formula, and one of a claim that is exact."""
    for case in cases:
        assert (cause(case) in CAUSES) != (case.verdict == "exact")
        assert (cause(case) == "relation not promised") == (standing(case) == OTHER)
    assert Counter(cause(case) for case in cases if standing(case) == "too small") == {
        "formula or map": 16, "stress of arithmetic": 12, "arithmetic": 6, "NaN": 5,
        "accountant's unit": 4, "weights": 2, "documentation": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("claimed", "exact", "words"),
    [
        (1, 2, "promised ε = 1, kept ε = 2: 0.5 of the noise needed"),
        (100_000, 4_294_867_296, "promised ε = 1, kept ε = 42,900: 1/42,900 of the noise needed"),
        (1, 255, "promised ε = 1, kept ε = 255: 0.00392 of the noise needed"),
        (0, 5, "no noise at all: no ε describes it"),
        (5, math.inf, "no noise is enough: no number bounds how far the answers lie apart"),
        (1, 1.000002, "promised ε = 1, kept ε = 1 + 2e-06: 1 − 2e-06 of the noise needed"),
        (5, 2, "2.5 times the noise that is needed"),
        (50_000, 1, "50,000 times the noise that is needed"),
        (math.inf, 1, "noise without bound"),
    ],
)
def test_the_cost_is_in_words_for_every_ratio(claimed, exact, words):
    """Catches 4.29e+04 where people read 42,900, and a claim of 0 that is divided by."""
    assert said(made(claimed, exact))["cost"] == words


def test_a_card_says_what_the_library_promises_and_what_was_compared():
    """Catches a note, a scope, a loss or a quantity that is stored and not shown, or shown unescaped; and
    more pairs than were asked about."""
    told = {"quantity": "δ at ε = 1", "note": "`a<b>` & more", "scope": "<all> pairs"}
    case = shown(made(**told, loss="δ is off"))
    assert {name: facts(case)[name] for name in ("quantity", "compared", "cost")} == {
        "quantity": "δ at ε = 1",
        "compared": "<all> pairs",
        "cost": "δ is off",
    }
    assert "<dd><code>a&lt;b&gt;</code> &amp; more</dd>" in map(str, case.select("dd"))
    assert "cost" not in said(made(quantity="δ at ε = 1"))
    assert {"quantity", "compared"}.isdisjoint(said(made()))
    few = said(made(answers=(((0,), 0), ((1,), 1))))["compared"]
    assert few == "all datasets of 1 record from the values 0, 1"
    listed = said(made(answers=(((0,), 0), ((1, 1), 1))))["compared"]
    assert listed == "the 2 datasets that the certificate lists"


VISITS = pd.DataFrame({"id": ["a", "a"], "day": [1, 2]})


@pytest.mark.parametrize(
    ("sides", "answers", "lines"),
    [
        (((1,), (2,)), (3.0, 3.000000000000001), ["(1) → 3.0", "(2) → 3.000000000000001"]),
        (
            ((), ((("staff", "p3", -50), ("staff", "p3", None)),)),
            (0, 5000),
            ["() → 0", "(((staff, p3, -50), (staff, p3, NULL))) → 5,000"],
        ),
        (
            ({"visits": VISITS}, {"visits": VISITS[:0]}),
            (2, 0),
            ["visits (id, day): (a, 1), (a, 2) → 2", "visits: no rows → 0"],
        ),
        (
            (VISITS, VISITS[:1]),
            ({"a": 2}, {"a": 1}),
            ["id, day: (a, 1), (a, 2) → a: 2", "id, day: (a, 1) → a: 1"],
        ),
    ],
)
def test_a_witness_is_printed_in_two_lines(sides, answers, lines):
    """Catches answers that look alike, a nest of quotes, a frame over twenty lines and a table without name."""
    pair = {"dataset": sides[0], "neighbour": sides[1], "answers": answers}
    assert said(made(pair=pair))["witness"].split("\n") == lines


def test_a_program_stands_on_its_own_card_and_on_no_other(page, cases):
    """Catches code that is lost, shown as HTML, or without its packages; and styles or cards that grow."""
    [program] = page.select(".program")
    assert program.find_parent(class_="claim")["id"] in STORED
    assert program.pre.text == CODE
    assert program.p.text == "Needs alpha==1.0, beta<2."
    assert shown(made(), Program("pass\n")).select_one(".program p").text == "Needs a library 1.0."
    rows = "".join(row(case) for case in cases)
    assert "style=" not in rows
    assert len(rows) / len(cases) < 2100


# ---- The files beside the page -------------------------------------------------------------------


def test_a_build_writes_the_board_its_certificates_and_their_checker(extension, tmp_path):
    """Catches a certificate that is missing, left over, or another than the board's."""
    written = tmp_path / "_static" / "board"
    (written / "certificates").mkdir(parents=True)
    (written / "certificates" / "gone.json").write_text("{}", encoding="utf-8")
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path, srcdir=ROOT)
    extension("board").write_files(app, None)
    names = {file.name for file in written.iterdir()}
    assert names == {"board.json", "certificates", "check_certificate.py"}
    assert (written / "board.json").read_text("utf-8") == BOARD.read_text("utf-8")
    checked = HERE / "check_certificate.py"
    assert (written / "check_certificate.py").read_bytes() == checked.read_bytes()
    files = {file.stem: file for file in (written / "certificates").iterdir()}
    assert {name: json.loads(file.read_text("utf-8")) for name, file in files.items()} == STORED
