"""The board's page: a card for each claim, with its numbers, in its place; the files beside it."""

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
from sensitivity_board import BOARD, Case, case_files, issues
from sensitivity_board import check_certificate as checker
from sensitivity_board.claimed import CAUSES, OTHER, cause, place, projects, standing
from sensitivity_board.page import SECTIONS, card, cards, opening, row, summary
from sensitivity_board.programs import HERE, Program
from sensitivity_book.answers import audits

from sensitivity_lab import AuditRow

STORED = {one["address"]: one for one in json.loads(BOARD.read_text("utf-8"))["cases"]}
CASES = {case.address: case for case in case_files()}
STANDING = {address: standing(case) for address, case in CASES.items()}
FOUND = Counter(STANDING.values())
PROGRAM = Program('print("claimed: 1 < 2 & more")\n', ("alpha==1.0", "beta<2"))


@pytest.fixture(scope="module")
def page():
    known = {next(name for name, case in CASES.items() if case.verdict == "too small"): PROGRAM}
    lists = (cards(CASES.values(), verdict, known) for verdict in SECTIONS)
    return BeautifulSoup(opening(CASES.values()) + "".join(lists), "html.parser")


@pytest.fixture(scope="module")
def claims(page):
    """Each card with the certificate of its address and what it says by name."""
    return [(claim, STORED[claim["id"]], facts(claim)) for claim in page.select(".claim")]


def made(claimed=2, found=4, pair=None, **more):
    """A case with two numbers, and with a pair of datasets and their answers if it is given one."""
    asked = AuditRow("Change", 1, 2, claimed=claimed, found=found, **(pair or {}))
    told = ("a library", "1.0", "sum", "bounds (0, 2)")
    return Case(*told, (asked,), date="2026-11-22", **more)


def shown(case, program=None):
    return BeautifulSoup(card(case, program), "html.parser").article


def said(case):
    return facts(shown(case))


def facts(claim):
    names, values = claim.dl.find_all("dt"), claim.dl.find_all("dd")
    return {name.text: value.get_text("\n") for name, value in zip(names, values, strict=True)}


def number(text):
    text = text.replace(",", "")
    return math.inf if text in ("inf", "∞") else float(Fraction(text))


def numbers(stored):
    """Claimed and exact."""
    return [float(checker.plain(stored[name])) for name in ("claimed", "exact")]


def test_every_claim_has_one_card_with_an_address_of_its_own(page):
    """Catches a claim that is left out or shown twice, and an address that two of them share."""
    ids = [claim["id"] for claim in page.select(".claim")]
    assert sorted(ids) == sorted(STORED)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", address) for address in ids)
    every = [part["id"] for part in page.select("[id]")] + [s.replace(" ", "-") for s in SECTIONS]
    assert len(every) == len(set(every))


def test_every_card_has_the_numbers_that_are_stored(claims):
    """Catches another's claim, two numbers that look alike, a verdict's colour, a factor."""
    for claim, stored, _ in claims:
        told = [text.text for text in claim.select(".numbers b")]
        assert list(map(number, told)) == pytest.approx(numbers(stored), rel=1e-5)
        assert told[0] != told[1] or stored["verdict"] == "exact"
        least = "at least" if stored["proved"] == "at least" else "exact"
        assert claim.select_one(".numbers").text == f"claimed {told[0]} {least} {told[1]}"
        assert claim["data-verdict"] == STANDING[claim["id"]]
        assert (claim.name == "details") == (stored["verdict"] == "exact")
        if claim.name == "details":
            assert claim.summary.b.text == told[1]
            continue
        words = claim.select_one(".verdict").text
        assert words[2:].lower().startswith(STANDING[claim["id"]])
        assert stored["verdict"] in words.lower()
        low, high = sorted(checker.plain(stored[name]) for name in ("claimed", "exact"))
        factor = re.search(r"×(?:\(1 \+ (.*)\)|(.*))$", words)  # ×2.5, or ×(1 + 9e-09)
        assert (factor is None) == (low == 0 or high == math.inf)
        if factor and factor[1]:
            assert float(factor[1]) == pytest.approx(float(high / low) - 1, rel=0.06)
        elif factor:
            assert number(factor[2]) == pytest.approx(float(high / low), rel=6e-3)


