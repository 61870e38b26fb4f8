"""The lens circle of photographs that show it: dark pixels that hang together with the border of the picture."""

from __future__ import annotations

import numpy as np

TAG = "black_border"
DARK = 24  # of 255: JPEG leaves noise in black
SMALLEST = 0.005  # of the picture; less is a dark corner of the scene


def find_black_border(rgb: np.ndarray) -> np.ndarray:
    """Which pixels (h, w) of uint8 (h, w, 3) lie in the black border.

    From each side, a row or column belongs to it as long as it stays dark; scanned again from what was found so far,
    so that corners are filled from two sides.
    """
    dark = rgb.max(axis=2) < DARK
    runs = [np.logical_and.accumulate(dark, axis=1), np.logical_and.accumulate(dark[:, ::-1], axis=1)[:, ::-1],
            np.logical_and.accumulate(dark, axis=0), np.logical_and.accumulate(dark[::-1], axis=0)[::-1]]  # fmt: skip
    border = np.logical_or.reduce(runs)
    return border if border.mean() >= SMALLEST else np.zeros_like(dark)


def visible_at(border: np.ndarray, points: np.ndarray, width: float, height: float) -> np.ndarray:
    """Which points (..., 2) in pixels of a width x height photo lie outside a border mask (h, w) of any size."""
    h, w = border.shape
    x = np.clip((points[..., 0] * w / width).astype(int), 0, w - 1)
    y = np.clip((points[..., 1] * h / height).astype(int), 0, h - 1)
    return ~border[y, x]


def visible_span(border: np.ndarray, at: float, axis: int, width: float, height: float) -> tuple[float, float] | None:
    """First and last visible position (pixels) along the row (axis 0) or column (axis 1) at `at`; None if all is dark.

    A position is a pixel's outer border, as 0 and W are in a photo without a black border.
    """
    h, w = border.shape
    if axis == 0:
        line, scale = border[min(max(int(at * h / height), 0), h - 1)], width / w
    else:
        line, scale = border[:, min(max(int(at * w / width), 0), w - 1)], height / h
    seen = np.flatnonzero(~line)
    return (float(seen[0] * scale), float((seen[-1] + 1) * scale)) if len(seen) else None
