"""Stability maps and privacy maps: small transformations and measurements that chain.

A map says how far outputs can lie apart when inputs lie at most `d_in` apart. A transformation
has a stability map, between two metrics; a measurement has a privacy map, from a metric to a
privacy measure. Datasets are multisets of rows; arithmetic is exact until noise comes in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np
from scipy import stats

from sensitivity_lab.audit import Audit, audit_map
from sensitivity_lab.exact import Exact, exact_number, simplest, whole_number
from sensitivity_lab.teaching.domains import (
    ABSOLUTE,
    CHANGE_ONE,
    L1,
    L2,
    MAX_DIVERGENCE,
    SYMMETRIC,
    ZERO_CONCENTRATED,
    Answers,
    Domain,
    Measure,
    Metric,
    Records,
    Rows,
    delta_at,
    interval,
    root,
)
from sensitivity_lab.teaching.noise import gaussian_delta, gaussian_rho

# --- what chains ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Transformation:
    """A function from data to data, with the map that bounds how far it drives neighbours apart.

    `status` is "exact" where some inputs at most `d_in` apart attain the map, at every `d_in`;
    "upper bound" where that depends on a caller's function, or on what is chained.
    """

    name: str
    function: Callable[[Any], Any] = field(repr=False)
    input_domain: Domain
    output_domain: Domain
    input_metric: Metric
    output_metric: Metric
    stability_map: Callable[[Any], Any] = field(repr=False)
    status: str = "exact"

    @property
    def __name__(self) -> str:
        return self.name  # what a report of `audit_map` calls it

    def __call__(self, data: Any) -> Any:
        """Return the output, in exact numbers; data outside the domain is refused."""
        return self.function(self.input_domain.read(data))

    def map(self, d_in: Any) -> Any:
        """Return `d_out`: outputs of inputs at most `d_in` apart lie at most `d_out` apart."""
        return self.stability_map(self.input_metric.read(d_in))

    @overload
    def __rshift__(self, second: Transformation) -> Transformation: ...
    @overload
    def __rshift__(self, second: Measurement) -> Measurement: ...
    def __rshift__(self, second: Any) -> Any:
        return then(self, second)


@dataclass(frozen=True)
class Measurement:
    """A random answer about data, with the map that bounds how well neighbours are told apart.

    `distribution(data)` is the distribution of the answer (of `scipy.stats`), and calling the
    measurement draws from it. The draws are made for study. Ideal noise is a real number, and
    its floating-point image can betray the answer it was added to (Mironov 2012).
    """

    name: str
    function: Callable[[Any], Any] = field(repr=False)
    input_domain: Domain
    input_metric: Metric
    output_measure: Measure
    privacy_map: Callable[[Any], Any] = field(repr=False)

    def distribution(self, data: Any) -> Any:
        """Return the distribution of the answer; of each part apart, where it is a vector."""
        return self.function(self.input_domain.read(data))

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one draw of the answer."""
        return self.distribution(data).rvs(random_state=rng)

    def map(self, d_in: Any) -> Any:
        """Return `d_out`: what the measure says at most of inputs at most `d_in` apart."""
        return self.privacy_map(self.input_metric.read(d_in))


