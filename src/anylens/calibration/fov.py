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

    covariance (P, P): of `camera.params` in the free fit; only what it says about the shape counts, that is how the
    fields of view change at a fixed paraxial focal length (by differences; nothing along the focal length).
    """
    p = np.asarray(camera.params, dtype=np.float64)
    moved, steps = _neighbours(camera, covariance)
    several = [p, *(np.asarray(with_log_focal(camera, value).params) for value in interval), *moved]
    batch = Camera(camera.model, np.stack(several), camera.width, camera.height)  # one camera each, one pass for all
    found = {}
    for name in FOVS:
        value, high, low, *near = (float(v) for v in np.asarray(getattr(batch, name)))
        slope = np.zeros(len(p))
        for n, (i, step) in enumerate(steps):
            slope[i] = (near[2 * n + 1] - near[2 * n]) / (2 * step)
        shape = math.sqrt(max(0.0, float(slope @ covariance @ slope)))
        shape = shape if math.isfinite(shape) else 0.0
        # A shorter focal length sees more.
        below, above = math.hypot(max(0.0, value - low), shape), math.hypot(max(0.0, high - value), shape)
        found[name] = Angle(value, 0.5 * (below + above), max(0.0, value - below), min(360.0, value + above))
    return found


def deviations(camera: Camera, interval: tuple[float, float], covariance: np.ndarray) -> dict[str, float]:
    """Standard deviation of each parameter by name: of focal lengths from the 68 % interval of their logarithm, of the
    others from the free fit. 0 for what was held or given exactly."""
    spread = 0.5 * (interval[1] - interval[0])
    of_shape = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    focals = ("f", "fx", "fy")
    return {
        name: abs(value) * spread if name in focals else float(of_shape[i])
        for i, (name, value) in enumerate(camera.named().items())
    }


def _neighbours(camera: Camera, covariance: np.ndarray) -> tuple[list[np.ndarray], list[tuple[int, float]]]:
    """Parameters a step below and above along each uncertain one of the shape, with the same paraxial focal length."""
    p = np.asarray(camera.params, dtype=np.float64)
    fixed, first = log_focal(camera), 1 if camera.simple else 2
    half = math.hypot(camera.width, camera.height) / 2
    moved, steps = [], []
    for i in range(first, len(p)):
        if not covariance[i, i] > 0:
            continue
        step = SHIFT * (half if i < first + 2 else 1.0)
        for sign in (-1, 1):
            q = p + sign * step * (np.arange(len(p)) == i)
            near = with_log_focal(Camera(camera.model, q, camera.width, camera.height), fixed)
            moved.append(np.asarray(near.params))
        steps.append((i, step))
    return moved, steps
