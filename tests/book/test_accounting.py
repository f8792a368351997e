"""dp-accounting's ε: verdicts pinned, and every exact ε met by another route."""

import ast
import math
from itertools import product

import numpy as np
import pytest
from scipy import integrate, optimize, stats
from sensitivity_book.case_files import accounting as ac
from sensitivity_book.data.stored_figures import figures
from sensitivity_book.theory.privacy.noise import gaussian_delta

from scripts import audit as again

ADD, SPECIAL, CHANGE = "1 added or removed", "1 replaced by a special record", "1 changed"
RDP, PLD = "RDP accountant", "PLD accountant"
ROOT_10 = math.sqrt(10)
# Accountant and event, setting, relation: claimed and exact, to six digits. Another number means
# that the library or our side has changed: read the case.
PINNED = {
    (f"{RDP}, Gaussian event", "multiplier 1", ADD): (4.72851, 4.37718),
    (f"{PLD}, Gaussian event", "multiplier 1", ADD): (4.37718, 4.37718),
    (f"{RDP}, Gaussian event", "multiplier 1", CHANGE): (4.72851, 9.99726),
    (f"{PLD}, Gaussian event", "multiplier 1", CHANGE): (9.99726, 9.99726),
    (f"{RDP}, Gaussian event", "multiplier 1", SPECIAL): (4.72851, 4.37718),
    (f"{PLD}, Gaussian event", "multiplier 1", SPECIAL): (4.37718, 4.37718),
    (f"{RDP}, Gaussian event", "multiplier s/2C", CHANGE): (10.7255, 9.99726),
    (f"{PLD}, Gaussian event", "multiplier s/2C", CHANGE): (24.3816, 9.99726),
    (f"{RDP}, 10 Gaussian events", "multiplier 1", ADD): (19.0536, 17.8566),
    (f"{PLD}, 10 Gaussian events", "multiplier 1", ADD): (17.8566, 17.8566),
    (f"{RDP}, 10 Gaussian events", "multiplier 1", CHANGE): (19.0536, 46.2112),
    (f"{PLD}, 10 Gaussian events", "multiplier 1", CHANGE): (46.2112, 46.2112),
    (f"{RDP}, sampled Gaussian event", "1/10, multiplier 1", ADD): (2.13301, 1.68454),
    (f"{PLD}, sampled Gaussian event", "1/10, multiplier 1", ADD): (1.68454, 1.68454),
    (f"{PLD}, sampled Gaussian event", "1/10, multiplier 1", CHANGE): (1.78915, 1.78915),
    (f"{RDP}, drawn Gaussian event", "1 of 2, multiplier 1", CHANGE): (4.0859, 8.98146),
    (f"{RDP}, Laplace event", "multiplier 1", ADD): (1.00282, 0.99998),
    (f"{PLD}, Laplace event", "multiplier 1", ADD): (0.99998, 0.99998),
    (f"{RDP}, Laplace event", "multiplier 1", CHANGE): (1.00282, 1.99998),
    (f"{RDP}, randomized response", "parameter 1/2, 2 buckets", CHANGE): (1.10183, 1.0986),
    (f"{PLD}, randomized response", "parameter 1/2, 2 buckets", CHANGE): (1.09861, 1.0986),
    (f"{RDP}, randomized response", "parameter 1/2, 2 buckets", SPECIAL): (0.695971, 0.693127),
    (f"{PLD}, randomized response", "parameter 1/2, 2 buckets", SPECIAL): (0.69313, 0.693127),
}


@pytest.fixture(scope="module")
def cases():
    found = ac.accounting_cases()
    return {(case.function, case.setting, case.relation): case for case in found}