@overload
def then(first: Transformation, second: Transformation) -> Transformation: ...
@overload
def then(first: Transformation, second: Measurement) -> Measurement: ...
def then(first: Any, second: Any) -> Any:
    """Chain: the second's function after the first's, the second's map after the first's.

    `first >> second` says the same.

    >>> chained = make_clamp(Records(), 0, 12) >> make_sum(Records(bounds=(0, 12)))
    >>> chained([100, 9, 7]), chained.map(1)
    (28, 12)

    Maps that are exact can be only a bound when they are chained, so that is their status.
    Raises ValueError where the metrics or the domains do not meet, TypeError for what does not
    chain.
    """
    if not isinstance(first, Transformation) or not isinstance(
        second, (Transformation, Measurement)
    ):
        raise TypeError(
            "then must be given a transformation and what follows it, "
            f"got {getattr(first, 'name', first)!r} and {getattr(second, 'name', second)!r}"
        )
    pair = f"'{first.name}' and '{second.name}' do not meet"
    if first.output_metric != second.input_metric:
        raise ValueError(
            f"{pair}: the first gives the {first.output_metric}, "
            f"the second takes the {second.input_metric}"
        )
    if not first.output_domain.within(second.input_domain):
        raise ValueError(
            f"{pair}: the first gives {first.output_domain}, the second takes {second.input_domain}"
        )
    parts: dict[str, Any] = {
        "name": f"{first.name} >> {second.name}",
        "input_domain": first.input_domain,
        "input_metric": first.input_metric,
    }
    if isinstance(second, Measurement):
        return Measurement(
            **parts,
            function=lambda data: second.distribution(first.function(data)),
            output_measure=second.output_measure,
            privacy_map=lambda d_in: second.map(first.stability_map(d_in)),
        )
    return Transformation(
        **parts,
        function=lambda data: second(first.function(data)),
        output_domain=second.output_domain,
        output_metric=second.output_metric,
        stability_map=lambda d_in: second.map(first.stability_map(d_in)),
        status="upper bound",
    )


def audit_stability(
    transformation: Transformation, inputs: Iterable[Any], distances: Iterable[Any]
) -> Audit:
    """Hold a transformation's map against every pair of some inputs, as `audit_map` does.

    >>> rows = make_count(Records())
    >>> audit_stability(rows, [(), (1,), (1, 1)], [1, 2]).to_frame()["verdict"].tolist()
    ['exact', 'exact']

    Cost: the function once for each input, the metrics once for each pair.
    """
    return audit_map(
        transformation,
        transformation.map,
        inputs,
        distances=distances,
        input_metric=transformation.input_metric,
        output_metric=transformation.output_metric,
    )


# --- datasets to datasets ------------------------------------------------------------------


def _changes(domain: Records, metric: Metric, d_in: int) -> int | None:
    """How many rows may be changed at a distance; None where rows may come and go.

    A known size leaves even symmetric distances only: a change is one row gone and one new.
    """
    if metric == CHANGE_ONE:
        changes = d_in
    elif domain.size is None:
        return None
    else:
        changes = d_in // 2
    return changes if domain.size is None else min(changes, domain.size)


def _dataset_metric(metric: Metric) -> Metric:
    if metric not in (SYMMETRIC, CHANGE_ONE):
        raise ValueError(f"metric must be SYMMETRIC or CHANGE_ONE, got metric={metric}")
    return metric


def _row_by_row(domain: Records, metric: Metric) -> Callable[[int], int]:
    """The map of what treats every row by itself and keeps their number."""

    def d_out(d_in: int) -> int:
        changes = _changes(domain, metric, d_in)
        if changes is None:
            return d_in
        return changes if metric == CHANGE_ONE else 2 * changes

    return d_out


def make_clamp(
    domain: Records, lower: Any, upper: Any, *, metric: Metric = SYMMETRIC
) -> Transformation:
    """Return the transformation that moves every number to the nearest in [lower, upper].

    >>> clamp = make_clamp(Records(), 0, 12)
    >>> clamp([100, 9, -1]), clamp.map(3)
    ((12, 9, 0), 3)

    Exact. Raises ValueError unless lower < upper and the domain's own bounds leave room between
    them. Source: the book's theorem on clipping.
    """
    low, high = interval(lower, upper)
    ends = domain.bounds if domain.bounds is not None else (low, high)

    def clamp(number: Exact) -> Exact:
        return min(max(number, low), high)

    kept = clamp(ends[0]), clamp(ends[1])
    if domain.rows == "any" or kept[0] == kept[1]:
        raise ValueError(f"domain must have numbers within [{lower}, {upper}], got '{domain}'")

    def function(rows: tuple[Any, ...]) -> tuple[Any, ...]:
        if domain.rows == "pair":
            return tuple((key, clamp(number)) for key, number in rows)
        return tuple(map(clamp, rows))

    return Transformation(
        name=f"clamp to [{low}, {high}]",
        function=function,
        input_domain=domain,
        output_domain=Records(kept, domain.size, domain.rows),
        input_metric=_dataset_metric(metric),
        output_metric=metric,
        stability_map=_row_by_row(domain, metric),
    )


