"""What was seen in one photograph, in its own pixels: all that the estimate needs, small enough to send around."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from anylens.edges.segments import Segments
from anylens.errors import ImageError
from anylens.field import field_to_rays
from anylens.images import FocalTag, Photo
from anylens.predict import Prediction

GREY = 128  # what the network is shown where a mask hides the photo
LEAST_SHARE = 0.05  # of the photo that a mask must leave
RATIO = 9.0  # largest and smallest weight of a cell, against the median's


@dataclass(frozen=True)
class Observation:
    """pixels (N, 2), field (N, 2), weights (N,) of the network's cells; segments of the photo; what the tags say.

    focal_log_prob (64,) or None, and focal_seen (64,), that of the network's training, or None; noise_deg: root mean
    square angle that the network expects its shape to be off, or None; covered: share of the photo that it saw;
    visible: share that no mask hides.
    """

    file: str
    width: int
    height: int
    grid: tuple[int, int]
    pixels: np.ndarray
    field: np.ndarray
    weights: np.ndarray
    focal_log_prob: np.ndarray | None = None
    noise_deg: float | None = None
    segments: Segments | None = None
    tag: FocalTag | None = None
    camera_group: str = ""
    covered: float = 1.0
    visible: float = 1.0
    ms: dict[str, float] = dataclasses.field(default_factory=dict)
    focal_seen: np.ndarray | None = None

    @property
    def rays(self) -> np.ndarray:
        """Unit rays (N, 3) of the network's cells."""
        return field_to_rays(self.field)


def hide(rgb: np.ndarray, ignore: np.ndarray | None) -> np.ndarray:
    """The picture with grey where it is to be ignored."""
    return rgb if ignore is None else np.where(ignore[..., None], np.uint8(GREY), rgb)


def ignored(photo: Photo, mask: object | None) -> np.ndarray | None:
    """Pixels (h, w) of `photo.rgb` that a mask (True: ignore) or transparency takes out; None where all count.

    The mask may have the size of the photo or any other of its aspect ratio. Raises ImageError where too little is
    left.
    """
    hidden = None if photo.opaque is None else ~photo.opaque
    if mask is not None:
        given = np.asarray(mask)
        given = given[..., 0] if given.ndim == 3 else given
        if given.ndim != 2 or min(given.shape) < 1:
            raise ImageError(f"{photo.name}: a mask is an array (H, W), True where the photo is to be ignored.")
        h, w = photo.rgb.shape[:2]
        rows = ((np.arange(h) + 0.5) * given.shape[0] / h).astype(int)
        cols = ((np.arange(w) + 0.5) * given.shape[1] / w).astype(int)
        scaled = given[rows][:, cols] != 0
        hidden = scaled if hidden is None else hidden | scaled
    if hidden is not None and hidden.mean() > 1 - LEAST_SHARE:
        raise ImageError(f"{photo.name}: the mask or transparency leaves {1 - hidden.mean():.1%} of the photo.")
    return hidden if hidden is not None and hidden.any() else None


def cell_weights(prediction: Prediction, ignore: np.ndarray | None) -> np.ndarray:
    """Weights (N,): 1/b² of the expected error b, within limits, times the visible share of the cell."""
    weights = np.ones(len(prediction.pixels))
    if prediction.log_var is not None:
        relative = np.exp(-2 * (prediction.log_var - np.median(prediction.log_var)))
        weights = np.clip(relative, 1 / RATIO, RATIO)
    return weights if ignore is None else weights * visible_share(prediction, ignore)


def visible_share(prediction: Prediction, ignore: np.ndarray) -> np.ndarray:
    """Share (N,) of each cell's pixels that are not ignored, from sums over the picture."""
    plan, (rows, cols) = prediction.plan, prediction.grid
    total = np.pad(np.cumsum(np.cumsum(~ignore, axis=0, dtype=np.int64), axis=1), ((1, 0), (1, 0)))
    y = np.rint(plan.top + np.arange(rows + 1) * plan.box_height / rows).astype(int)
    x = np.rint(plan.left + np.arange(cols + 1) * plan.box_width / cols).astype(int)
    corner = total[y][:, x]
    inside = corner[1:, 1:] - corner[:-1, 1:] - corner[1:, :-1] + corner[:-1, :-1]
    area = np.maximum(1, np.diff(y)[:, None] * np.diff(x)[None, :])
    return (inside / area).ravel()


def visible_segments(segments: Segments, ignore: np.ndarray | None) -> Segments:
    """Without those that touch what is ignored, its border included (a mask has edges of its own)."""
    if ignore is None or not len(segments):
        return segments
    h, w = ignore.shape
    steps = np.linspace(0, 1, 9)[:, None, None]
    along = segments.points[None, :, 0] * (1 - steps) + segments.points[None, :, 2] * steps  # (9, n, 2)
    clear = np.ones(len(segments), dtype=bool)
    reach = max(2, round(0.004 * max(h, w)))
    for dy in (-reach, 0, reach):
        for dx in (-reach, 0, reach):
            x = np.clip((along[..., 0] + dx).astype(int), 0, w - 1)
            y = np.clip((along[..., 1] + dy).astype(int), 0, h - 1)
            clear &= ~ignore[y, x].any(axis=0)
    return segments[clear]