def test_a_card_names_library_version_day_relation_and_setting(claims):
    """Catches a card that does not say what was asked, of what, and when; a link to another."""
    for claim, stored, told in claims:
        assert claim["data-library"] == stored["library"]
        assert stored["function"] in (claim.h3 or claim.summary).text
        assert told["relation"] == stored["relation"]["words"]
        setting, *switched = re.split(r"(?:; |^)features?\s", told.get("setting", ""))
        assert (setting or "none") == (stored["setting"] or "none")
        assert bool(switched) == stored["library"].startswith("OpenDP")
        assert told.get("quantity", "sensitivity") == stored["quantity"]
        year, _, day = stored["asked"].split("-")
        asked = rf"version {re.escape(stored['version'])}, on {int(day)} \w+ {year}"
        assert re.fullmatch(asked, told["asked"])
        links = claim.select_one(".links")
        file = f"../_static/board/certificates/{claim['id']}.json"
        assert [link["href"] for link in links.select("a")] == [f"#{claim['id']}", file]
        held = f"({len(stored['answers'])} answers)" if stored["answers"] else "(the witness)"
        assert held in links.text or (stored["witness"] is None and "(the numbers)" in links.text)


def read_records(text):
    """A dataset or an answer as a card prints it: (0, 1 ×2) is [0, 1, 1]."""
    found = []
    for part in re.findall(r"[^,()\s][^,()]*", text):
        value, _, copies = part.partition(" ×")
        found += [None if value == "None" else number(value)] * int(copies or 1)
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
                assert printed == [x and float(x) for x in records]
                answered = answer if answer.startswith("(") else answer.replace(",", "")
                values = [float(one) for one in flat(moved)]
                assert read_records(answered) == pytest.approx(values, rel=1e-5)
                checked += 1
    assert checked > 100


def test_too_small_comes_first_and_the_worst_of_them_at_the_top(page, claims):
    """Catches a page that hides the worst or opens with what is exact, a row out of its place."""
    verdicts = [STANDING[stored["address"]] for _, stored, _ in claims]
    assert verdicts == sorted(verdicts, key=["too small", OTHER, "loose", "exact"].index)
    off = {verdict: [] for verdict in SECTIONS}
    for verdict, (_, stored, _) in zip(verdicts, claims, strict=True):
        claimed, exact = numbers(stored)
        off[verdict].append(claimed / exact if exact else math.inf)
    assert off["too small"] == sorted(off["too small"])
    assert off["loose"] == sorted(off["loose"], reverse=True)
    groups = {group.h3.text: group.select(".claim") for group in page.select(".claims")}
    assert [*groups] == sorted(groups, key=str.casefold)
    assert len(groups) == len(page.select(".claims"))
    for name, group in groups.items():
        assert {claim["data-library"] for claim in group} == {name}


def test_the_page_and_the_first_page_count_what_it_holds(page, extension):
    """Catches a sentence, a bar or a table left behind by a claim that is new."""
    told = page.select_one(".board-count")
    of, many = re.match(r"We asked (\d+) projects for ([\d,]+) claims: ", told.text).groups()
    assert number(many) == len(STORED)
    assert int(of) == len(projects(CASES.values())) == len({c.library for c in CASES.values()}) - 2
    links = {link["href"][1:]: link.text for link in told.select("a")}
    assert links == {one.replace(" ", "-"): str(FOUND[one]) for one in SECTIONS}
    shares = {part["data-verdict"]: part["style"] for part in page.select(".board-shares i")}
    assert shares == {verdict: f"flex: {FOUND[verdict]}" for verdict in SECTIONS}
    total = [cell.text for cell in page.select(".libraries tr")[-1].find_all("td")]
    assert total[-5:] == [str(FOUND[verdict]) for verdict in SECTIONS] + [str(len(STORED))]
    assert summary([*CASES.values()][:1]).startswith("We asked 1 project for 1 claim: ")
    config = SimpleNamespace()
    extension("board").tell(None, config)
    assert told.text.startswith(config.myst_substitutions["tally"])
    said = (ROOT / "book" / "intro.md").read_text(encoding="utf-8").split("## Libraries get")[1]
    assert "{{ tally }}" in said
    assert not re.search(r"\d", said.split("## ")[0])
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(r"nine projects for more than 450.*over thirty are too small", readme, re.S)
    assert [len(projects(CASES.values())), len(CASES) > 450, FOUND["too small"] > 30] == [9, 1, 1]


