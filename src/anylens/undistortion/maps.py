"""Where each pixel of a target view comes from in the source picture.

Pixel coordinates have their origin at the corner of the first pixel, so a target pixel (i, j) is sampled at
(i + 0.5, j + 0.5). Rows are computed in strips: by the radial table where two cameras share their axis, else
by the exact way, target pixel → ray → (rotation) → source pixel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anylens.arrays import as_numpy
from anylens.camera import Camera
from anylens.errors import ModelError
from anylens.undistortion.panorama import Equirectangular
from anylens.undistortion.radial_table import make_table

View = Camera | Equirectangular


class Mapping:
    """The map of two views; `rows(top, bottom)` is a strip of it. `rotation` (3, 3) turns target rays."""

    def __init__(self, source: View, target: View, rotation: Any = None, *, exact: bool = False):
        self.source, self.target = _plain(source), _plain(target)
        self.rotation = None if rotation is None else check_rotation(rotation)
        cameras = isinstance(self.source, Camera) and isinstance(self.target, Camera)
        quick = cameras and self.rotation is None and not exact
        self.table = make_table(self.source, self.target) if quick else None  # type: ignore[arg-type]
        self.covered = self._covered()

    def rows(self, top: int, bottom: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """u, v (rows, W) float32 in the source and where the source shows them (None: everywhere)."""
        if self.table is not None:
            u, v, valid = self.table.rows(top, bottom, self.target.width)
        else:
            u, v, valid = self.exact_rows(top, bottom)
            u, v = u.astype(np.float32), v.astype(np.float32)
        return u, v, None if self.covered else self._inside(u, v, valid)

    def exact_rows(self, top: int, bottom: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """u, v in float64 and where target and source models are valid."""
        x, y = np.meshgrid(np.arange(self.target.width) + 0.5, np.arange(top, bottom) + 0.5)
        return self._exact(x, y)

    def _exact(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rays, shown = self.target.unproject(np.stack([x.ravel(), y.ravel()], axis=-1))
        if self.rotation is not None:
            rays = rays @ self.rotation.T
        pixels, seen = self.source.project(rays)
        valid = (shown & seen).reshape(x.shape)
        return pixels[:, 0].reshape(x.shape), pixels[:, 1].reshape(x.shape), valid

    def _inside(self, u: np.ndarray, v: np.ndarray, valid: np.ndarray | None) -> np.ndarray:
        inside = (u >= 0) & (u <= self.source.width) & (v >= 0) & (v <= self.source.height)
        return inside if valid is None else inside & valid

    def _covered(self) -> bool:
        """True if every target pixel has a source: for a continuous map, the border decides."""
        if not isinstance(self.source, Camera) or not isinstance(self.target, Camera):
            return False
        w, h = self.target.width, self.target.height
        across, down = np.arange(w) + 0.5, np.arange(h) + 0.5
        x = np.concatenate([across, across, np.full(h, 0.5), np.full(h, w - 0.5)])
        y = np.concatenate([np.full(w, 0.5), np.full(w, h - 0.5), down, down])
        u, v, valid = self._exact(x, y)
        return bool(np.all(self._inside(u, v, valid)))


def map_pixels(source: View, target: View, rotation: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Exact source pixels (H, W, 2) float64 of every target pixel's centre, and which of them exist (H, W).

    Subtract 0.5 for OpenCV's remap. `rotation` (3, 3) turns rays of the target into rays of the source.
    """
    mapping = Mapping(source, target, rotation, exact=True)
    u, v, valid = mapping.exact_rows(0, mapping.target.height)
    return np.stack([u, v], axis=-1), mapping._inside(u, v, valid)


def check_rotation(rotation: Any) -> np.ndarray:
    R = np.asarray(rotation, dtype=np.float64)
    if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0:
        raise ModelError("A rotation is a 3 x 3 orthonormal matrix with determinant 1.")
    return R


def _plain(view: View) -> View:
    """The view in float64 NumPy with one set of parameters."""
    if isinstance(view, Equirectangular):
        return view
    params = as_numpy(view.params).astype(np.float64)
    if params.ndim != 1:
        raise ModelError("Undistortion takes one camera, not a batch.")
    return Camera(view.model, params, int(view.width), int(view.height))
