"""What a page needs to draw a result: the camera's profile as a table, the network's field, the horizon.

Every model is radial about its centre, so one table r(ϑ), in focal lengths, lets a browser draw rings of equal angle,
read off the angle under the pointer, and undistort.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anylens.calibration.result import Result
from anylens.camera import Camera
from anylens.errors import AnylensError
from anylens.evidence import with_log_focal
from anylens.plotting.contours import choose_step, fitted_scale, scale_table
from anylens.undistortion.targets import pinhole_target

SAMPLES = 256


def drawing_of(result: Result) -> dict[str, Any]:
    """Plain data, some kilobytes."""
    camera = result.camera
    profile = profile_table(camera)
    return {
        "profile": profile,
        "step_deg": choose_step(profile["theta_deg"][-1]),
        "field": field_table(result),
        "horizon": _rounded(result.gravity.horizon(camera)) if result.gravity is not None else [],
        "deviations": {name: float(f"{value:.4g}") for name, value in result.deviations.items()},
        "straight": straight_views(camera),
        "exif_35mm": None if result.seen.tag is None else round(result.seen.tag.focal_35mm, 2),
    }


def profile_table(camera: Camera) -> dict[str, list[float]]:
    """Radius in focal lengths at angles from the axis to the farthest corner, or to the end of the model's domain."""
    fx, fy, cx, cy = (float(v) for v in np.asarray(camera.full)[:4])
    corners = np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) * [camera.width, camera.height]
    reach = 1.02 * float(np.max(np.hypot(*((corners - [cx, cy]) / [fx, fy]).T)))
    r = np.linspace(0, reach, SAMPLES)
    rays, valid = camera.unproject(np.stack([cx + fx * r, np.full(SAMPLES, cy)], axis=-1))
    rays = np.asarray(rays)
    theta = np.degrees(np.arctan2(rays[:, 0], rays[:, 2]))
    theta = np.where(theta < 0, theta + 360, theta)
    kept = np.asarray(valid) & (np.diff(theta, prepend=-1.0) > 0)
    end = SAMPLES if kept.all() else int(np.argmin(kept))
    return {"r": _rounded(r[:end], 6), "theta_deg": _rounded(theta[:end], 4)}


def field_table(result: Result) -> dict[str, Any] | None:
    """Polar angles of the network's cells, brought to the final focal length as the camera was; None for tiny grids."""
    seen, camera = result.seen, result.camera
    rows, cols = seen.grid
    if min(rows, cols) < 3:
        return None
    free = with_log_focal(camera, fitted_scale(result))
    polar = np.degrees(np.interp(np.hypot(*seen.field.T), *scale_table(free, camera)))
    pixels = seen.pixels.reshape(rows, cols, 2)
    return {"x": _rounded(pixels[0, :, 0]), "y": _rounded(pixels[:, 0, 1]), "polar_deg": _rounded(polar, 3)}


def straight_views(camera: Camera) -> dict[str, Any]:
    """Focal lengths of the pinhole views without empty pixels and with all of the photo; the reason where none is."""
    try:
        tight, wide = (np.asarray(pinhole_target(camera, balance=b).full) for b in (0.0, 1.0))
    except AnylensError as error:
        return {"error": str(error)}
    return {"tight": [float(v) for v in tight[:2]], "wide": [float(v) for v in wide[:2]]}


def _rounded(values: Any, digits: int = 2) -> list:
    return np.round(np.asarray(values, dtype=np.float64), digits).tolist()
