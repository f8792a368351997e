"""Watch diffprivlib add long and narrow numbers: diffprivlib_sums.csv.

The settings are those in which Casacuberta and others (2022) tell the formula of a sum from the sum
that runs: floats between bounds side by side, which are rounded, and ints of 64 bits, which wrap.
For each there is one beside it that is asked in the same way. "sensitivity at size n" is what the
mechanism held for n records, and "answer to …" is what it was to randomise.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from asking import NEXT, SIDE_BY_SIDE, every, long_sums, narrow, one_apart, store
from diffprivlib import tools
from figures import plain, seen, watch

HELD, GIVEN = "what its mechanism holds", "what its mechanism is to randomise"

SIZES = range(1, 4)
HALF = 2**19  # copies of 1 in the long dataset, of 2²⁰ records


def asked() -> Iterator[tuple[str, str, dict[str, Any], list[Any]]]:
    """Tool, setting, its arguments and datasets."""
    for name in ("sum", "mean", "var"):
        yield name, SIDE_BY_SIDE, {"bounds": (1.0, NEXT)}, every(1.0, NEXT, sizes=SIZES)
    yield "sum", "floats, bounds (0.0, 0.1)", {"bounds": (0.0, 0.1)}, every(0.0, 0.1, sizes=SIZES)
    pair = one_apart(0.0, 1.0, 64)
    yield "sum", "floats, bounds side by side, 65 records", {"bounds": narrow(6)}, pair
    yield "sum", "floats, bounds (0.0, 1.0), 65 records", {"bounds": (0.0, 1.0)}, pair
    top = 2**62
    ints = {"bounds": (0, top), "dtype": int}
    yield "sum", f"dtype int, bounds (0, {top:,})", ints, every(0, top, sizes=SIZES)
    small = {"bounds": (0, 2**60), "dtype": int}
    yield "sum", f"dtype int, bounds (0, {2**60:,})", small, every(0, 2**60, sizes=SIZES)
    one, (ones, pairs) = long_sums(HALF)
    long = [one, [ones, ((0.0,), 1), pairs]]  # a record is changed
    yield "sum", f"floats, bounds (-1.0, 1.0), {2 * HALF:,} records", {"bounds": (-1.0, 1.0)}, long


def array(dataset: Any) -> Any:
    runs = dataset if isinstance(dataset, list) else [(dataset, 1)]
    return np.concatenate([np.tile(records, times) for records, times in runs])


def main() -> None:
    warnings.simplefilter("ignore")
    watch()
    store("diffprivlib_sums", {"diffprivlib": rows()})


def rows() -> Iterator[list[str]]:
    for tool, name, arguments, datasets in asked():
        settings = ", ".join(f"{argument}={value}" for argument, value in arguments.items())
        told: dict[int, Any] = {}
        for dataset in datasets:
            records = array(dataset)
            seen.clear()
            getattr(tools, tool)(records, **arguments)
            (mechanism,) = seen
            if told.setdefault(records.size, mechanism.sensitivity) != mechanism.sensitivity:
                raise RuntimeError("the sensitivity is not one number at each size")
            (value,) = mechanism.values
            yield [tool, name, f"answer to {dataset}", repr(plain(value)), settings, GIVEN]
        for size, sensitivity in told.items():
            yield [
                tool,
                name,
                f"sensitivity at size {size}",
                repr(plain(sensitivity)),
                settings,
                HELD,
            ]


if __name__ == "__main__":
    main()