def make_map(
    domain: Records,
    function: Callable[[Any], Any],
    *,
    rows: Rows = "number",
    metric: Metric = SYMMETRIC,
) -> Transformation:
    """Return the transformation that replaces every row by a function of it.

    >>> halves = make_map(Records(), lambda number: Fraction(number, 2))
    >>> halves([4, 3]), halves.map(1)
    ((2, Fraction(3, 2)), 1)

    `rows` says what the function gives. Exact where rows come and go; where the size is kept, an
    upper bound that is attained if the function takes two values.
    """
    output_domain = Records(None, domain.size, rows)
    return Transformation(
        name="map",
        function=lambda data: output_domain.read(map(function, data)),
        input_domain=domain,
        output_domain=output_domain,
        input_metric=_dataset_metric(metric),
        output_metric=metric,
        stability_map=_row_by_row(domain, metric),
        status="exact" if _changes(domain, metric, 1) is None else "upper bound",
    )


def _to_any_size(
    domain: Records, metric: Metric, most: int, parts: dict[str, Any]
) -> Transformation:
    """What turns each row into at most `most`: the number of rows is lost, and so changes are."""
    _dataset_metric(metric)

    def d_out(d_in: int) -> int:
        changes = _changes(domain, metric, d_in)
        return most * (d_in if changes is None else 2 * changes)

    return Transformation(
        input_domain=domain,
        input_metric=metric,
        output_metric=SYMMETRIC,
        stability_map=d_out,
        status="upper bound",
        **parts,
    )


def make_filter(
    domain: Records, predicate: Callable[[Any], Any], *, metric: Metric = SYMMETRIC
) -> Transformation:
    """Return the transformation that keeps the rows for which the predicate is true.

    >>> grown = make_filter(Records(), lambda age: age >= 18)
    >>> grown([17, 18, 40]), grown.map(2)
    ((18, 40), 2)

    How many rows are kept is private, so the output is measured in the symmetric distance. An
    upper bound, attained if the predicate keeps some row (two different ones, where the input's
    size is kept).
    """
    parts = {
        "name": "filter",
        "function": lambda rows: tuple(row for row in rows if predicate(row)),
        "output_domain": Records(domain.bounds, None, domain.rows),
    }
    return _to_any_size(domain, metric, 1, parts)


def make_flat_map(
    domain: Records,
    function: Callable[[Any], Iterable[Any]],
    max_rows: int,
    *,
    rows: Rows = "number",
    metric: Metric = SYMMETRIC,
) -> Transformation:
    """Return the transformation that replaces every row by the first `max_rows` of a function.

    >>> words = make_flat_map(Records(rows="any"), str.split, 2, rows="any")
    >>> words(["to be or", "not"]), words.map(1)
    (('to', 'be', 'not'), 2)

    The maximum counts, not the rows that come. An upper bound, attained if the function gives
    some row `max_rows` rows (two rows, with none in common, where the input's size is kept).
    Raises ValueError unless `max_rows` is a whole number of at least 1.
    """
    most = whole_number(max_rows, "max_rows", 1)
    output_domain = Records(None, None, rows)
    parts = {
        "name": f"flat map to at most {most}",
        "function": lambda data: output_domain.read(
            new for row in data for new in list(function(row))[:most]
        ),
        "output_domain": output_domain,
    }
    return _to_any_size(domain, metric, most, parts)


