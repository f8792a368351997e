"""Distributions of published numbers, each with its density, its chances and its draws.

A centre is a number, or an array of them for the parts of a vector; so are the answers. Names are
those of `scipy.stats`, to which the tests hold every one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sensitivity_book.theory.privacy.noise import chance_below


@dataclass(frozen=True)
class _Around:
    """Noise of a width around a centre."""

    centre: Any
    scale: float

    def median(self) -> Any:
        """Return the number that half of all draws lie below."""
        return self.centre

    def mean(self) -> Any:
        """Return the mean of all draws."""
        return self.centre

    def _steps(self, x: Any) -> Any:
        return (np.asarray(x) - self.centre) / self.scale


class Laplace(_Around):
    """Laplace noise of a scale around a centre: x with a density like e^(−|x − centre|/scale)."""

    def pdf(self, x: Any) -> Any:
        """Return the density at x."""
        return 0.5 * np.exp(-np.abs(self._steps(x))) / self.scale

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density at x."""
        return np.log(0.5) - np.abs(self._steps(x)) - np.log(self.scale)

    def cdf(self, x: Any) -> Any:
        """Return the chance of a number of at most x."""
        far = 0.5 * np.exp(-np.abs(self._steps(x)))
        return np.where(self._steps(x) > 0, 1.0 - far, far)[()]

    def sf(self, x: Any) -> Any:
        """Return the chance of a number above x."""
        far = 0.5 * np.exp(-np.abs(self._steps(x)))
        return np.where(self._steps(x) > 0, far, 1.0 - far)[()]

    def rvs(self, random_state: np.random.Generator) -> Any:
        """Return one draw of each part."""
        return self.centre + self.scale * random_state.laplace(size=np.shape(self.centre) or None)


class Normal(_Around):
    """Gaussian noise of standard deviation σ, its scale, around a centre."""

    def pdf(self, x: Any) -> Any:
        """Return the density at x."""
        return np.exp(-(self._steps(x) ** 2) / 2) / math.sqrt(2 * math.pi) / self.scale

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density at x."""
        return -(self._steps(x) ** 2) / 2 - math.log(math.sqrt(2 * math.pi)) - math.log(self.scale)

    def cdf(self, x: Any) -> Any:
        """Return the chance of a number of at most x."""
        return _CHANCES_BELOW(self._steps(x))

    def sf(self, x: Any) -> Any:
        """Return the chance of a number above x."""
        return _CHANCES_BELOW(-self._steps(x))

    def rvs(self, random_state: np.random.Generator) -> Any:
        """Return one draw of each part."""
        return self.centre + self.scale * random_state.normal(size=np.shape(self.centre) or None)


_CHANCES_BELOW = np.vectorize(chance_below, otypes=[float])


@dataclass(frozen=True)
class Uniform:
    """A number between `low` and `low + width`, each as likely as any other."""

    low: float
    width: float

    def cdf(self, x: float) -> float:
        """Return the chance of a number of at most x."""
        return min(max((x - self.low) / self.width, 0.0), 1.0)

    def sf(self, x: float) -> float:
        """Return the chance of a number above x."""
        return 1.0 - self.cdf(x)

    def median(self) -> float:
        """Return the number that half of all draws lie below."""
        return self.low + self.width / 2
