"""Level views: the turn that takes a camera's roll (and pitch) away, and a pinhole frame around the turned photo."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from anylens.camera import Camera
from anylens.errors import ModelError
from anylens.undistortion.targets import OUTER_LIMIT, border_rays

Upright = Literal["roll", "full"]


def level_rotation(down: Any, upright: Upright = "roll") -> np.ndarray:
    """Rotation (3, 3) from rays of the level view to rays of the photo's camera.

    down (3,): gravity in the camera frame, g = (cos p sin r, cos p cos r, -sin p) at roll r and pitch p. "roll" turns
    about the optical axis, so that the horizon lies level; "full" tilts to it as well, so that verticals stand
    parallel. The camera never turns sideways.
    """
    g = np.asarray(down, dtype=np.float64) / np.linalg.norm(down)
    roll, pitch = math.atan2(g[0], g[1]), -math.asin(np.clip(g[2], -1, 1))
    c, s = math.cos(roll), math.sin(roll)
    turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    if upright == "roll":
        return turn
    c, s = math.cos(pitch), math.sin(pitch)
    return turn @ np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def turned_pinhole(
    camera: Camera,
    rotation: np.ndarray,
    *,
    fov_deg: float | None = None,
    balance: float = 0.0,
    size: tuple[int, int] | None = None,
) -> Camera:
    """A pinhole camera that sees the photo turned by `rotation`, with the photo's middle in its middle.

    The principal point shifts as far as that needs, as in a view camera: a photo that looks up keeps its subject.
    The largest such frame inside the photo's border has no empty pixels (balance 0), the smallest around it keeps
    everything (balance 1). Raises ModelError where the photo's middle is behind the level view.
    """
    width, height = size or (int(camera.width), int(camera.height))
    middle, _ = camera.unproject(np.array([[0.5 * camera.width, 0.5 * camera.height]]))
    x, y, z = (middle @ rotation)[0]
    if z < math.cos(OUTER_LIMIT):
        raise ModelError("The photo looks too far up or down for a level pinhole view. Use --upright roll.")
    centre = np.array([x / z, y / z])
    if fov_deg is not None:
        if not 0 < fov_deg < 180:
            raise ModelError(f"A pinhole view sees more than 0° and less than 180°, not {fov_deg:g}°.")
        f = 0.5 * width / math.tan(math.radians(0.5 * fov_deg))
    else:
        if not 0 <= balance <= 1:
            raise ModelError(f"balance lies between 0 (no empty pixels) and 1 (all of the photo), not {balance:g}.")
        rays = border_rays(camera) @ rotation
        # Points beyond the limit are taken at it: a frame reaches no farther.
        z = np.maximum(rays[:, 2], np.hypot(rays[:, 0], rays[:, 1]) / math.tan(OUTER_LIMIT))
        away = np.abs(rays[:, :2] / z[:, None] - centre)
        scale = np.max(away / np.array([0.5 * width, 0.5 * height]), axis=1)  # per pixel of the frame
        if scale.min() <= 0:
            raise ModelError("The photo's border folds over: no level pinhole view without empty pixels. Use --fov.")
        f = (1 - balance) / scale.min() + balance / scale.max()
    cx, cy = 0.5 * width - f * centre[0], 0.5 * height - f * centre[1]
    return Camera("pinhole", np.array([f, f, cx, cy]), width, height)