def make_resize(
    domain: Records, size: int, constant: Any, *, metric: Metric = SYMMETRIC
) -> Transformation:
    """Return the transformation that keeps the `size` smallest rows, or fills up with a constant.

    >>> three = make_resize(Records(), 3, 0)
    >>> three([9, 4]), three([9, 4, 5, 7]), three.map(1)
    ((4, 9, 0), (4, 5, 7), 2)

    One row that joins may push another out, hence 2. Exact: 2·min(d, size) where rows come and
    go, and min(changes, size) changes where the size is kept. Raises ValueError unless the
    constant is a row of the domain and `size` a whole number of at least 1.
    """
    kept = Records(domain.bounds, size, domain.rows)
    filler = Records(domain.bounds, None, domain.rows).read([constant])

    def d_out(d_in: int) -> int:
        changes = _changes(domain, metric, d_in)
        swaps = min(d_in if changes is None else changes, size)
        return swaps if metric == CHANGE_ONE else 2 * swaps

    return Transformation(
        name=f"resize to {size}",
        function=lambda rows: (*sorted(rows)[:size], *filler * (size - len(rows))),
        input_domain=domain,
        output_domain=kept,
        input_metric=_dataset_metric(metric),
        output_metric=metric,
        stability_map=d_out,
    )


# --- datasets to answers -------------------------------------------------------------------


def _bounded(domain: Records, name: str, rows: Rows = "number") -> tuple[Exact, Exact]:
    if domain.bounds is None or domain.rows != rows:
        kind = {"number": "numbers", "pair": "pairs (key, number)"}[rows]
        raise ValueError(f"domain of a {name} must hold {kind} with bounds, got '{domain}'")
    return domain.bounds


def make_count(domain: Records, *, metric: Metric = SYMMETRIC) -> Transformation:
    """Return the transformation that counts rows.

    >>> make_count(Records()).map(3), make_count(Records(size=5)).map(3)
    (3, 0)

    Exact: `d_in` where rows come and go, else 0.
    """
    return Transformation(
        name="count",
        function=len,
        input_domain=domain,
        output_domain=Answers(whole=True),
        input_metric=_dataset_metric(metric),
        output_metric=ABSOLUTE,
        stability_map=lambda d_in: d_in if _changes(domain, metric, d_in) is None else 0,
    )


def make_sum(domain: Records, *, metric: Metric = SYMMETRIC) -> Transformation:
    """Return the transformation that adds up rows within [L, U].

    >>> make_sum(Records(bounds=(1, 3))).map(2), make_sum(Records(bounds=(1, 3), size=5)).map(2)
    (6, 2)

    Exact: d·M, M = max(−L, U), where rows come and go; else changes·(U − L). Raises ValueError where
    the domain has no bounds. Source: the book's proofs, "Sum".
    """
    low, high = _bounded(domain, "sum")

    def d_out(d_in: int) -> Exact:
        changes = _changes(domain, metric, d_in)
        return d_in * max(-low, high) if changes is None else changes * (high - low)

    return Transformation(
        name="sum",
        function=sum,
        input_domain=domain,
        output_domain=Answers(),
        input_metric=_dataset_metric(metric),
        output_metric=ABSOLUTE,
        stability_map=d_out,
    )


def make_mean(domain: Records, *, metric: Metric = SYMMETRIC) -> Transformation:
    """Return the transformation that takes the mean of n rows within [L, U], n known.

    >>> mean = make_mean(Records(bounds=(0, 3), size=5))
    >>> [mean.map(d_in) for d_in in (1, 2, 3, 4)]
    [0, Fraction(3, 5), Fraction(3, 5), Fraction(6, 5)]

    Exact: changes·(U − L)/n. Raises ValueError where bounds or size are unknown. Source: the
    book's proofs, "Mean".
    """
    low, high = _bounded(domain, "mean")
    if domain.size is None:
        raise ValueError(f"domain of a mean must have a known size, got '{domain}'")
    size = domain.size

    def d_out(d_in: int) -> Exact:
        changes = _changes(domain, metric, d_in)
        assert changes is not None  # the size is known
        return simplest(Fraction(changes) * (high - low) / size)

    return Transformation(
        name="mean",
        function=lambda rows: simplest(Fraction(sum(rows)) / size),
        input_domain=domain,
        output_domain=Answers(),
        input_metric=_dataset_metric(metric),
        output_metric=ABSOLUTE,
        stability_map=d_out,
    )


