"""Gravity, roll, pitch and horizon from a frame of directions.

Gravity is the unit vector straight down, in the camera frame (x right, y down, z forward): (0, 1, 0) for a level
camera. Roll is positive when the camera is turned clockwise, as its user sees it, so that its x axis dips and the
scene leans to the left; pitch is positive when the camera looks up:

    roll = atan2(g_x, g_y),    pitch = -asin(g_z),    g = (cos p sin r, cos p cos r, -sin p).

Which of three orthogonal directions is the vertical cannot be seen from edges alone: the one nearest to the
image's own vertical is taken, so the camera is assumed to be held within 45° of upright, and not to be turned on
its side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anylens.camera import Camera

LEAST_STD = np.radians(0.2)  # buildings and lenses are no better than that
CAUTION = 4.0  # factor on variances: with it 68 % of rendered views lie within one standard deviation


@dataclass(frozen=True)
class Gravity:
    """down (3,): unit vector in the camera frame; roll and pitch in degrees with standard deviations."""

    down: np.ndarray
    roll_deg: float
    pitch_deg: float
    roll_std_deg: float
    pitch_std_deg: float

    def horizon(self, camera: Camera, count: int = 64) -> np.ndarray:
        """The part of the horizon that the camera sees, left to right in its own pixels.  (≤ count, 2)

        A straight line for a pinhole camera, a curve otherwise; empty where the horizon is out of view.
        """
        ahead = np.array([0.0, 0.0, 1.0]) - self.down[2] * self.down
        ahead /= max(float(np.linalg.norm(ahead)), 1e-9)
        right = np.cross(self.down, ahead)
        phi = np.linspace(-np.pi, np.pi, 16 * count + 1)[:, None]
        pixels, valid = camera.project(np.cos(phi) * ahead + np.sin(phi) * right)
        inside = valid & (pixels >= 0).all(-1) & (pixels <= (camera.width, camera.height)).all(-1)
        seen = pixels[inside]
        return seen[np.linspace(0, len(seen) - 1, count).round().astype(int)] if len(seen) > count else seen


def angles(down: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Roll and pitch (...) in radians of unit vectors (..., 3)."""
    return np.arctan2(down[..., 0], down[..., 1]), -np.arcsin(np.clip(down[..., 2], -1, 1))


def down_of(frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The direction of frames (..., 3, 3) nearest to the image's vertical, pointing down, and its row (...)."""
    row = np.argmax(np.abs(frames[..., 1]), axis=-1)
    down = np.take_along_axis(frames, row[..., None, None], axis=-2)[..., 0, :].astype(np.float64)
    return down * np.where(down[..., 1:2] < 0, -1.0, 1.0), row


def gravity(frames: np.ndarray, covariance: np.ndarray, probability: np.ndarray, best: int) -> Gravity:
    """Gravity of the best of frames (G, 3, 3), uncertain by their turns and by which of them is true.

    covariance (G, 3, 3) of each frame's turn in radians; probability (G,) that it is the true one. The variance
    is that of the mixture about the best: a focal length left open leaves pitch open as well.
    """
    down, _ = down_of(frames)
    roll, pitch = angles(down)
    # A turn ω moves the vertical by ω × g, and with it roll and pitch.
    flat = np.maximum(down[:, 0] ** 2 + down[:, 1] ** 2, 1e-9)
    by_roll = np.stack([down[:, 1], -down[:, 0], np.zeros_like(roll)], axis=-1) / flat[:, None]
    by_pitch = np.stack([np.zeros_like(roll), np.zeros_like(roll), -np.ones_like(roll)], axis=-1)
    by_pitch = by_pitch / np.sqrt(flat)[:, None]
    variances = []
    for value, slope in ((roll, by_roll), (pitch, by_pitch)):
        turn = np.cross(down, slope)  # slope · (ω × g) = ω · (g × slope)
        own = np.einsum("gi,gij,gj->g", turn, covariance, turn)
        off = np.angle(np.exp(1j * (value - value[best])))
        variances.append(CAUTION * float(probability @ (own + off**2)) + LEAST_STD**2)
    std = np.degrees(np.sqrt(variances))
    held = np.degrees([roll[best], pitch[best]])
    return Gravity(down[best], float(held[0]), float(held[1]), float(std[0]), float(std[1]))