def test_the_numbers_and_verdicts_are_those_on_record(cases):
    """Catches a claim or an exact ε that has changed, and a case that is lost."""
    found = {
        name: tuple(float(f"{number:.6g}") for number in (case.row.claimed, case.row.found))
        for name, case in cases.items()
    }
    assert found == PINNED
    assert {case.version for case in cases.values()} == {"0.6.0"}
    assert len({case.address for case in cases.values()}) == len(cases)
    for (_, _, relation), case in cases.items():
        assert case.verdict != "too small" or relation == CHANGE
        assert bool(case.loss) == (case.verdict != "exact")
        if case.function.startswith(PLD) and "response" not in case.function:
            halved = case.setting == "multiplier s/2C"
            assert case.verdict == ("loose" if halved else "exact")


def test_what_is_refused_is_stored_and_is_no_case(cases):
    """Catches an event that an accountant has come to know, which would be a new case."""
    table = figures("dp_accounting")
    refused = table[table["value"] == "refused"]
    assert refused[["query", "parameters"]].values.tolist() == [
        [RDP, "Gaussian, Poisson sample of 1/10; REPLACE_ONE"],
        [PLD, "Gaussian, 1 of 2 drawn; REPLACE_ONE"],
        [PLD, "Laplace; REPLACE_ONE"],
    ]
    assert len(cases) == len(table) - len(refused)


# --- the exact ε by other routes ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "relation", "gap"),
    [
        ("Gaussian", "ADD_OR_REMOVE_ONE", 1),
        ("Gaussian", "REPLACE_SPECIAL", 1),
        ("Gaussian", "REPLACE_ONE", 2),
        ("10 Gaussians", "ADD_OR_REMOVE_ONE", ROOT_10),
        ("10 Gaussians", "REPLACE_ONE", 2 * ROOT_10),
    ],
)
def test_a_gaussian_event_meets_its_curve(event, relation, gap):
    """Catches a pair that is not the widest, or another number of noises, by the closed form."""
    epsilon = optimize.brentq(lambda e: gaussian_delta(1, gap, e) - 1e-5, 0.1, 90, xtol=1e-13)
    assert ac.worst(event, relation).loss[0] == pytest.approx(epsilon, rel=1e-9)


def density(mixture, x):
    return sum(chance * stats.norm.pdf(x, centre) for chance, centre in mixture)


def integral(p, q, epsilon):
    """The δ of two densities, by adding up the excess on a fine grid."""
    steps = np.linspace(-14, 14, 560_001)
    excess = density(p, steps) - math.exp(epsilon) * density(q, steps)
    return integrate.trapezoid(np.maximum(excess, 0), steps)


MIXTURES = {
    "removed": (((0.9, 0.0), (0.1, 1.0)), ((1.0, 0.0),)),
    "changed": (((0.9, 0.0), (0.1, 1.0)), ((0.9, 0.0), (0.1, -1.0))),
    "drawn": (((0.5, -1.0), (0.5, 1.0)), ((1.0, -1.0),)),
    "of two humps": (((0.5, -2.0), (0.5, 2.0)), ((1.0, 0.0),)),
    "far first": (((1.0, -1.0),), ((0.5, -1.0), (0.5, 1.0))),
}


@pytest.mark.parametrize("name", MIXTURES)
def test_a_mixture_has_the_slack_that_an_integral_finds(name):
    """Catches an event with an end too few, or a tail that has lost its digits."""
    p, q = MIXTURES[name]
    for epsilon in (0.05, 0.5, 1.5):
        here, there = ac.likelier(p, q, epsilon)
        slack = here - math.exp(epsilon) * there
        assert slack == pytest.approx(integral(p, q, epsilon), abs=1e-8)


@pytest.mark.parametrize(
    ("event", "relation", "name"),
    [
        ("Gaussian, Poisson sample of 1/10", "ADD_OR_REMOVE_ONE", "removed"),
        ("Gaussian, Poisson sample of 1/10", "REPLACE_ONE", "changed"),
        ("Gaussian, 1 of 2 drawn", "REPLACE_ONE", "drawn"),
    ],
)
def test_a_sampled_event_needs_what_an_integral_needs(event, relation, name):
    """Catches an ε that leaves another δ than 1e-5 on its own pair."""
    found = ac.worst(event, relation).loss[0]
    assert integral(*MIXTURES[name], found) == pytest.approx(1e-5, rel=1e-4)


