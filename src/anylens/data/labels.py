"""Exact labels of a camera's view: the FoV field on a grid of cells, and the log focal length."""

from __future__ import annotations

import math

import numpy as np

from anylens.camera import Camera
from anylens.field import rays_to_field
from anylens.profiles import parse


def pixel_grid(width: int, height: int, stride: float = 1) -> np.ndarray:
    """Centres (h, w, 2) of the stride x stride cells of an image, in pixels (corner convention)."""
    x = (np.arange(round(width / stride)) + 0.5) * stride
    y = (np.arange(round(height / stride)) + 0.5) * stride
    return np.stack(np.meshgrid(x, y), axis=-1)


def field_label(camera: Camera, stride: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """FoV field (2, h, w) float32, radians, at the cell centres, and where there is a ray (h, w) bool."""
    grid = pixel_grid(int(camera.width), int(camera.height), stride)
    rays, valid = camera.unproject(grid.reshape(-1, 2))
    field = rays_to_field(rays).reshape(*grid.shape[:2], 2)
    return np.moveaxis(field, -1, 0).astype(np.float32), np.asarray(valid).reshape(grid.shape[:2])


def log_focal(camera: Camera) -> float:
    """log(√(fx fy) h'(0) / half diagonal): the paraxial focal length in half diagonals of the image."""
    full = np.asarray(camera.full)
    slope = float(parse(camera.model).profile.slope0(full[4:])[0])
    return math.log(math.sqrt(full[0] * full[1]) * slope / (math.hypot(camera.width, camera.height) / 2))
