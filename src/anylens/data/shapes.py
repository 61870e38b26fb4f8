"""Size and density of a batch: one aspect, sides in multiples of the patch, and photographs large enough for
it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anylens.data.config import ViewConfig
from anylens.data.raster import working_size

SUPPORT = 0.2  # least share of photographs that a batch with photographs must be able to draw from
SENSORS = (3 / 4, 4 / 3, 2 / 3, 3 / 2, 9 / 16, 16 / 9)


@dataclass(frozen=True)
class Shape:
    """Output size and working size (width, height); their ratio is the source pixels per output pixel."""

    out: tuple[int, int]
    working: tuple[int, int]


def draw_shape(
    config: ViewConfig, rng: np.random.Generator, photo_sizes: np.ndarray | None = None, photo_weights=None
) -> Shape:
    """Shape of one batch. Half of the aspects are those of real sensors, half log-uniform.

    `photo_sizes` (N, 2) are the widths and heights to choose from: the shape shrinks, aspect kept, until
    photographs that carry SUPPORT of the weight are at least as large as the working picture.
    """
    low, high = config.aspect_range
    aspect = math.exp(rng.uniform(math.log(low), math.log(high)))
    sensors = [s for s in SENSORS if low <= s <= high]
    if sensors and rng.random() < 0.5:
        aspect = sensors[int(rng.integers(len(sensors)))]
    side = math.sqrt(config.area) * rng.uniform(*config.size_range)
    density = config.min_source_pixels * (1 + rng.uniform(0, config.density_spread))
    while True:
        out = (
            _round(side * math.sqrt(aspect), config.multiple),
            _round(side / math.sqrt(aspect), config.multiple),
        )
        shape = Shape(out, working_size(*out, density))
        if photo_sizes is None or min(out) <= 2 * config.multiple:
            return shape
        if float(photo_weights[supported(photo_sizes, shape.working)].sum()) >= SUPPORT:
            return shape
        side *= 0.96


def supported(photo_sizes: np.ndarray, working: tuple[int, int]) -> np.ndarray:
    """Which photographs (N, 2) are at least as large as the working picture (N,)."""
    return (photo_sizes[:, 0] >= working[0]) & (photo_sizes[:, 1] >= working[1])


def _round(length: float, multiple: int) -> int:
    return max(1, round(length / multiple)) * multiple
