"""Ask OpenDP as it was in December 2021: opendp_2021.csv.

Version 0.4.0 is the one of December 2021, the month on which Casacuberta and others (2022) base
their look at libraries. It has relations, and no maps: a claim is a bound that its relation
confirms. "sensitivity" is the ideal one, for one record changed where the size is known, for one
added or removed where it is not; it is stored only if the relation confirms it, within the rounding
of one float, and refuses one that is a ten-thousandth smaller.
"""

from collections.abc import Iterator
from typing import Any

from asking import NEXT, SIDE_BY_SIDE, every, narrow, one_apart, records_of, store
from opendp.mod import enable_features
from opendp.trans import make_bounded_sum, make_sized_bounded_sum


def asked() -> Iterator[tuple[str, str, int | None, tuple[Any, Any], list[Any]]]:
    """Query, setting, size if it is known, bounds and datasets."""
    sized = "sum, size known"
    for size in (1, 2, 3):
        datasets = every(1.0, NEXT, sizes=range(size, size + 1))
        yield sized, SIDE_BY_SIDE, size, (1.0, NEXT), datasets
    for power in (4, 6):
        pair = one_apart(*narrow(power), 2**power)
        name = f"floats, bounds side by side, {2**power + 1} records"
        yield sized, name, 2**power + 1, narrow(power), pair
    yield "sum", "floats, bounds (0.0, 0.1)", None, (0.0, 0.1), every(0.0, 0.1)
    top = 2**30
    name = f"ints of 32 bits, bounds (0, {top:,})"
    for size in (1, 2, 3):
        yield sized, name, size, (0, top), every(0, top, sizes=range(size, size + 1))
    yield "sum", name, None, (0, top), every(0, top, sizes=range(1, 4))


def claimed(tool: Any, size: int | None, bounds: tuple[Any, Any]) -> Any:
    """The ideal sensitivity, if the tool's relation confirms it and nothing much smaller."""
    lower, upper = bounds
    far = 1 if size is None else 2  # a change is a removal and an addition
    ideal = max(abs(lower), abs(upper)) if size is None else upper - lower
    if not tool.check(far, ideal * (1 + 2.0**-52) if isinstance(ideal, float) else ideal):
        raise RuntimeError("the relation does not confirm the ideal sensitivity")
    if tool.check(far, ideal * 0.9999 if isinstance(ideal, float) else ideal - ideal // 10_000):
        raise RuntimeError("the relation confirms less than the ideal sensitivity")
    return ideal


def main() -> None:
    enable_features("contrib")
    store("opendp_2021", {"opendp": figures()})


def figures() -> Iterator[list[str]]:
    for query, name, size, bounds, datasets in asked():
        known = size is not None
        tool = make_sized_bounded_sum(size, bounds) if known else make_bounded_sum(bounds)
        at = f" at size {size}" if known else ""
        yield [query, name, f"sensitivity{at}", repr(claimed(tool, size, bounds))]
        for dataset in datasets:
            answer = tool.invoke(records_of(dataset)) if dataset else type(bounds[0])()
            yield [query, name, f"answer to {dataset}", repr(answer)]


if __name__ == "__main__":
    main()
