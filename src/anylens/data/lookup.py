"""Rays of every pixel of a view from one table over the radius: a central radial camera has nothing else to
compute.

With x = (u - cx)/fx, y = (v - cy)/fy and q = x² + y², the ray is (s x, s y, c) with s = sin ϑ / r and c =
cos ϑ; both are smooth in q and read from SIZE equally spaced entries by linear interpolation (error below
1e-6 rad; the labels are computed exactly, elsewhere). The same entries give the size of a pixel on the
sphere, the root mean square of its extent in all directions:  √(½ (s² + (dϑ/dr)²) · ½ (1/fx² + 1/fy²)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anylens.camera import Camera
from anylens.data.raster import opencv
from anylens.profiles import parse
from anylens.profiles.base import INSIDE, Backward

SIZE = 4096


@dataclass(frozen=True)
class RayTable:
    """Entries over q in [0, q_max]: s and c (SIZE + 1,) float32, pixel size in radians (SIZE + 1,)."""

    s: np.ndarray
    c: np.ndarray
    pixel_size: np.ndarray
    q_max: float


def ray_table(camera: Camera) -> RayTable:
    """The table of a camera, out to its farthest corner."""
    fx, fy, cx, cy = (float(p) for p in np.asarray(camera.full)[:4])
    x, y = max(cx, camera.width - cx) / fx, max(cy, camera.height - cy) / fy
    q_max = (x * x + y * y) * (1 + 1e-6)
    r = np.sqrt(np.linspace(0, q_max, SIZE + 1))
    theta = polar_angles(camera, r)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(r > 0, np.sin(theta) / r, 0)
    slope = np.maximum(np.gradient(theta, r), 1e-9)
    s[0], slope[0] = s[1], slope[1]
    size = 0.5 * np.sqrt((s * s + slope * slope) * (fx**-2 + fy**-2))
    return RayTable(s.astype(np.float32), np.cos(theta).astype(np.float32), size, q_max)


def polar_angles(camera: Camera, r: np.ndarray) -> np.ndarray:
    """ϑ (N,) at normalised radii r (N,), clamped at the end of the model's domain; no Newton steps."""
    profile, k = parse(camera.model).profile, np.asarray(camera.full)[4:]
    theta_top, r_top = (float(np.asarray(a)[0]) for a in profile.limits(k))
    if isinstance(profile, Backward):
        return np.asarray(profile.angle(np.minimum(r, INSIDE * r_top), k))
    theta = np.linspace(0, min(theta_top, math.pi) * INSIDE, SIZE + 1)
    with np.errstate(over="ignore", divide="ignore"):
        radius = np.asarray(profile.radius(theta, k))
    end = int(np.argmax(~(np.diff(radius) > 0))) + 1 if not (np.diff(radius) > 0).all() else len(radius)
    return np.interp(r, radius[:end], theta[:end])


def inner_entry(camera: Camera, table: RayTable) -> int:
    """First table entry that any pixel reads: 0 unless a crop has cut the principal point off."""
    fx, fy, cx, cy = (float(p) for p in np.asarray(camera.full)[:4])
    x, y = max(-cx, cx - camera.width, 0.0) / fx, max(-cy, cy - camera.height, 0.0) / fy
    return int((x * x + y * y) / table.q_max * SIZE)


def view_rays(camera: Camera, table: RayTable, more: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Rays (3, h, w) float32 of all pixel centres, and `more` columns (SIZE + 1,) read at the same places."""
    fx, fy, cx, cy = (float(p) for p in np.asarray(camera.full)[:4])
    x = ((np.arange(int(camera.width)) + 0.5 - cx) / fx).astype(np.float32)
    y = ((np.arange(int(camera.height)) + 0.5 - cy) / fy).astype(np.float32)
    at = np.add.outer(y * y, x * x) * np.float32(SIZE / table.q_max)
    s, c, *read = read_columns([table.s, table.c, *more], at)
    rays = np.empty((3, *at.shape), np.float32)
    np.multiply(s, x, out=rays[0])
    np.multiply(s, y[:, None], out=rays[1])
    rays[2] = c
    return rays, read


def read_columns(columns: list[np.ndarray], at: np.ndarray) -> list[np.ndarray]:
    """Columns (n,) interpolated linearly at fractional entries (h, w); four at a time with OpenCV."""
    cv2 = opencv()
    if cv2 is not None:
        still = np.zeros_like(at)
        found = []
        for start in range(0, len(columns), 4):
            rows = np.stack(columns[start : start + 4], axis=-1).astype(np.float32)[None]
            found += cv2.split(cv2.remap(rows, at, still, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        return found
    entry = np.minimum(at.astype(np.int32), len(columns[0]) - 2)
    part = at - entry
    stepped = [np.asarray(column, np.float32) for column in columns]
    return [column.take(entry) + part * np.diff(column).take(entry) for column in stepped]