def _distinct(keys: Iterable[Hashable]) -> tuple[Hashable, ...]:
    found = tuple(keys)
    if not found or len(set(found)) < len(found):
        raise ValueError(f"keys must be one or more different keys, got keys={found}")
    return found


def _per_key(
    domain: Records,
    keys: tuple[Hashable, ...],
    norm: Literal[1, 2],
    metric: Metric,
    most: Exact,
    width: Exact,
    parts: dict[str, Any],
) -> Transformation:
    """A group-by: a row joins or leaves with `most`, or changes by `width` within its key.

    A changed row may also move from one key to another: then two parts move, by `most` each. All
    rows may do the same, so d of them move the vector d times as far as one, in either norm.
    """
    if norm not in (1, 2):
        raise ValueError(f"norm must be 1 or 2, got norm={norm!r}")
    parted = min(len(keys), 2)  # with one key, a row can only leave it for a key that is not asked

    def d_out(d_in: int) -> Any:
        changes = _changes(domain, metric, d_in)
        if norm == 1:
            return d_in * most if changes is None else changes * max(width, parted * most)
        if changes is None:
            return root((d_in * most) ** 2)
        return root(changes**2 * max(width**2, parted * most**2))

    return Transformation(
        input_domain=domain,
        input_metric=_dataset_metric(metric),
        output_metric=L1 if norm == 1 else L2,
        stability_map=d_out,
        **parts,
    )


def make_count_by(
    domain: Records,
    keys: Iterable[Hashable],
    *,
    norm: Literal[1, 2] = 1,
    metric: Metric = SYMMETRIC,
) -> Transformation:
    """Return the transformation that counts the rows of each key; other keys are not counted.

    The key of a pair is its first part, the key of any other row is the row.

    >>> votes = make_count_by(Records(rows="any"), ["yes", "no"])
    >>> votes(["no", "yes", "no", "?"]), votes.map(1)
    ((1, 2), 1)

    Exact: d in either norm where rows come and go; else 2·changes in L1 and √2·changes in L2
    (changes alone, where there is one key). Raises ValueError for keys that repeat.
    """
    found = _distinct(keys)

    def function(rows: tuple[Any, ...]) -> tuple[int, ...]:
        counts = Counter(row[0] if domain.rows == "pair" else row for row in rows)
        return tuple(counts[key] for key in found)

    parts = {
        "name": "count by key",
        "function": function,
        "output_domain": Answers(length=len(found), whole=True),
    }
    return _per_key(domain, found, norm, metric, 1, 0, parts)


def make_sum_by(
    domain: Records,
    keys: Iterable[Hashable],
    *,
    norm: Literal[1, 2] = 1,
    metric: Metric = SYMMETRIC,
) -> Transformation:
    """Return the transformation that adds up the numbers of each key, of pairs (key, number).

    >>> spent = make_sum_by(Records(bounds=(0, 10), rows="pair"), ["food", "rent"])
    >>> spent([("rent", 9), ("food", 2), ("rent", 1)]), spent.map(1)
    ((2, 10), 10)

    With M = max(−L, U), exact: d·M in either norm where rows come and go; else changes·2M in
    L1 and changes·max(U − L, √2·M) in L2 (changes·max(U − L, M), where there is one key).
    Raises ValueError where pairs or bounds are missing.
    """
    low, high = _bounded(domain, "sum by key", "pair")
    found = _distinct(keys)

    def function(rows: tuple[Any, ...]) -> tuple[Exact, ...]:
        return tuple(sum(number for key, number in rows if key == asked) for asked in found)

    parts = {
        "name": "sum by key",
        "function": function,
        "output_domain": Answers(length=len(found)),
    }
    return _per_key(domain, found, norm, metric, max(-low, high), high - low, parts)


