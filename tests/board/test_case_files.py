"""Case files: the cards on the page hold what libraries say, and every number is met by another route."""

import math
import re
from collections import Counter
from fractions import Fraction
from html import unescape

import nbformat
import numpy as np
import opendp.prelude as dp
import pytest
import sensitivity_board as cf
from conftest import ROOT
from sensitivity_board.cases.opendp_live import LARGE
from sensitivity_board.cases.stated import TRUNCATIONS
from sensitivity_book.theory.people import join_bound

import sensitivity_lab as sl

THEIL_SEN = ("Theil–Sen regression", "predictions from pairs", "symmetric distance")
POLARS_SMALLEST = ("Polars sum by group", "bounds (-1, 1); Margin(max_length=1)")


@pytest.fixture(scope="module")
def opendp():
    """The cases of the OpenDP that is installed, asked now."""
    return cf.opendp_cases()


@pytest.fixture(scope="module")
def cases(opendp):
    """The cases of this module: OpenDP's, and those of the tables."""
    tables = (cf.polars_cases, cf.diffprivlib_cases, cf.tumult_cases, cf.pipelinedp_cases)
    return [*opendp, *(case for made in tables for case in made())]


def test_witnesses_are_the_smallest(cases):
    """Catches a case whose witness grows, or is another one than the page discusses."""
    witness = {(c.function, c.setting, c.row.relation): c.row for c in cases}

    def pair(function, setting, relation="Change"):
        row = witness[function, setting, relation]
        return row.dataset, row.neighbour

    tree = pair("b-ary tree", "L2 in and out, 4 leaves, b 4", "L2 distance")
    assert tree == ((0, 0, 0, 0), (1, 1, 1, 1))
    assert list(map(len, pair(*THEIL_SEN))) == [2, 3]
    assert pair("histogram", "bins 2; range (0, 1)") == ((0,), (1,))
    assert pair("sum", "bounds (1, 3)", "SymmetricDifference") == ((1,), (1, 3))
    assert pair("nanmean", "bounds (0, 3); 2 records") == ((0, None), (3, None))
    grouped = pair(*POLARS_SMALLEST, "SymmetricDifference")
    assert grouped == ((-1,), (1,))
    ones = pair("sum", "bounds (0, 1); dtype int8", "SymmetricDifference")
    assert ones == ((1,) * 127, (1,) * 128)


def read(text):
    """A printed dataset or answer, as Python reads it; "1 ×127" is a run of copies, "10,000" a number."""
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+", text):
        text = text.replace(",", "")
    return eval(re.sub(r"([^\s,(\[]+) ×(\d+)", r"*[\1] * \2", text))


def printed_cards():
    """The cards of the stored page: the heading, and what it says by name."""
    page = nbformat.read(ROOT / "notebooks" / "case-files.ipynb", as_version=4)
    outputs = [output for cell in page.cells for output in cell.get("outputs", [])]
    for output in outputs:
        html = output.get("data", {}).get("text/html", "")
        for card in re.findall(r'<div class="case">(.*?)</dl></div>', html):
            heading = unescape(re.sub("<.*?>", "", re.search(r"<p>(.*?)</p>", card)[1]))
            facts = re.findall(r"(?s)<dt>(.*?)</dt><dd>(.*?)</dd>", card.replace("<br>", "\n"))
            yield heading, {name: unescape(re.sub("<.*?>", "", text)) for name, text in facts}


def test_a_rebuilt_error_has_a_card_that_a_reader_can_check():
    """Catches a card of an error that was mended whose pair does not show it."""
    answer = {
        "mean": lambda x: Fraction(sum(x), len(x)),
        "covariance": lambda x: sum((v - Fraction(sum(x), len(x))) ** 2 for v in x) / (len(x) - 1),
    }
    rebuilt = [card for card in printed_cards() if "rebuilt" in card[0]]
    assert len(rebuilt) == 2
    for heading, facts in rebuilt:
        function = answer[re.search(r": (\w+),", heading)[1]]
        sides = [side.split(" → ") for side in facts["witness"].split("\n")]
        data = [read(f"[{side[0][1:-1]}]") for side in sides]
        assert [function(x) for x in data] == [Fraction(side[1]) for side in sides]
        claim, exact = map(Fraction, facts["claimed"].split(", exact "))
        assert abs(function(data[0]) - function(data[1])) == exact > claim
        gone, new = (Counter(x) - Counter(y) for x, y in (data, data[::-1]))
        changed = facts["relation"] == "1 changed"
        assert changed or facts["relation"] == "1 added or removed"
        assert sorted([gone.total(), new.total()]) == [int(changed), 1]


def test_the_page_counts_what_the_board_holds():
    """Catches a count on the page that is not the board's."""
    page = nbformat.read(ROOT / "notebooks" / "case-files.ipynb", as_version=4)
    text = "".join(
        output.get("text", "") for cell in page.cells for output in cell.get("outputs", [])
    )
    counted = re.search(r"(\d+) claims as of ([\d-]+): (.*)", text)
    board = cf.case_files()
    verdicts = Counter(case.verdict for case in board)
    assert (int(counted[1]), counted[2]) == (len(board), cf.as_of(board))
    assert counted[3] == ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items())
    assert verdicts["exact"] > len(board) / 2  # "most claims are exact"


