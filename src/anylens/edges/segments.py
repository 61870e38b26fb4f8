"""Straight or gently bent pieces of edges, each given by three points: first end, middle, last end.

Three points hold what a lens leaves of a straight line: where it is, its direction and how far it bends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from anylens.edges.chains import link
from anylens.edges.gradients import edge_pixels
from anylens.edges.pieces import fit, lines, pixels_of, split

SIDE = 800  # pixels, longer side of the picture in which edges are looked for
MOST_JOINED = 500  # the longest pieces take part in joining; the others are dropped


@dataclass(frozen=True)
class Segments:
    """points (n, 3, 2): ends and middle in pixels of the picture; noise (n,): rms distance of the edge pixels from
    it, in the same pixels. Longest first."""

    points: np.ndarray
    noise: np.ndarray

    @staticmethod
    def from_ends(ends: Any, noise: float = 0.3) -> Segments:
        """Straight segments (n, 2, 2) or (n, 4) from another detector, in the corner convention."""
        ends = np.asarray(ends, dtype=np.float64).reshape(-1, 2, 2)
        points = np.stack([ends[:, 0], ends.mean(axis=1), ends[:, 1]], axis=1)
        return Segments(points, np.full(len(ends), noise)).longest(len(ends))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def chord(self) -> np.ndarray:
        """From the first end to the last.  (n, 2)"""
        return self.points[:, 2] - self.points[:, 0]

    @property
    def length(self) -> np.ndarray:
        return np.hypot(self.chord[:, 0], self.chord[:, 1])

    def __getitem__(self, which: Any) -> Segments:
        return Segments(self.points[which], self.noise[which])

    def longest(self, count: int) -> Segments:
        return self[np.argsort(-self.length, kind="stable")[:count]]

    def inside(self, width: float, height: float, margin: float = 0.012) -> Segments:
        """Without those that run along the border of the picture within `margin` of its longer side: frames."""
        m = margin * max(width, height)
        x, y = self.points[..., 0], self.points[..., 1]
        along = (x.max(1) < m) | (x.min(1) > width - m) | (y.max(1) < m) | (y.min(1) > height - m)
        return self[~along]


def detect(image: Any, side: int = SIDE) -> Segments:
    """Segments of a picture (H, W) or (H, W, C) of any number type, in its own pixels, longest first.

    The picture is shrunk to `side` first; floats are taken to span 0 to 1, or 0 to 255 if any exceeds 1.
    """
    grey, scale = _prepare(np.asarray(image), side)
    pixels = edge_pixels(grey)
    order, starts = link(pixels)
    first, count = split(pixels, order, starts)
    if not len(count):
        return Segments.from_ends([])
    pick = np.argsort(-count, kind="stable")[:MOST_JOINED]
    first, count = first[pick], count[pick]
    points, _ = fit(pixels, pixels_of(order, first, count), count)
    label = lines(points)
    sort = np.argsort(label, kind="stable")
    total = np.add.reduceat(count[sort], np.flatnonzero(np.diff(label[sort], prepend=-1)))
    points, noise = fit(pixels, pixels_of(order, first[sort], count[sort]), total)
    return Segments(points * scale, noise * scale.mean()).longest(len(points))


def _prepare(image: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Grey float32 picture of 0 to 255 whose longer side is at most `side`, and the factors (2,) back."""
    kind = image.dtype
    if image.ndim == 3:
        channels = image[..., :3].astype(np.float32)
        image = channels @ np.full(channels.shape[-1], 1 / channels.shape[-1], dtype=np.float32)
    height, width = image.shape
    if kind != np.uint8:
        top = np.iinfo(kind).max if np.issubdtype(kind, np.integer) else 1.0
        image = np.nan_to_num(image.astype(np.float32), posinf=0.0, neginf=0.0)
        image = image * np.float32(255.0 / top if np.max(image, initial=0.0) <= top else 1.0)
    factor = side / max(height, width)
    if factor < 1:
        size = max(1, round(width * factor)), max(1, round(height * factor))
        image = np.asarray(Image.fromarray(np.ascontiguousarray(image)).resize(size, Image.Resampling.BOX))
    scale = np.array([width / image.shape[1], height / image.shape[0]])
    return np.ascontiguousarray(image, dtype=np.float32), scale