@pytest.mark.parametrize("relation", ["ADD_OR_REMOVE_ONE", "REPLACE_ONE"])
def test_a_laplace_event_meets_an_integral(relation):
    """Catches a wrong distance between the centres, or a wrong closed form."""
    gap = {"ADD_OR_REMOVE_ONE": 1, "REPLACE_ONE": 2}[relation]
    epsilon = ac.worst("Laplace", relation).loss[0]
    steps = np.linspace(gap - 1e-4, 30, 3_000_001)
    excess = stats.laplace.pdf(steps, gap) - math.exp(epsilon) * stats.laplace.pdf(steps)
    assert integrate.trapezoid(np.maximum(excess, 0), steps) == pytest.approx(1e-5, rel=1e-3)


def test_randomized_response_meets_all_its_events():
    """Catches an outcome that is not the worst: each is asked, in both orders."""
    told = {"REPLACE_ONE": (0.25, 0.75), "REPLACE_SPECIAL": (0.5, 0.75)}
    for relation, (other, kept) in told.items():
        pairs = [((kept, 1 - kept), (other, 1 - other)), ((other, 1 - other), (kept, 1 - kept))]
        needed = max(math.log((p - 1e-5) / q) for x, y in pairs for p, q in zip(x, y, strict=True))
        assert ac.worst("randomized response", relation).loss[0] == pytest.approx(needed)


def test_no_smaller_records_need_more():
    """Catches a widest pair that lies inside the bounds, for sampled and for drawn records."""
    inner = [-1, -0.6, 0.2, 0.8, 1]
    for a, b, shared in product(inner, inner, (-1, 0.3, 1)):
        if a != b:
            sampled = [((0.9, 0.0), (0.1, float(v))) for v in (a, b)]
            drawn = [((0.5, float(v)), (0.5, float(shared))) for v in (a, b)]
            for event, (p, q) in (
                ("Gaussian, Poisson sample of 1/10", sampled),
                ("Gaussian, 1 of 2 drawn", drawn),
            ):
                most = ac.worst(event, "REPLACE_ONE").loss[0]
                here, there = ac.likelier(p, q, most)
                assert here - math.exp(most) * there <= 1e-5 * (1 + 1e-9)


def test_the_answers_of_a_witness_are_chances_of_one_event(cases):
    """Catches answers that are not as far apart as the ε, or no chances."""
    for case in cases.values():
        here, there = case.row.answers
        assert here - there == pytest.approx(case.row.found, rel=1e-9)
        assert math.exp(there) < math.exp(here) + 1e-5 < 1


# --- programs --------------------------------------------------------------------------------


def test_every_gap_has_a_program_with_its_numbers(cases):
    """Catches a case that nobody can show by itself, and an edge that is not the worst event's."""
    folder = again.ROOT / "scripts" / "libraries" / "dp_accounting" / "programs"
    programs = {path.stem: path.read_text("utf-8") for path in folder.glob("*.py")}
    gaps = {case.address: case.row for case in cases.values() if case.verdict == "too small"}
    assert programs.keys() == gaps.keys()
    for address, row in gaps.items():
        wanted = [
            node
            for node in ast.parse(programs[address]).body
            if isinstance(node, ast.Assign) or getattr(node, "name", "") == "answer"
        ]
        made = {"math": math}
        exec(compile(ast.Module(wanted, []), address, "exec"), made)
        assert [tuple(data) for data in made["DATASETS"]] == [row.dataset, row.neighbour]
        assert list(map(made["answer"], made["DATASETS"])) == pytest.approx(row.answers, rel=1e-9)
