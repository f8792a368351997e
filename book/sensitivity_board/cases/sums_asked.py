"""Sums as libraries run them: what each claims, and what it was about to randomise.

The tables are made by `libraries/*/sums.py` and `figures.py`, but for the OpenDP of today,
which is asked as it is installed. Settings are those in which the sum that runs is not the sum of
the formula: floats between narrow bounds, long columns, and whole numbers at the end of their type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from itertools import combinations, product
from typing import Any

from sensitivity_board.figures import Asked, asked
from sensitivity_lab.numbers import dataset_text

NEXT = 1 + 2.0**-52  # the float after 1
NAMES = {
    "diffprivlib": "diffprivlib",
    "opendp": "OpenDP",
    "pipeline-dp": "PipelineDP",
    "python-dp": "PyDP",
    "smartnoise-sql": "SmartNoise SQL",
}
Runs = tuple[tuple[tuple[Any, ...], int], ...]  # records in their order, and how often they come
Related = Callable[[tuple[Any, ...], tuple[Any, ...]], bool]


@dataclass(frozen=True)
class Sums(Asked):
    """One setting of one tool: what it claims, by size or for all (None), and what it answered."""

    modulus: int | None = None  # of totals that wrap together with their noise

    def claim(self, size: int) -> Any:
        """The claim for datasets of a size; a float that is a large whole number as that number."""
        claim = self.claims[size if size in self.claims else None]
        return int(claim) if isinstance(claim, float) and claim >= 2**53 else claim

    @property
    def long(self) -> bool:
        """Whether a pair was asked, of datasets in which records come more than once."""
        return any(times > 1 for dataset in self.answers for _, times in dataset)

    @property
    def answered(self) -> dict[tuple[Any, ...], Any]:
        """The answers by dataset, each with all its records."""
        return {all_records(dataset): answer for dataset, answer in self.answers.items()}


@cache
def watched(name: str) -> tuple[Sums, ...]:
    """Return what a table of sums says, setting by setting: "pydp", for example."""
    return tuple(map(_sums, asked(name, runs)))


def _sums(one: Asked) -> Sums:
    claims: dict[int | None, Any] = {}
    modulus = None
    for quantity, number in one.claims.items():
        if quantity == "bits that wrap":
            modulus = 2**number
        else:
            size = quantity.removeprefix("sensitivity").removeprefix(" at size ")
            claims[int(size) if size else None] = number
    told = {dataset: unwrapped(dataset, total, modulus) for dataset, total in one.answers.items()}
    library = NAMES[one.library]
    return Sums(library, one.version, one.date, one.function, one.setting, claims, told, modulus)


def unwrapped(dataset: Runs, total: Any, modulus: int | None) -> Any:
    """Return a total that wraps, and whose release wraps with it,
    as the nearest to the ideal sum."""
    if modulus is None:
        return total
    ideal = sum(sum(records) * times for records, times in dataset)
    return total + modulus * round((ideal - total) / modulus)


@cache
def opendp_sums() -> tuple[Sums, ...]:
    """Return the settings of the table "opendp_2021" for the OpenDP that is installed,
    asked now."""
    # Imported where it is called: a page that runs Python has no OpenDP.
    import opendp.prelude as dp

    dp.enable_features("contrib")
    top = 2**30
    known, ints = "sum, size known", f"ints of 32 bits, bounds (0, {top:,})"
    bounds, pair = side_by_side(6)
    return (
        _asked(known, "floats, bounds 1 and the next float", (1.0, NEXT)),
        _asked(known, "floats, bounds side by side, 65 records", bounds, pair),
        _asked(known, ints, (0, top)),
        _asked("sum", ints, (0, top)),
        _asked("sum", "floats, bounds (0.0, 0.1)", (0.0, 0.1)),
    )


def _asked(
    function: str, setting: str, bounds: tuple[Any, Any], datasets: tuple[Runs, ...] = ()
) -> Sums:
    """Ask OpenDP's sum: about datasets, or about all of up to three records at the bounds."""
    import opendp.prelude as dp

    kind = {"nan": False} if isinstance(bounds[0], float) else {"T": "i32"}
    claims: dict[int | None, Any] = {}
    answers = {}
    for dataset in datasets or _every(bounds):
        records = all_records(dataset)
        size = len(records) if function.endswith("known") else None
        domain = dp.vector_domain(dp.atom_domain(bounds=bounds, **kind), size=size)
        total = dp.t.make_sum(domain, dp.symmetric_distance())
        claims[size] = total.map(1 if size is None else 2)
        answers[dataset] = total(list(records))
    return Sums("OpenDP", version("opendp"), "", function, setting, claims, answers)


