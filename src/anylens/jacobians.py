"""Analytic derivatives of projection and unprojection, from the shared radial scheme.

With azimuth (c, s) and normalised radius r,  dr = c dx + s dy  and  r dφ = -s dx + c dy.  Rays move by
dϑ e_ϑ + sin ϑ dφ e_φ,  where  dϑ = ϑ_r dr + ϑ_k dk;  pixels follow from h' and h_k in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anylens.arrays import Array, as_float64, namespace, safe_norm
from anylens.profiles.base import INSIDE

if TYPE_CHECKING:
    from anylens.camera import Camera


def unproject_jacobian(camera: Camera, pixels: Any) -> tuple[Array, Array]:
    """d ray / d pixel (..., N, 3, 2) and d ray / d params (..., N, 3, P) at pixels (..., N, 2)."""
    xp, p = namespace(camera.params, pixels), camera.full
    profile, k = camera.profile, p[..., 4:]
    pixels = as_float64(pixels, xp, p.device)
    fx, fy = p[..., 0:1], p[..., 1:2]
    x, y = (pixels[..., 0] - p[..., 2:3]) / fx, (pixels[..., 1] - p[..., 3:4]) / fy
    r = safe_norm(x, y, xp)
    axis = r == 0
    c, s = xp.where(axis, 1.0, x / xp.where(axis, 1.0, r)), y / xp.where(axis, 1.0, r)
    theta_max, top = profile.limits(k)
    r = xp.minimum(r, INSIDE * top)
    theta = profile.angle(r, k, top=theta_max)
    by_r, by_k = profile.angle_grad(theta, r, k)
    S, C = xp.sin(theta), xp.cos(theta)
    turn = xp.where(axis, by_r, S / xp.where(axis, 1.0, r))
    zero = xp.zeros_like(r)
    outward = xp.stack([C * c, C * s, -S], axis=-1)  # e_ϑ
    around = xp.stack([-s, c, zero], axis=-1)  # e_φ
    by_x = (by_r * c)[..., None] * outward - (turn * s)[..., None] * around
    by_y = (by_r * s)[..., None] * outward + (turn * c)[..., None] * around
    gx, gy = 1 / fx[..., None], 1 / fy[..., None]
    focal = [-x[..., None] * by_x * gx, -y[..., None] * by_y * gy]
    if camera.simple:
        focal = [focal[0] + focal[1]]
    columns = [*focal, -by_x * gx, -by_y * gy, *(d[..., None] * outward for d in by_k)]
    return xp.stack([by_x * gx, by_y * gy], axis=-1), xp.stack(columns, axis=-1)


def project_jacobian(camera: Camera, points: Any) -> tuple[Array, Array]:
    """d pixel / d point (..., N, 2, 3) and d pixel / d params (..., N, 2, P) at points (..., N, 3)."""
    xp, p = namespace(camera.params, points), camera.full
    profile, k = camera.profile, p[..., 4:]
    points = as_float64(points, xp, p.device)
    X, Y, Z = points[..., 0], points[..., 1], points[..., 2]
    R = safe_norm(X, Y, xp)
    axis = R == 0
    safe = xp.where(axis, 1.0, R)
    c, s = xp.where(axis, 1.0, X / safe), Y / safe
    top, _ = profile.limits(k)
    theta = xp.minimum(xp.atan2(R, Z), INSIDE * top)
    slope, by_k = profile.radius_grad(theta, k)
    h = profile.radius(theta, k)
    square = R * R + Z * Z
    radial, along = slope * Z / square, -slope * R / square  # dh/dR and dh/dZ
    turn = xp.where(axis, radial, h / safe)
    fx, fy = p[..., 0:1], p[..., 1:2]
    zero, one = xp.zeros_like(h), xp.ones_like(h)
    by_X = xp.stack([fx * (radial * c * c + turn * s * s), fy * (radial - turn) * c * s], axis=-1)
    by_Y = xp.stack([fx * (radial - turn) * c * s, fy * (radial * s * s + turn * c * c)], axis=-1)
    by_Z = xp.stack([fx * along * c, fy * along * s], axis=-1)
    focal = [xp.stack([h * c, zero], axis=-1), xp.stack([zero, h * s], axis=-1)]
    if camera.simple:
        focal = [focal[0] + focal[1]]
    centre = [xp.stack([one, zero], axis=-1), xp.stack([zero, one], axis=-1)]
    coefs = [xp.stack([fx * d * c, fy * d * s], axis=-1) for d in by_k]
    return xp.stack([by_X, by_Y, by_Z], axis=-1), xp.stack([*focal, *centre, *coefs], axis=-1)