# --- OpenDP: its functions and maps by another route ---------------------------------------


def test_the_exact_side_of_opendp_meets_the_closed_forms(opendp):
    """Catches an audit that asks OpenDP about other datasets than it says."""
    queries = {"sum": sl.SUM, "mean": sl.MEAN, "variance": sl.variance(ddof=1)}
    known = [c for c in opendp if "size known" in c.setting and c.function in queries]
    rows = [(queries[case.function], row) for case in known for row in case.rows]
    assert len(rows) == 12
    for query, row in rows:
        form = sl.closed_form(query, bounds=(0, 3), size=5, relation=sl.Change(row.k))
        assert float(row.exact) == pytest.approx(float(form.value), rel=1e-9)


@pytest.mark.parametrize(("leaves", "branching", "height"), [(4, 4, 2), (4, 2, 3), (9, 3, 3)])
def test_the_tree_moves_all_ones_by_its_operator_norm(leaves, branching, height):
    """Catches a wrong formula on the page: (bʰ − 1)/(b − 1) is the squared factor."""
    tree = cf.b_ary_tree(2, leaves=leaves, branching=branching)
    moved = sum(node**2 for node in tree([1] * leaves))
    factor = Fraction(branching**height - 1, branching - 1)
    assert moved == factor * leaves
    # No vector does more: the largest eigenvalue of the tree's Gram matrix, numerically.
    rows = np.array([tree([int(i == j) for j in range(leaves)]) for i in range(leaves)])
    assert np.linalg.eigvalsh(rows @ rows.T)[-1] == pytest.approx(float(factor))


def test_squared_deviations_move_by_what_a_rounded_mean_does():
    """Catches a witness that depends on something else than the rounding of the mean."""
    dp.enable_features("contrib")
    size, large = 511, LARGE
    same = [large + 0.25] * size
    other = [*same[1:], large + 0.5]
    deviations = cf.squared_deviations(size)
    assert deviations(same) == 0
    exact_mean = sum(map(Fraction, other)) / size
    assert exact_mean - Fraction(same[0]) == Fraction(1, 4 * size)  # far less than a quarter
    assert deviations(other) == (size - 1) / 16  # and yet all others are a quarter off


# --- tables of figures: the answers by another route ----------------------------------------


def plain(tool, dataset):
    """What numpy says for a tool of diffprivlib."""
    data = np.array([np.nan if value is None else value for value in dataset])
    points = np.column_stack([data, data])
    square = [(0, 1), (0, 1)]
    match tool.function:
        case "sum" if "int8" in tool.setting:
            return int(data.astype(np.int8).sum(dtype=np.int8))
        case "std":
            return np.var(data)
        case "count_nonzero":
            return np.count_nonzero(data)
        case "histogram":
            weight = 10 if "weights" in tool.setting else 1
            return tuple(weight * np.histogram(data, bins=2, range=(0, 1))[0])
        case "histogram2d" | "histogramdd":
            return tuple(np.histogramdd(points, bins=2, range=square)[0].ravel())
        case "median" | "quantile 0.25":
            q = 0.5 if tool.function == "median" else 0.25
            return tuple(-abs((data < r).sum() - q * len(data)) for r in (0.5, 1.5, 2.5))
        case "LinearRegression x·y":
            return data.sum()
        case "LinearRegression x·x":
            return (data**2).sum()
        case name:
            return getattr(np, name)(data)


def test_diffprivlib_was_watched_computing_what_numpy_computes():
    """Catches a wrapper that notes the wrong value, or the right one for another dataset."""
    tools = cf.seen("diffprivlib")
    assert sum(len(tool.answers) for tool in tools) == 285
    for tool in tools:
        for dataset, answer in tool.answers.items():
            assert answer == pytest.approx(plain(tool, dataset)), (tool.function, dataset)


def test_polars_was_asked_for_sums():
    """Catches a query that answers for another column or group."""
    for tool in cf.seen("opendp_polars"):
        assert all(sum(dataset) == answer for dataset, answer in tool.answers.items())
        assert [tool.claim(k) for k in range(1, 7)] == [*tool.claims.values()]


def test_pipelinedp_meets_its_closed_form():
    """Catches an enumeration of too few of the rows that a person may have."""
    for case in cf.pipelinedp_cases():
        limits = dict(limit.rsplit(" ", 1) for limit in case.setting.split("; "))
        width = 3 if case.function.startswith("sums") else 1
        if "max_contributions" in limits:
            rows = int(limits["max_contributions"])
            people = case.function.startswith("people")
            exact = rows * width if "L1" in case.function or not people else math.sqrt(rows)
        else:
            groups = int(limits["max_partitions_contributed"])
            each = 1 if case.function.startswith("people") else 2
            exact = each * width * (groups if "L1" in case.function else math.sqrt(groups))
        assert case.row.exact == pytest.approx(exact, rel=1e-5)


def test_tumults_joins_meet_the_product_formula():
    """Catches a join that is enumerated with other truncations than its name says."""
    joins = [case for case in cf.tumult_cases() if case.function == "private join"]
    assert len(joins) == 6
    for case in joins:
        names = case.setting.partition(";")[0].split(" x ")
        left, right = (TRUNCATIONS[name] for name in names)
        assert case.row.exact == join_bound(left, right, rows_left=1, rows_right=1)