def _every(values: tuple[Any, Any]) -> Iterator[Runs]:
    for size in (1, 2, 3):
        yield from (runs(records) for records in product(values, repeat=size))


# --- datasets -------------------------------------------------------------------------------------


def narrow(power: int) -> tuple[float, float]:
    """Return bounds between which no float lies, for 2 to that power records and one more.

    Source: attack_IBM_exact_count.ipynb of the artefact of Casacuberta and others (2022).
    """
    lower = (1 + (2.0 ** (power - 53) - 2.0**-52)) * 0.5
    return lower, (1 + 2.0 ** (power - 53)) * 0.5


def side_by_side(power: int) -> tuple[tuple[float, float], tuple[Runs, Runs]]:
    """Return those bounds, and two datasets: all records at the lower one, or one at the upper."""
    lower, upper = narrow(power)
    low, high = (runs([((lower,), 2**power), ((last,), 1)]) for last in (lower, upper))
    return (lower, upper), (low, high)


def runs(dataset: Any) -> Runs:
    """Return a tuple of records once, or a list of records with how often they come as a tuple."""
    return tuple(dataset) if isinstance(dataset, list) else ((dataset, 1),)


def all_records(dataset: Runs) -> tuple[Any, ...]:
    """Return every record of a dataset."""
    return tuple(value for records, times in dataset for value in records * times)


def size_of(dataset: Runs) -> int:
    """Return the number of a dataset's records, which are not built."""
    return sum(len(records) * times for records, times in dataset)


def runs_text(dataset: Runs) -> str:
    """Return a dataset with how often its records come, none of them rounded."""
    parts = []
    for records, times in dataset:
        told = dataset_text(records[0] if len(records) == 1 else records)
        parts.append(f"{told} ×{times:,}" if times > 1 else told)
    return ", then ".join(parts)


# --- neighbours -----------------------------------------------------------------------------------


def changed(x: tuple[Any, ...], y: tuple[Any, ...]) -> bool:
    """Return whether one record at most differs, in whatever order the records stand."""
    return len(x) == len(y) and (Counter(x) - Counter(y)).total() <= 1


def joined(x: tuple[Any, ...], y: tuple[Any, ...]) -> bool:
    """Return whether one record at most is in one and not in the other, in whatever order."""
    here, there = Counter(x), Counter(y)
    return (here - there).total() + (there - here).total() <= 1


@dataclass(frozen=True)
class Widest:
    """Two neighbours of a size, the larger's, whose answers lie furthest apart."""

    size: int
    gap: Any
    pair: tuple[tuple[Any, ...], tuple[Any, ...]]
    answers: tuple[Any, Any]


def widest(tool: Sums, related: Related) -> list[Widest]:
    """Return, for each size, the widest gap between neighbours among the
    datasets that were asked."""
    answered = tool.answered
    found: dict[int, Widest] = {}
    for x, y in combinations(answered, 2):
        size = max(len(x), len(y))
        gap = exact_gap(answered[x], answered[y])
        if related(x, y) and (size not in found or gap > found[size].gap):
            found[size] = Widest(size, gap, (x, y), (answered[x], answered[y]))
    return [found[size] for size in sorted(found)]


def exact_gap(one: Any, other: Any) -> Any:
    """Return how far apart two answers are, as an int or a float where that is the same number."""
    gap = abs(Fraction(one) - Fraction(other))
    if gap.denominator == 1:
        return gap.numerator
    return float(gap) if Fraction(float(gap)) == gap else gap
