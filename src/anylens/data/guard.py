"""Which views a panorama can give: enough source pixels per output pixel, and no black cap in sight."""

from __future__ import annotations

import math

import numpy as np

from anylens.camera import Camera
from anylens.data.lookup import polar_angles

RADII = 24


def source_pixels(camera: Camera, pixels_per_radian: float) -> float:
    """Panorama pixels per output pixel along one side, the geometric mean over the view.

    At radius r an output pixel covers the solid angle  (sin ϑ / r)(dϑ/dr) / (fx fy);  its square root times
    the panorama's resolution is the number asked for. The mean runs over a grid of pixels.
    """
    fx, fy, cx, cy = (float(p) for p in np.asarray(camera.full)[:4])
    x = ((np.arange(8) + 0.5) / 8 * camera.width - cx) / fx
    y = ((np.arange(8) + 0.5) / 8 * camera.height - cy) / fy
    r = np.sqrt(np.add.outer(y * y, x * x)).ravel()
    low, high = max(float(r.min()), 1e-6), float(r.max()) * 1.0001 + 1e-6
    at = np.linspace(low * 0.9, high, RADII)
    theta = polar_angles(camera, at)
    solid = np.maximum(np.sin(theta) / at * np.gradient(theta, at), 1e-18) / (fx * fy)
    return pixels_per_radian * math.exp(0.5 * float(np.interp(r, at, np.log(solid)).mean()))


def shows_cap(camera: Camera, rotation: np.ndarray, nadir_deg: float, zenith_deg: float, share: float = 0.005) -> bool:
    """Whether more than `share` of the view falls into a black cap around the nadir or the zenith."""
    if nadir_deg < 1 and zenith_deg < 1:
        return False
    x, y = ((np.arange(16) + 0.5) / 16 * side for side in (camera.width, camera.height))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    down = np.asarray(camera.unproject(grid)[0]) @ rotation[1]  # y of the ray in the panorama: +1 at the nadir
    dark = (down > math.cos(math.radians(nadir_deg))) if nadir_deg >= 1 else np.zeros(len(down), bool)
    if zenith_deg >= 1:
        dark = dark | (down < -math.cos(math.radians(zenith_deg)))
    return float(dark.mean()) > share
