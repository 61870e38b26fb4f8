"""An equirectangular panorama as a pyramid: each level half the last, with borders that continue the sphere.

Level l has 2^-l of the full resolution; a pixel is the mean of the 2x2 pixels below it, so that the
statistics of a level do not depend on which level it is (white noise stays white). Every level carries
BORDER extra pixels on each side: columns wrap around at ±180°, rows continue over the poles (turned by half
a revolution), so bilinear sampling meets no seam. Towards the poles a row holds more pixels than the sphere
has room for; there it is averaged along the longitude over 1/cos(latitude) pixels first, so that no
direction is resolved finer than the panorama's height resolves it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anylens.data.raster import round_to_bytes, shrink_area

BORDER = 2
SMALLEST = 32  # width of the last level at least


@dataclass(frozen=True)
class Pyramid:
    """Levels (H_l + 2 BORDER, W_l + 2 BORDER, 3) of uint8, finest first; `width` is the panorama's own."""

    levels: tuple[np.ndarray, ...]
    width: int
    height: int

    @property
    def pixels_per_radian(self) -> float:
        return self.width / (2 * math.pi)


def level_sizes(width: int, height: int) -> list[tuple[int, int]]:
    """(width, height) of every level of a panorama, without borders."""
    sizes = [(width, height)]
    while sizes[-1][0] >= 2 * SMALLEST and sizes[-1][1] >= 8:
        sizes.append((max(1, sizes[-1][0] // 2), max(1, sizes[-1][1] // 2)))
    return sizes


def build_pyramid(panorama: np.ndarray) -> Pyramid:
    """Pyramid of an equirectangular uint8 picture (H, W, 3)."""
    height, width = panorama.shape[:2]
    level = limit_to_latitude(panorama).astype(np.float32)  # so that rounding does not add up over the levels
    levels = []
    for w, h in level_sizes(width, height):
        level = shrink_area(level, w, h)
        levels.append(continue_sphere(round_to_bytes(level)))
    return Pyramid(tuple(levels), width, height)


def continue_sphere(image: np.ndarray, border: int = BORDER) -> np.ndarray:
    """The picture with `border` more pixels on each side, from across the seam and the poles."""
    turned = np.roll(image, image.shape[1] // 2, axis=1)
    tall = np.concatenate([turned[:border][::-1], image, turned[-border:][::-1]])
    return np.ascontiguousarray(np.concatenate([tall[:, -border:], tall, tall[:, :border]], axis=1))


def limit_to_latitude(image: np.ndarray) -> np.ndarray:
    """Rows beyond 45° of latitude averaged along the longitude over 1/cos(latitude) pixels."""
    height, width = image.shape[:2]
    cosine = np.cos((0.5 - (np.arange(height) + 0.5) / height) * math.pi)
    out = image.copy()
    for row in np.flatnonzero(cosine < math.sqrt(0.5)):
        half = min(0.5 / cosine[row], width / 2 - 1)
        reach = math.ceil(half) + 1
        line = np.concatenate([image[row, -reach:], image[row], image[row, :reach]]).astype(np.float64)
        total = np.concatenate([np.zeros((1, line.shape[1])), np.cumsum(line, axis=0)])
        centre = np.arange(width) + reach + 0.5
        out[row] = round_to_bytes((_at(total, centre + half) - _at(total, centre - half)) / (2 * half))
    return out


def _at(total: np.ndarray, x: np.ndarray) -> np.ndarray:
    low = np.floor(x).astype(np.int64)
    part = (x - low)[:, None]
    return total[low] * (1 - part) + total[np.minimum(low + 1, len(total) - 1)] * part
