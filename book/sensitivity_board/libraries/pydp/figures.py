"""Watch PyDP at work, and store what was seen as pydp.csv.

An answer is what the library is about to randomise: it stands in the summary that `serialize`
gives, the running total of a sum or, of a mean, that of the distances to the middle. The library is
C++ and does not show the sensitivity of its noise, so that is read from Google's source: the larger
absolute bound for a sum, half the distance of the bounds for a mean. It is checked against 4,000
releases at ε = 1, whose mean absolute noise is the sensitivity, over the share of ε.

A sum of ints wraps, and so does its release: where the total is at the end of the type, half of the
releases are at the other end. "bits that wrap" says so, once that has been seen.
"""

import math
import struct
from collections.abc import Iterator
from statistics import fmean
from typing import Any

from asking import NEXT, SIDE_BY_SIDE, every, long_sums, narrow, one_apart, store
from pydp.algorithms.laplacian import BoundedMean, BoundedSum

BITS = {"int": 32, "int64": 64}
RELEASES = 4_000
BLOCK = 2**19  # how often the records of a long dataset are handed over at once
HALF = 2**27  # copies of 1 in the long dataset, of 2²⁸ records


def sensitivity(algorithm: Any, lower: float, upper: float) -> float:
    if algorithm is BoundedSum:
        return max(abs(float(lower)), abs(float(upper)))
    return abs(upper - lower) / 2


def check_sensitivities() -> None:
    """Compare the formulas with the noise, on bounds for which they and others differ."""
    for lower, upper in ((-2.0, 3.0), (1.0, 3.0), (-5.0, 2.0)):
        bounds = {"lower_bound": lower, "upper_bound": upper, "dtype": "float"}
        sums = [BoundedSum(epsilon=1.0, **bounds).quick_result([]) for _ in range(RELEASES)]
        middle = (lower + upper) / 2
        means = [
            BoundedMean(epsilon=0.1, **bounds).quick_result([middle] * 10_000) - middle
            for _ in range(RELEASES // 4)
        ]
        expect(fmean(map(abs, sums)), sensitivity(BoundedSum, lower, upper))
        # Half of ε is for the sum of the mean, and the number of records is large.
        expect(fmean(map(abs, means)) * 10_000 * 0.05, sensitivity(BoundedMean, lower, upper))


def expect(noise: float, formula: float) -> None:
    if not math.isclose(noise, formula, rel_tol=0.15):
        raise RuntimeError(f"the mean absolute noise is {noise:.3g}, and not {formula:.3g}")


def check_that_releases_wrap(dtype: str, bits: int) -> None:
    """See releases at both ends of the type, where two records of a quarter of it are added."""
    top = 2 ** (bits - 2)
    bounds = {"lower_bound": 0, "upper_bound": top, "dtype": dtype}
    releases = [BoundedSum(epsilon=10_000, **bounds).quick_result([top, top]) for _ in range(100)]
    if not (min(releases) < -top < 0 < top < max(releases)):
        raise RuntimeError(f"the releases of a total of dtype {dtype} do not wrap")


def answer(algorithm: Any, dtype: str, bounds: tuple[Any, Any], dataset: Any) -> float | int:
    """The number that the library is about to randomise."""
    tool = algorithm(epsilon=1.0, lower_bound=bounds[0], upper_bound=bounds[1], dtype=dtype)
    for records, times in dataset if isinstance(dataset, list) else [(dataset, 1)]:
        blocks, rest = divmod(times, BLOCK)
        block = list(records) * BLOCK if blocks else []
        for _ in range(blocks):
            tool.add_entries(block)
        tool.add_entries(list(records) * rest)
    ((_, summary),) = fields(dict(fields(tool.serialize().to_bytes()))[2], wanted=2)
    total = dict(fields(summary))[1 if algorithm is BoundedSum else 2]
    ((kind, number),) = fields(total)
    if kind == 2:
        return struct.unpack("<d", number)[0]
    return number - 2**64 if number >= 2**63 else number


def fields(message: bytes, wanted: int | None = None) -> list[tuple[int, Any]]:
    """The fields of a message of protocol buffers, by number."""
    found, at = [], 0
    while at < len(message):
        key, at = varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(message, at)
        elif kind == 1:
            value, at = message[at : at + 8], at + 8
        else:
            length, at = varint(message, at)
            value, at = message[at : at + length], at + length
        if wanted in (None, number):
            found.append((number, value))
    return found


def varint(message: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def asked() -> Iterator[tuple[str, str, Any, str, tuple[Any, Any], list[Any]]]:
    """Query, setting, algorithm, type, bounds and datasets."""
    mean, total = "mean, its sum about the middle", "sum"
    for bounds in ((0.0, 3.0), (-2.0, 3.0), (0.0, 0.1)):
        yield total, f"floats, bounds {bounds}", BoundedSum, "float", bounds, every(*bounds)
    yield mean, "floats, bounds (0.0, 3.0)", BoundedMean, "float", (0.0, 3.0), every(0.0, 3.0)
    for query, tool in ((total, BoundedSum), (mean, BoundedMean)):
        yield query, SIDE_BY_SIDE, tool, "float", (1.0, NEXT), every(1.0, NEXT)
    name = "floats, bounds side by side, 17 records"
    yield mean, name, BoundedMean, "float", narrow(4), one_apart(0.0, 1.0, 16)
    yield total, "ints, bounds (0, 3)", BoundedSum, "int", (0, 3), every(0, 3)
    for dtype, top in (("int", 2**30), ("int64", 2**62)):
        name = f"dtype {dtype}, bounds (0, {top:,})"
        yield total, name, BoundedSum, dtype, (0, top), every(0, top)
    salaries = [[((100_000,), times)] for times in (21_474, 21_475)]
    name = "dtype int, bounds (0, 100,000), 21,475 records"
    yield total, name, BoundedSum, "int", (0, 100_000), salaries
    name = "floats, bounds (-1.0, 1.0), 268,435,456 records"
    yield total, name, BoundedSum, "float", (-1.0, 1.0), long_sums(HALF)


def main() -> None:
    check_sensitivities()
    for dtype, bits in BITS.items():
        check_that_releases_wrap(dtype, bits)
    store("pydp", {"python-dp": rows()})


def rows() -> Iterator[list[Any]]:
    for query, name, tool, dtype, bounds, datasets in asked():
        yield [query, name, "sensitivity", repr(sensitivity(tool, *bounds))]
        if dtype in BITS:
            yield [query, name, "bits that wrap", BITS[dtype]]
        for dataset in datasets:
            told = repr(answer(tool, dtype, bounds, dataset))
            yield [query, name, f"answer to {dataset}", told]


if __name__ == "__main__":
    main()