# --- noise ---------------------------------------------------------------------------------

NUMBER, WHOLE = Answers(), Answers(whole=True)


def _positive(value: Any, name: str) -> Exact:
    exact = exact_number(value, name)
    if exact <= 0:
        raise ValueError(f"{name} must lie above 0, got {name}={value}")
    return exact


def _floats(answer: Any) -> Any:
    return np.array(answer, dtype=float) if isinstance(answer, tuple) else float(answer)


def make_laplace(scale: Any, domain: Answers = NUMBER) -> Measurement:
    """Return the measurement that adds Laplace noise to a number, or to each part of a vector.

    >>> make_laplace(25).map(12)
    Fraction(12, 25)

    Exact: ε = d/scale, for the absolute distance, and the L1 distance of vectors. Source: Dwork,
    McSherry, Nissim and Smith (2006), proposition 1.
    """
    exact = _positive(scale, "scale")
    return Measurement(
        name=f"Laplace noise of scale {exact}",
        function=lambda answer: stats.laplace(_floats(answer), float(exact)),
        input_domain=domain,
        input_metric=ABSOLUTE if domain.length is None else L1,
        output_measure=MAX_DIVERGENCE,
        privacy_map=lambda d_in: simplest(Fraction(d_in) / exact),
    )


def make_geometric(scale: Any, domain: Answers = WHOLE) -> Measurement:
    """Return the measurement that adds whole-numbered noise: k with a chance like e^(−|k|/scale).

    >>> make_geometric(2).map(1)
    Fraction(1, 2)

    Exact: ε = d/scale, as for Laplace noise; whole numbers lie whole distances apart. Raises
    ValueError for answers that need not be whole. Source: Ghosh, Roughgarden and Sundararajan
    (2012).
    """
    exact = _positive(scale, "scale")
    if not domain.whole:
        raise ValueError(f"domain of geometric noise must hold whole numbers, got '{domain}'")

    def function(answer: Any) -> Any:
        return stats.dlaplace(1 / float(exact), loc=np.array(answer, dtype=int))

    return Measurement(
        name=f"geometric noise of scale {exact}",
        function=function,
        input_domain=domain,
        input_metric=ABSOLUTE if domain.length is None else L1,
        output_measure=MAX_DIVERGENCE,
        privacy_map=lambda d_in: simplest(Fraction(math.floor(d_in)) / exact),
    )


def make_gaussian(sigma: Any, domain: Answers = NUMBER, *, epsilon: Any = None) -> Measurement:
    """Return the measurement that adds Gaussian noise to a number, or to each part of a vector.

    >>> make_gaussian(2).map(1), round(make_gaussian(2, epsilon=0.5).map(1), 6)
    (0.125, 0.05244)

    Exact, in floats, for the absolute distance, and the L2 distance of vectors: without `epsilon`
    the map gives ρ = d²/(2σ²), with it the smallest δ at that ε. No finite ε alone will do.
    Source: Bun and Steinke (2016), proposition 1.6; Balle and Wang (2018), theorem 8.
    """
    width = float(_positive(sigma, "sigma"))
    measure = ZERO_CONCENTRATED if epsilon is None else delta_at(epsilon)

    def d_out(d_in: Any) -> float:
        if d_in == 0:
            return 0.0
        if epsilon is None:
            return gaussian_rho(width, float(d_in))
        return gaussian_delta(width, float(d_in), float(epsilon))

    return Measurement(
        name=f"Gaussian noise of σ {exact_number(sigma)}",
        function=lambda answer: stats.norm(_floats(answer), width),
        input_domain=domain,
        input_metric=ABSOLUTE if domain.length is None else L2,
        output_measure=measure,
        privacy_map=d_out,
    )
