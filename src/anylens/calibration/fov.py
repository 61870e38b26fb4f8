"""Fields of view with their uncertainty: the posterior of the scale, carried through the camera, and that of the shape.

interval:  fov(f_high) … fov(f_low),  each side widened by the shape's own deviation in quadrature
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anylens.camera import Camera
from anylens.evidence import log_focal, with_log_focal

FOVS = ("hfov_deg", "vfov_deg", "dfov_deg")
SHIFT = 1e-4


@dataclass(frozen=True)
class Angle:
    """A field of view in degrees: value, standard deviation, 68 % interval."""

    value: float
    std: float
    low: float
    high: float


def measure(camera: Camera, interval: tuple[float, float], covariance: np.ndarray) -> dict[str, Angle]:
    """Angles by name for a camera with the 68 % interval of its log focal length.

    covariance (P, P): of `camera.params` in the free fit; only what it says about the shape counts.
    """
    ends = [with_log_focal(camera, value) for value in interval]
    slopes = _shape_slopes(camera)
    found = {}
    for name in FOVS:
        value = float(getattr(camera, name))
        high, low = (float(getattr(end, name)) for end in ends)  # a shorter focal length sees more
        shape = math.sqrt(max(0.0, float(slopes[name] @ covariance @ slopes[name])))
        shape = shape if math.isfinite(shape) else 0.0
        below, above = math.hypot(max(0.0, value - low), shape), math.hypot(max(0.0, high - value), shape)
        found[name] = Angle(value, 0.5 * (below + above), max(0.0, value - below), min(360.0, value + above))
    return found


def _shape_slopes(camera: Camera) -> dict[str, np.ndarray]:
    """d fov / d params (P,) at a fixed paraxial focal length, by differences: nothing along the focal length."""
    p = np.asarray(camera.params, dtype=np.float64)
    fixed = log_focal(camera)
    slopes = {name: np.zeros(len(p)) for name in FOVS}
    start = 1 if camera.simple else 2
    for i in range(start, len(p)):
        step = SHIFT * (math.hypot(camera.width, camera.height) / 2 if i < start + 2 else 1.0)
        moved = []
        for sign in (-1, 1):
            q = p.copy()
            q[i] += sign * step
            moved.append(with_log_focal(Camera(camera.model, q, camera.width, camera.height), fixed))
        for name in FOVS:
            slopes[name][i] = (float(getattr(moved[1], name)) - float(getattr(moved[0], name))) / (2 * step)
    return slopes
