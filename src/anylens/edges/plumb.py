"""Plumb lines: how far a segment is from the bend that a camera gives to a straight edge.

The great circle through the rays of both ends is the image of the straight edge between them. The signed distance of
the segment's middle from it, in pixels, is zero for the true camera, whatever the edge's direction in space; so the
bend of long edges tells of distortion where no vanishing point is known.
"""

from __future__ import annotations

import numpy as np

from anylens.camera import Camera
from anylens.jacobians import unproject_jacobian

LEAST_STD = 2e-4  # of the diagonal: what the bend of an edge is good to at best


def bend_residual(camera: Camera, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance (n,) in pixels of the middles of segments (n, 3, 2) from their great circles, and validity.

    With n the circle's normal and ν the image normal of the chord at the middle m, the first-order distance is
    n·p(m) / (n·∂p/∂ν).
    """
    n = len(points)
    rays, valid = camera.unproject(_spots(points))
    a, m, b, s = (rays[i * n : (i + 1) * n] for i in range(4))
    normal = np.cross(a, b)
    rate = (normal * (s - m)).sum(-1)
    steep = np.abs(rate) > 1e-12
    return (normal * m).sum(-1) / np.where(steep, rate, np.inf), valid[: 3 * n].reshape(3, n).all(axis=0) & steep


def bend_slopes(camera: Camera, points: np.ndarray) -> np.ndarray:
    """Derivative (n, P) of the distance by the camera's parameters."""
    n = len(points)
    spots = _spots(points)
    rays, _ = camera.unproject(spots)
    _, by = unproject_jacobian(camera, spots)
    a, m, b, s = (rays[i * n : (i + 1) * n] for i in range(4))
    da, dm, db, ds = (by[i * n : (i + 1) * n] for i in range(4))  # (n, 3, P)
    normal = np.cross(a, b)

    def triple(c: np.ndarray, dc: np.ndarray) -> np.ndarray:
        """Derivative of (a × b)·c by each of its factors in turn."""
        turned = np.einsum("ni,nip->np", np.cross(b, c), da) + np.einsum("ni,nip->np", np.cross(c, a), db)
        return turned + np.einsum("ni,nip->np", normal, dc)

    top, rate = (normal * m).sum(-1), (normal * (s - m)).sum(-1)
    rate = np.where(np.abs(rate) > 1e-12, rate, np.inf)[:, None]
    return (triple(m, dm) - (top[:, None] / rate) * triple(s - m, ds - dm)) / rate


def _spots(points: np.ndarray) -> np.ndarray:
    """First ends, middles, last ends, and one pixel beside the middles.  (4n, 2)"""
    chord = points[:, 2] - points[:, 0]
    chord = chord / np.maximum(np.hypot(chord[:, 0], chord[:, 1]), 1e-9)[:, None]
    beside = points[:, 1] + np.stack([-chord[:, 1], chord[:, 0]], axis=-1)
    return np.concatenate([points[:, 0], points[:, 1], points[:, 2], beside])


def bend_std(camera: Camera, noise: np.ndarray) -> np.ndarray:
    """Standard deviation (n,) in pixels of a segment's bend: its own noise, averaged a little, and the floor."""
    floor = LEAST_STD * np.hypot(camera.width, camera.height)
    return np.sqrt(floor**2 + (0.5 * noise) ** 2)
