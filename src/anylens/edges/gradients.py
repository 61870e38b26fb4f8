"""Edge pixels of a picture: where the gradient is locally largest across the edge, to a fraction of a pixel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEAST_CONTRAST = 3.0  # grey levels per pixel, of 255, after the blur: below lies noise
MOST_PIXELS = 30_000  # about so many edge pixels are kept, the strongest
BLURS = 2  # binomial blurs before the derivative, σ = 0.71 pixels each; chains break less than on the bare picture
BORDER = BLURS + 1  # pixels lost along each side


@dataclass(frozen=True)
class EdgePixels:
    """Edge pixels in reading order: index (n,) into a picture of `shape`, sub-pixel positions x, y (n,) in the corner
    convention, unit tangent tx, ty (n,) that runs with the brighter side on its left hand (y points down),
    strength (n,): grey levels per pixel."""

    index: np.ndarray
    x: np.ndarray
    y: np.ndarray
    tx: np.ndarray
    ty: np.ndarray
    strength: np.ndarray
    shape: tuple[int, int]


def edge_pixels(grey: np.ndarray) -> EdgePixels:
    """Ridge pixels of the gradient magnitude of a grey picture (H, W), float32 of 0 to 255.

    A pixel stays if its magnitude exceeds those one step before and behind it across the edge; the peak of the
    parabola through the three gives the sub-pixel position.
    """
    if min(grey.shape) < 2 * BORDER + 3:
        none = np.zeros(0)
        return EdgePixels(none.astype(np.int64), none, none, none, none, none, (1, 1))
    for _ in range(BLURS):
        grey = _blur(grey[:, :-2], grey[:, 1:-1], grey[:, 2:])
        grey = _blur(grey[:-2], grey[1:-1], grey[2:])
    gx, gy = 0.5 * (grey[1:-1, 2:] - grey[1:-1, :-2]), 0.5 * (grey[2:, 1:-1] - grey[:-2, 1:-1])
    squared = gx * gx + gy * gy
    height, width = squared.shape
    strong = squared > _threshold(squared)
    strong[0], strong[-1], strong[:, 0], strong[:, -1] = False, False, False, False
    index = np.flatnonzero(strong)
    squared, gx, gy = squared.ravel(), gx.ravel()[index], gy.ravel()[index]
    here = squared[index]

    # One step across the edge reaches the next row or column, between two of its pixels.
    steep = np.abs(gy) > np.abs(gx)
    major, minor = np.where(steep, gy, gx), np.where(steep, gx, gy)
    ahead = np.where(steep, width, 1) * np.where(major < 0, -1, 1)
    beside = np.where(steep, 1, width) * np.where(minor < 0, -1, 1)
    part = np.abs(minor / major)

    def across(side: int) -> np.ndarray:
        near, far = squared[index + side * ahead], squared[index + side * (ahead + beside)]
        return near + part * (far - near)

    after, before = across(1), across(-1)
    peak = np.flatnonzero((here >= before) & (here > after))
    index, gx, gy, part = index[peak], gx[peak], gy[peak], part[peak]
    before, here, after = np.sqrt(before[peak]), np.sqrt(here[peak]), np.sqrt(after[peak])
    curvature = np.maximum(2 * here - before - after, 1e-6)
    shift = np.clip(0.5 * (after - before) / curvature, -0.7, 0.7) * np.sqrt(1 + part * part)
    gx, gy = gx / here, gy / here
    row, col = np.divmod(index, width)
    middle = BORDER + 0.5
    return EdgePixels(index, col + middle + shift * gx, row + middle + shift * gy, -gy, gx, here, (height, width))


def _blur(before: np.ndarray, here: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Binomial blur (1 2 1)/4 of three neighbours."""
    out = before + after
    out *= np.float32(0.5)
    out += here
    out *= np.float32(0.5)
    return out


def _threshold(squared: np.ndarray) -> float:
    """Squared magnitude above which about three times MOST_PIXELS lie (a third of them are ridges)."""
    sample = squared[::3, ::3].ravel()
    wanted = max(0, sample.size - MOST_PIXELS // 3)
    return max(LEAST_CONTRAST**2, float(np.partition(sample, wanted)[wanted]))