TEN = """
opendp-count-1-added-or-removed diffprivlib-sum-bounds-1-3-1-added-or-removed
opendp-count-by-categories-l1-size-known-1-changed
pipelinedp-counts-by-partition-l1-max-partitions-contributed-4-max-contributions-per-partition-2-1-person-added-or-removed
diffprivlib-sum-bounds-minus-2-3-1-changed
opendp-polars-sum-by-group-bounds-minus-1-1-margin-max-length-1-2-added-or-removed
opendp-count-distinct-size-known-1-changed tumult-analytics-sum-2-rows-come-or-go-2-added-or-removed
jax-privacy-clipped-fun-by-its-docstring-l2-clip-norm-5-normalize-by-1-2-1-added-or-removed
smartnoise-sql-sum-a-person-2-rows-each-1-person-added-or-removed
"""


def test_ten_claims_of_an_exercise_are_those_of_the_board():
    """Catches an exercise whose claims, or whose three wrong ones, are no longer the board's."""
    text = (ROOT / "book" / "chapters" / "audits.md").read_text("utf-8")
    rows = re.findall(r"(?m)^\| (\d+) \| (\w+).*\| (\d+) \|", text)
    cases = {n: STORED[address] for n, address in enumerate(TEN.split(), 1)}
    claims = [(n, one["library"][:3], float(one["claimed"])) for n, one in cases.items()]
    assert [(int(n), name[:3], int(claimed)) for n, name, claimed in rows] == claims
    told = dict.fromkeys(cases, "exact") | dict.fromkeys(audits.TOO_SMALL, "too small")
    assert {n: one["verdict"] for n, one in cases.items()} == told | {7: "loose"}


def test_every_card_says_where_its_claim_is_made_who_knows_and_why_it_is_not_exact(page, claims):
    """Catches a card without its place, thread or cause; a cause of a claim that is exact."""
    stored = json.loads((HERE / "data" / "claimed.json").read_text("utf-8"))["places"]
    lines = r"/blob/(?:[0-9a-f]{40}|v?\d[\d.]+\d)/\S+#L\d+"
    for claim, _, told in claims:
        case = CASES[claim["id"]]
        at = place(case)
        known = [one.url for one in issues(case)]
        assert [link["href"] for link in claim.select("dd a")] == [at.url, *known]
        assert re.search(lines, at.url)
        assert at.file.rsplit("/")[-1] in at.url
        assert len(at.words) < 120
        assert told["claimed at"].split("\n")[0] == (at.words or "read from a run of ")
        name = "status" if standing(case) == "too small" else "related"
        assert bool(known) == (told.get(name, "no thread found") != "no thread found")
        assert (name == "status") == ("status" in told)
        assert (cause(case) in CAUSES) != (case.verdict == "exact")
        assert (cause(case) == "relation not promised") == (standing(case) == OTHER)
        assert told.get("cause", "") == cause(case)
    assert {place(case).url for case in CASES.values()} == {one["url"] for one in stored}
    causes = Counter(cause(case) for case in CASES.values() if standing(case) == "too small")
    assert all(f"{name} {count}" in page.p.text for name, count in causes.items())
    assert causes == {
        "formula or map": 16, "stress of arithmetic": 12, "arithmetic": 6, "NaN": 5,
        "accountant's unit": 4, "weights": 2, "documentation": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("claimed", "exact", "words"),
    [
        (1, 2, "promised ε = 1, kept ε = 2: 0.5 of the noise needed"),
        (100_000, 4_294_867_296, "promised ε = 1, kept ε = 42,900: 1/42,900 of the noise needed"),
        (0, 5, "no noise at all: no ε describes it"),
        (5, math.inf, "no noise is enough: no number bounds how far the answers lie apart"),
        (1, 1.000002, "promised ε = 1, kept ε = 1 + 2e-06: 1 − 2e-06 of the noise needed"),
        (5, 2, "2.5 times the noise that is needed"),
        (math.inf, 1, "noise without bound"),
    ],
)
def test_the_cost_is_in_words_for_every_ratio(claimed, exact, words):
    """Catches 4.29e+04 where people read 42,900, and a claim of 0 that is divided by."""
    assert said(made(claimed, exact))["cost"] == words


