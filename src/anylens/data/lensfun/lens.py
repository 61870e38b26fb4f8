"""A LensFun calibration as a camera: from a radius on the sensor to the angle of its ray.

LensFun measures radii in half the sensor's shorter side. An ideal lens of focal length f puts a ray at polar
angle ϑ on r_u = f g(ϑ) (in that unit), with g after the lens's type; the real one on  r_d = D(r_u):

    ptlens  r_u (a r_u³ + b r_u² + c r_u + 1 - a - b - c)     poly3  r_u (k1 r_u² + 1 - k1)
    poly5   r_u (1 + k1 r_u² + k2 r_u⁴)
"""

from __future__ import annotations

import math

import numpy as np

from anylens.data.lensfun.database import Calibration
from anylens.errors import FormatError

DIAGONAL_35 = 43.2666


def distort(lens: Calibration, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D(r_u) and its slope."""
    if lens.distortion == "ptlens":
        a, b, c = lens.terms
        d = 1 - a - b - c
        return r * (a * r**3 + b * r**2 + c * r + d), 4 * a * r**3 + 3 * b * r**2 + 2 * c * r + d
    if lens.distortion == "poly3":
        (k,) = lens.terms
        return r * (k * r**2 + 1 - k), 3 * k * r**2 + 1 - k
    k1, k2 = lens.terms
    return r * (1 + k1 * r**2 + k2 * r**4), 1 + 3 * k1 * r**2 + 5 * k2 * r**4


def undistort(lens: Calibration, r_d: np.ndarray) -> np.ndarray:
    """r_u with D(r_u) = r_d by Newton steps; raises FormatError where the calibration folds over."""
    r = np.array(r_d, np.float64)
    for _ in range(50):
        value, slope = distort(lens, r)
        if (slope <= 1e-3).any():
            break
        step = (value - r_d) / slope
        r = np.maximum(r - step, 0)
        if np.abs(step).max() < 1e-12:
            inside = np.linspace(0, float(r.max()), 200)
            if (distort(lens, inside)[1] > 0).all():
                return r
            break
    raise FormatError(f"{lens.name}: its distortion folds over inside the image.")


def angle_of(lens: Calibration, x: np.ndarray) -> np.ndarray:
    """ϑ with g(ϑ) = x for the lens's ideal projection; raises FormatError beyond its range."""
    kind, range_end = (
        lens.kind,
        {"equisolid": 2.0, "orthographic": 1.0, "thoby": 1.47}.get(lens.kind, math.inf),
    )
    if (x > range_end).any():
        raise FormatError(f"{lens.name}: the image reaches beyond what a {kind} lens can show.")
    if kind == "rectilinear":
        return np.arctan(x)
    if kind == "fisheye":
        return x
    if kind == "equisolid":
        return 2 * np.arcsin(x / 2)
    if kind == "stereographic":
        return 2 * np.arctan(x / 2)
    if kind == "orthographic":
        return np.arcsin(x)
    if kind == "thoby":
        return np.arcsin(x / 1.47) / 0.713
    raise FormatError(f"{lens.name}: the projection '{kind}' is not a central lens.")


def reach(lens: Calibration, widest: float = math.radians(100)) -> float:
    """Largest radius on the sensor that the calibration speaks for, up to the corner: no fold, ϑ at most
    `widest`.

    The image of a circular fisheye ends inside the sensor; beyond, polynomials and projections mean nothing.
    """
    _, short = half_sides(lens)
    end = {"equisolid": 2.0, "orthographic": 1.0, "thoby": 1.47}.get(lens.kind, math.inf)
    r = np.linspace(0, 4 * math.hypot(1, lens.aspect), 4000)
    r = r[r * short / lens.focal < end]
    value, slope = distort(lens, r)
    fine = (slope > 0.02) & (angle_of(lens, r * short / lens.focal) < widest)
    last = len(r) if fine.all() else int(np.argmin(fine))
    return min(float(value[last - 1]) if last else 0.0, math.hypot(1, lens.aspect))


def half_sides(lens: Calibration) -> tuple[float, float]:
    """Half the longer and half the shorter side of the calibrated sensor in mm."""
    short = DIAGONAL_35 / lens.crop / math.hypot(1, lens.aspect) / 2
    return short * lens.aspect, short


def sensor_angles(lens: Calibration, radii: np.ndarray) -> np.ndarray:
    """Polar angles (N,) of points at `radii` (N,) on the sensor, in half shorter sides."""
    _, short = half_sides(lens)
    theta = angle_of(lens, undistort(lens, radii) * short / lens.focal)
    if theta.max() >= math.pi:
        raise FormatError(f"{lens.name}: sees more than 360°.")
    return theta
