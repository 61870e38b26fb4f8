"""Bootstrap intervals: the figure again on photos drawn with replacement, and what lies in the middle 95 %."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

DRAWS = 1000
LEVEL = 0.95
LARGEST = 4_000_000  # numbers in memory at once


def bootstrap(
    values: np.ndarray,
    figure: Callable[[np.ndarray], np.ndarray],
    rng: np.random.Generator,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> tuple[float, float]:
    """Interval of `figure`, a function (..., N) -> (...), of values (N,); NaN for a single value.

    Infinite values are drawn like any other; an interval may end at infinity.
    """
    n = len(values)
    if n < 2 or draws < 2:
        return np.nan, np.nan
    part = max(1, min(draws, LARGEST // n))
    found = [
        figure(values[rng.integers(0, n, (min(part, draws - start), n))])
        for start in range(0, draws, part)
    ]  # fmt: skip
    low, high = np.quantile(np.concatenate(found), [(1 - level) / 2, (1 + level) / 2], method="nearest")
    return float(low), float(high)


def median(values: np.ndarray) -> np.ndarray:
    """Median over the last axis; of an even number the mean of the middle two, infinite if either is."""
    n = values.shape[-1]
    middle = np.partition(values, [(n - 1) // 2, n // 2], axis=-1)
    return (middle[..., (n - 1) // 2] + middle[..., n // 2]) / 2


def upper(values: np.ndarray, share: float = 0.8) -> np.ndarray:
    """The smallest value that `share` of all do not exceed."""
    at = max(0, int(np.ceil(share * values.shape[-1])) - 1)
    return np.partition(values, at, axis=-1)[..., at]
