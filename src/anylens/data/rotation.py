"""How a camera is held: the rotation of yaw, pitch and roll that carries its rays into the panorama."""

from __future__ import annotations

import math

import numpy as np


def rotation_from_angles(yaw_deg: float, pitch_deg: float, roll_deg: float) -> np.ndarray:
    """Rotation (3, 3) with  ray_panorama = R ray_camera,  R = R_y(yaw) R_x(pitch) R_z(roll).

    Yaw turns right, pitch looks up, roll turns the camera clockwise about its own axis.
    """
    y, p, r = (math.radians(a) for a in (yaw_deg, pitch_deg, roll_deg))
    cy, sy, cp, sp, cr, sr = math.cos(y), math.sin(y), math.cos(p), math.sin(p), math.cos(r), math.sin(r)
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    about_z = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    return about_y @ about_x @ about_z
