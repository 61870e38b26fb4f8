"""The three pixel operations everything else is made of, with OpenCV where installed and NumPy otherwise.

Pictures are uint8 (H, W, C). Both ways give the same pixels to within rounding (±1).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from PIL import Image


@functools.cache
def opencv() -> Any:
    """The cv2 module limited to one thread (workers are processes), or None where it is not installed."""
    try:
        import cv2
    except ImportError:
        return None
    cv2.setNumThreads(1)
    return cv2


def sample_bilinear(image: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Values (h, w, C) at pixel-centre coordinates x, y (h, w) (the first pixel's centre is 0); border
    replicated.
    """
    cv2 = opencv()
    if cv2 is not None:
        x, y = (np.ascontiguousarray(a, np.float32) for a in (x, y))
        return cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    height, width = image.shape[:2]
    x, y = np.clip(x, 0, width - 1), np.clip(y, 0, height - 1)
    x0, y0 = np.minimum(x.astype(np.int64), width - 2), np.minimum(y.astype(np.int64), height - 2)
    fx, fy = ((a - b)[..., None].astype(np.float32) for a, b in ((x, x0), (y, y0)))
    flat = image.reshape(height * width, -1)
    at = y0 * width + x0
    top = flat[at] * (1 - fx) + flat[at + 1] * fx
    bottom = flat[at + width] * (1 - fx) + flat[at + width + 1] * fx
    return round_to_bytes(top * (1 - fy) + bottom * fy)


def shrink_area(image: np.ndarray, width: int, height: int) -> np.ndarray:
    """Mean of the source area under each output pixel, whole and fractional pixels alike (no enlarging).

    uint8 or float32 in, the same out.
    """
    h, w = image.shape[:2]
    if (w, h) == (width, height):
        return image
    cv2 = opencv()
    if cv2 is not None:
        out = cv2.resize(np.ascontiguousarray(image), (width, height), interpolation=cv2.INTER_AREA)
        return out.reshape(height, width, *image.shape[2:])
    rows = _shrink_first_axis(image, height)
    columns = _shrink_first_axis(np.swapaxes(rows, 0, 1), width)
    out = np.swapaxes(columns, 0, 1)
    return round_to_bytes(out) if image.dtype == np.uint8 else out


def working_size(width: int, height: int, density: float) -> tuple[int, int]:
    """Size of the working picture of a width x height view at `density` source pixels per pixel."""
    return max(1, round(width * density)), max(1, round(height * density))


def resize(image: np.ndarray, width: int, height: int) -> np.ndarray:
    """uint8 (h, w, 3) at another size: area means where it shrinks, bicubic (Pillow's, always) where it must grow."""
    h, w = image.shape[:2]
    image = shrink_area(image, min(w, width), min(h, height))
    if image.shape[:2] == (height, width):
        return image
    return np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BICUBIC))


def _shrink_first_axis(x: np.ndarray, size: int) -> np.ndarray:
    """Area mean along axis 0: the k-th source pixel under every output pixel at once, times the share that it has."""
    n = x.shape[0]
    borders = np.linspace(0.0, n, size + 1)
    first = np.minimum(borders[:-1].astype(np.int64), n - 1)
    out = np.zeros((size, *x.shape[1:]), dtype=np.float32)
    for k in range(int(np.max(np.ceil(borders[1:] - 1e-9) - first))):
        covered = np.minimum(borders[1:], first + k + 1) - np.maximum(borders[:-1], first + k)
        share = (np.maximum(covered, 0) * (size / n)).astype(np.float32).reshape(-1, *([1] * (x.ndim - 1)))
        out += share * x[np.minimum(first + k, n - 1)]
    return out


def soften(image: np.ndarray, a: float) -> np.ndarray:
    """Separable three-tap filter [a, 1 - 2a, a] with a replicated border; a < 0 sharpens."""
    if a == 0:
        return image
    cv2 = opencv()
    taps = np.array([a, 1 - 2 * a, a], np.float32)
    if cv2 is not None:
        return cv2.sepFilter2D(np.ascontiguousarray(image), -1, taps, taps, borderType=cv2.BORDER_REPLICATE)
    padded = np.pad(image, ((1, 1), (1, 1), (0, 0)), mode="edge").astype(np.float32)
    rows = padded[:-2] * taps[0] + padded[1:-1] * taps[1] + padded[2:] * taps[2]
    return round_to_bytes(rows[:, :-2] * taps[0] + rows[:, 1:-1] * taps[1] + rows[:, 2:] * taps[2])


def round_to_bytes(x: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(x), 0, 255).astype(np.uint8)
