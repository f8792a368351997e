"""Stability maps and privacy maps: transformations and measurements, and how they chain.

A map says how far outputs can lie apart when inputs lie at most `d_in` apart. A transformation
has a stability map, between two metrics; a measurement has a privacy map, from a metric to a
privacy measure. Datasets are multisets of rows; arithmetic is exact until noise comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from sensitivity_book.theory.stability.domains import Domain, Measure, Metric
from sensitivity_lab import Audit, audit_map


@dataclass(frozen=True)
class Transformation:
    """A function from data to data, with the map that bounds how far it drives neighbours apart.

    >>> from sensitivity_book.theory.stability.aggregations import make_sum
    >>> from sensitivity_book.theory.stability.domains import Records
    >>> total = make_sum(Records(bounds=(0, 12)))
    >>> total([9, 7, 5]), total.status
    (21, 'exact')

    `status` is "exact" where some inputs at most `d_in` apart attain the map, at every `d_in`;
    "upper bound" where that depends on a caller's function, or on what is chained.
    Source: OpenDP (2026); def-privacy-stable in chapters/privacy-maps.
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
        """Return `d_out`: outputs of inputs at most `d_in` apart lie at most `d_out` apart.

        >>> from sensitivity_book.theory.stability.aggregations import make_sum
        >>> from sensitivity_book.theory.stability.domains import Records
        >>> make_sum(Records(bounds=(0, 12))).map(2)
        24
        """
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

    >>> from sensitivity_book.theory.privacy.measurements import make_laplace
    >>> print(round(make_laplace(25)(37, np.random.default_rng(7)), 3))
    44.198

    The draws are made for study. Ideal noise is a real number, and its floating-point image can
    betray the answer it was added to (Mironov 2012).
    Source: OpenDP (2026); def-privacy-general in chapters/privacy-maps.
    """

    name: str
    function: Callable[[Any], Any] = field(repr=False)
    input_domain: Domain
    input_metric: Metric
    output_measure: Measure
    privacy_map: Callable[[Any], Any] = field(repr=False)

    def distribution(self, data: Any) -> Any:
        """Return the distribution of the answer; of each part of a vector.

        >>> from sensitivity_book.theory.privacy.measurements import make_laplace
        >>> print(make_laplace(25).distribution(37).mean())
        37.0
        """
        return self.function(self.input_domain.read(data))

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one draw of the answer."""
        return self.distribution(data).rvs(random_state=rng)

    def map(self, d_in: Any) -> Any:
        """Return `d_out`: what the measure says at most of inputs at most `d_in` apart.

        >>> from sensitivity_book.theory.privacy.measurements import make_laplace
        >>> make_laplace(25).map(12)
        Fraction(12, 25)
        """
        return self.privacy_map(self.input_metric.read(d_in))


@overload
def then(first: Transformation, second: Transformation) -> Transformation: ...
@overload
def then(first: Transformation, second: Measurement) -> Measurement: ...
def then(first: Any, second: Any) -> Any:
    """Chain: the second's function after the first's, the second's map after the first's.

    >>> from sensitivity_book.theory.stability.aggregations import make_sum
    >>> from sensitivity_book.theory.stability.domains import Records
    >>> from sensitivity_book.theory.stability.transformations import make_clamp
    >>> chained = make_clamp(Records(), 0, 12) >> make_sum(Records(bounds=(0, 12)))
    >>> chained([100, 9, 7]), chained.map(1)
    (28, 12)

    Maps that are exact can be only a bound when they are chained, so that is their status.
    Raises ValueError where the metrics or the domains do not meet, TypeError for what does not
    chain. Proof: thm-privacy-chaining in chapters/privacy-maps.
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

    >>> from sensitivity_book.theory.stability.aggregations import make_count
    >>> from sensitivity_book.theory.stability.domains import Records
    >>> report = audit_stability(make_count(Records()), [(), (1,), (1, 1)], [1, 2])
    >>> [row.verdict for row in report.rows]
    ['exact', 'exact']
    """
    return audit_map(
        transformation,
        transformation.map,
        inputs,
        distances=distances,
        input_metric=transformation.input_metric,
        output_metric=transformation.output_metric,
    )
