"""Bootstrap intervals: the figure again on photos drawn with replacement, and what lies in the middle 95 %."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

DRAWS = 1000
LEVEL = 0.95
Figures = dict[str, Callable[[np.ndarray], np.ndarray]]
LARGEST = 1_000_000  # numbers in memory at once


def bootstrap(
    values: np.ndarray,
    figure: Callable[[np.ndarray], np.ndarray],
    rng: np.random.Generator,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> tuple[float, float]:
    """Interval of `figure`, a function of values (N,) or pairs (N, 2) with leading axes; NaN for a single value.

    Infinite values are drawn like any other; an interval may end at infinity.
    """
    return _intervals(values, {"": figure}, rng, draws, level, ordered=False)[""]


def bootstrap_ordered(
    values: np.ndarray, figures: Figures, rng: np.random.Generator, draws: int = DRAWS, level: float = LEVEL
) -> dict[str, tuple[float, float]]:
    """Intervals of several figures of the same draws, each draw sorted once: (..., N) rising -> (...)."""
    return _intervals(values, figures, rng, draws, level, ordered=True)


def _intervals(
    values: np.ndarray, figures: Figures, rng: np.random.Generator, draws: int, level: float, ordered: bool
) -> dict[str, tuple[float, float]]:
    n = len(values)
    if n < 2 or draws < 2:
        return dict.fromkeys(figures, (np.nan, np.nan))
    part = max(1, min(draws, LARGEST // n))
    found: dict[str, list[np.ndarray]] = {name: [] for name in figures}
    for start in range(0, draws, part):
        drawn = values[rng.integers(0, n, (min(part, draws - start), n))]
        if ordered:
            drawn.sort(axis=-1)
        for name, figure in figures.items():
            found[name].append(figure(drawn))
    shares = [(1 - level) / 2, (1 + level) / 2]
    ends = {name: np.quantile(np.concatenate(v), shares, method="nearest") for name, v in found.items()}
    return {name: (float(low), float(high)) for name, (low, high) in ends.items()}


def median(values: np.ndarray) -> np.ndarray:
    """Median over the last axis; of an even number the mean of the middle two, infinite if either is."""
    n = values.shape[-1]
    middle = np.partition(values, [(n - 1) // 2, n // 2], axis=-1)
    return (middle[..., (n - 1) // 2] + middle[..., n // 2]) / 2


def upper(values: np.ndarray, share: float = 0.8) -> np.ndarray:
    """The smallest value that `share` of all do not exceed."""
    at = max(0, int(np.ceil(share * values.shape[-1])) - 1)
    return np.partition(values, at, axis=-1)[..., at]
