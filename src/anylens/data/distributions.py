"""Distributions a recipe draws from, as plain data: {"uniform": [20, 105]}, {"normal": [0, 0.07, -0.3,
0.3]}, …
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.errors import FormatError


@dataclass(frozen=True)
class Constant:
    value: float

    def draw(self, rng: np.random.Generator) -> float:
        return self.value


@dataclass(frozen=True)
class Uniform:
    low: float
    high: float

    def draw(self, rng: np.random.Generator) -> float:
        return float(rng.uniform(self.low, self.high))


@dataclass(frozen=True)
class Normal:
    """Normal, drawn again until it lies in [low, high]."""

    mean: float
    deviation: float
    low: float = -math.inf
    high: float = math.inf

    def draw(self, rng: np.random.Generator) -> float:
        for _ in range(1000):
            value = float(rng.normal(self.mean, self.deviation))
            if self.low <= value <= self.high:
                return value
        return min(max(self.mean, self.low), self.high)


@dataclass(frozen=True)
class LogNormal:
    """median · exp(deviation · N(0, 1)), drawn again until it lies in [low, high]."""

    median: float
    deviation: float
    low: float = 0.0
    high: float = math.inf

    def draw(self, rng: np.random.Generator) -> float:
        low, high = (math.log(x) if x > 0 else -math.inf for x in (self.low, self.high))
        return math.exp(Normal(math.log(self.median), self.deviation, low, high).draw(rng))


@dataclass(frozen=True)
class Mixture:
    """One of several distributions, chosen by weight: {"mixture": [[0.8, {"normal": …}], [0.2, {"uniform":
    …}]]}.
    """

    parts: tuple[tuple[float, Any], ...]

    def draw(self, rng: np.random.Generator) -> float:
        weights = np.array([w for w, _ in self.parts])
        return self.parts[int(rng.choice(len(weights), p=weights / weights.sum()))][1].draw(rng)


Distribution = Constant | Uniform | Normal | LogNormal | Mixture
KINDS = {"constant": Constant, "uniform": Uniform, "normal": Normal, "lognormal": LogNormal}


def read_distribution(data: Any) -> Distribution:
    """A distribution from plain data: a number, or an object with one key naming its kind. Raises
    FormatError.
    """
    if isinstance(data, int | float) and not isinstance(data, bool):
        return Constant(float(data))
    if isinstance(data, dict) and len(data) == 1:
        kind, values = next(iter(data.items()))
        try:
            if kind == "mixture":
                return Mixture(tuple((float(w), read_distribution(d)) for w, d in values))
            return KINDS[kind](*(float(v) for v in (values if isinstance(values, list) else [values])))
        except (KeyError, TypeError, ValueError):
            pass
    raise FormatError(f"Not a distribution: {data!r}. Use a number or one of {', '.join([*KINDS, 'mixture'])}.")