def test_a_card_says_what_the_library_promises_and_what_was_compared():
    """Catches a note, a scope, a loss or a quantity that is not shown, or shown unescaped."""
    told = {"quantity": "δ at ε = 1", "note": "`a<b>` & more", "scope": "<all> pairs"}
    case = shown(made(**told, loss="δ is off"))
    there = {"quantity": "δ at ε = 1", "compared": "<all> pairs", "cost": "δ is off"}
    assert there.items() <= facts(case).items()
    assert "<dd><code>a&lt;b&gt;</code> &amp; more</dd>" in map(str, case.select("dd"))
    assert "cost" not in said(made(quantity="δ at ε = 1"))
    assert {"quantity", "compared"}.isdisjoint(said(made()))
    few = said(made(answers=(((0,), 0), ((1,), 1))))["compared"]
    assert few == "all datasets of 1 record from the values 0, 1"
    listed = said(made(answers=(((0,), 0), ((1, 1), 1))))["compared"]
    assert listed == "the 2 datasets that the certificate lists"


VISITS = pd.DataFrame({"id": ["a", "a"], "day": [1, 2]})
PEOPLE = ((("staff", "p3", -50), ("staff", "p3", None)),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (((1,), 3.0, "(1) → 3.0"), ((2,), 3.000000000000001, "(2) → 3.000000000000001")),
        (((), 0, "() → 0"), (PEOPLE, 5000, "(((staff, p3, -50), (staff, p3, NULL))) → 5,000")),
        (
            ({"v": VISITS}, 2, "v (id, day): (a, 1), (a, 2) → 2"),
            ({"v": VISITS[:0]}, 0, "v: no rows → 0"),
        ),
        (
            (VISITS, {"a": 2}, "id, day: (a, 1), (a, 2) → a: 2"),
            (VISITS[:1], {"a": 1}, "id, day: (a, 1) → a: 1"),
        ),
    ],
)
def test_a_witness_is_printed_in_two_lines(one, other):
    """Catches answers that look alike, a nest of quotes, a long frame, a table without name."""
    sides, answers, lines = zip(one, other, strict=True)
    pair = {"dataset": sides[0], "neighbour": sides[1], "answers": answers}
    assert said(made(pair=pair))["witness"].split("\n") == [*lines]


def test_a_program_stands_on_its_own_card_and_on_no_other(page):
    """Catches code lost, shown as HTML, or without its packages; styles or cards that grow."""
    [program] = page.select(".program")
    assert program.find_parent(class_="claim")["id"] in STORED
    assert program.pre.text == PROGRAM.code
    assert program.p.text == "Needs alpha==1.0, beta<2."
    assert shown(made(), Program("pass\n")).select_one(".program p").text == "Needs a library 1.0."
    rows = "".join(map(row, CASES.values()))
    assert "style=" not in rows
    assert len(rows) / len(CASES) < 2100


def test_a_build_writes_the_board_its_certificates_and_their_checker(extension, tmp_path):
    """Catches a certificate that is missing, left over, or another than the board's."""
    written = tmp_path / "_static" / "board"
    (written / "certificates").mkdir(parents=True)
    (written / "certificates" / "gone.json").write_text("{}", encoding="utf-8")
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path, srcdir=ROOT)
    extension("board").write_files(app, None)
    for source in (BOARD, HERE / "check_certificate.py"):
        assert (written / source.name).read_bytes() == source.read_bytes()
    files = {file.stem: file for file in (written / "certificates").iterdir()}
    assert {name: json.loads(file.read_text("utf-8")) for name, file in files.items()} == STORED
