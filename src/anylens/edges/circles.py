"""A segment as a camera sees it: the great circle that it lies on, and the image direction to a vanishing point.

At a pixel x with ray p, a small step u in the image moves the ray by J u, with J the derivative of the
unprojection. In polar coordinates around the principal point (lengths over the focal length) a radial step moves
the ray by ϑ_r e_ϑ and a tangential one by (sin ϑ / r) e_φ. Parallel lines of direction v in space meet at the ray v,
and from x the image direction to it is  J⁻¹ v = (A·v, B·v),  A = e_ϑ / ϑ_r,  B = e_φ r / sin ϑ.  For a segment
with unit direction u, across = (u × J⁻¹) v and along = (u · J⁻¹) v are therefore linear in v:

    tan(angle in the image between segment and vanishing point) = (M·v) / (D·v),

with two 3-vectors M, D per segment. M is a multiple of the great circle's normal p × J u.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anylens.camera import Camera


@dataclass(frozen=True)
class Circles:
    """Segments through a camera, or through a batch of cameras: across, along (..., n, 3); valid (..., n)."""

    across: np.ndarray
    along: np.ndarray
    valid: np.ndarray

    def normals(self) -> np.ndarray:
        """Unit normals of the great circles.  (..., n, 3)"""
        return self.across / np.maximum(np.linalg.norm(self.across, axis=-1, keepdims=True), 1e-12)

    def __getitem__(self, which) -> Circles:
        return Circles(self.across[which], self.along[which], self.valid[which])


def circles(camera: Camera, points: np.ndarray, directions: np.ndarray) -> Circles:
    """Great circles of image points (n, 2) with directions (n, 2) for a camera with params (..., P).

    Points outside the model's domain are marked invalid; their vectors are finite and mean nothing.
    """
    p = np.asarray(camera.full, dtype=np.float64)
    profile, k = camera.profile, p[..., 4:]
    f, c = p[..., None, 0:2], p[..., None, 2:4]
    x = (np.asarray(points, dtype=np.float64) - c) / f
    r = np.maximum(np.hypot(x[..., 0], x[..., 1]), 1e-9)
    rays, valid = camera.unproject(np.asarray(points, dtype=np.float64))
    theta = np.arctan2(np.hypot(rays[..., 0], rays[..., 1]), rays[..., 2])
    theta_r = np.maximum(profile.angle_grad(theta, r, k)[0], 1e-9)
    sin, cos = np.sin(theta), np.cos(theta)
    ex, ey = np.where(r > 1e-9, x[..., 0] / r, 1.0), np.where(r > 1e-9, x[..., 1] / r, 0.0)
    stretch = np.where(r > 1e-7, r / np.maximum(sin, 1e-12), 1 / theta_r)  # its limit on the axis
    A = np.stack([cos * ex, cos * ey, -sin], axis=-1) / theta_r[..., None]
    B = np.stack([-ey, ex, np.zeros_like(ex)], axis=-1) * stretch[..., None]

    # From (radial, tangential) back to pixels along x and y, where angles are taken.
    by_x = f[..., 0:1] * (ex[..., None] * A - ey[..., None] * B)
    by_y = f[..., 1:2] * (ey[..., None] * A + ex[..., None] * B)
    u = np.asarray(directions, dtype=np.float64)
    u = u / np.maximum(np.hypot(u[..., 0:1], u[..., 1:2]), 1e-12)
    across, along = u[..., 0:1] * by_y - u[..., 1:2] * by_x, u[..., 0:1] * by_x + u[..., 1:2] * by_y
    size = np.maximum(np.sqrt((across**2).sum(-1, keepdims=True)), 1e-12)
    return Circles(across / size, along / size, valid)
