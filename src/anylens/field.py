"""The FoV field and rays: logarithm and exponential map of the unit sphere at the optical axis.

A ray with polar angle ϑ has the field value  θ = (ϑ / sin ϑ) (X, Y);  back,
(X, Y, Z) = (sin ϑ / ϑ · θ, cos ϑ)  with  ϑ = ‖θ‖.
"""

from __future__ import annotations

from anylens.arrays import Array, namespace, safe_norm


def rays_to_field(rays: Array) -> Array:
    """FoV field (..., 2) in radians of rays (..., 3) of any length; (π, 0) straight behind the camera."""
    xp = namespace(rays)
    X, Y, Z = rays[..., 0], rays[..., 1], rays[..., 2]
    R = safe_norm(X, Y, xp)
    theta = xp.atan2(R, Z)
    axis = R == 0
    # On the axis ϑ/R tends to 1 ahead; behind, every direction is as good and (π, 0) is taken.
    scale = xp.where(axis, 1.0, theta / xp.where(axis, 1.0, R))
    behind = axis & (Z < 0)
    return xp.stack([xp.where(behind, theta, scale * X), xp.where(behind, 0.0, scale * Y)], axis=-1)


def field_to_rays(field: Array) -> Array:
    """Unit rays (..., 3) of a FoV field (..., 2) in radians."""
    xp = namespace(field)
    x, y = field[..., 0], field[..., 1]
    theta = safe_norm(x, y, xp)
    axis = theta == 0
    scale = xp.where(axis, 1.0, xp.sin(theta) / xp.where(axis, 1.0, theta))
    return xp.stack([scale * x, scale * y, xp.cos(theta)], axis=-1)


def angle_between(p: Array, q: Array) -> Array:
    """Angle (...) in radians between unit rays (..., 3), accurate from 1e-16 to π:  2 atan2(‖p - q‖, ‖p + q‖)."""
    xp = namespace(p, q)
    return 2 * xp.atan2(_length(p - q, xp), _length(p + q, xp))


def _length(v: Array, xp) -> Array:
    return safe_norm(safe_norm(v[..., 0], v[..., 1], xp), v[..., 2], xp)
