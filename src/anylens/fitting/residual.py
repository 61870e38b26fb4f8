"""Angle between given and modelled rays, with the Gauss-Newton terms of the shared radial scheme.

A pixel at normalised radius r and azimuth φ has the modelled ray q(ϑ(r), φ). In the tangent plane at q, with
axes e_ϑ and e_φ, the given ray p lies at the residual  log_q(p) = (∠/sin ∠)(p·e_ϑ, p·e_φ),  whose length is the
angle ∠; q itself moves by (dϑ, sin ϑ dφ). That makes the gradient exact and the Hessian that of Gauss-Newton.
Parameters inside:  (log fx, log fy, cx, cy, k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from anylens.arrays import Array, safe_norm, sin_cos
from anylens.fitting.problem import Problem
from anylens.profiles.base import INSIDE, Profile

STEEPEST = 50.0  # dϑ/dr that counts in full
TINY = 1e-100  # makes 0/0 one, and its gradient finite


@dataclass(frozen=True)
class Loss:
    """ρ of the squared angle: `l2`, `huber` or `cauchy`, the latter two with a scale in radians."""

    name: str = "l2"
    scale: float = math.radians(1.0)

    @property
    def plain(self) -> bool:
        return self.name == "l2"

    def __call__(self, squared: Array, xp) -> tuple[Array, Array]:
        """ρ(e²) and ρ'(e²)."""
        s = self.scale**2
        if self.plain:
            return squared, xp.ones_like(squared)
        if self.name == "huber":
            inside = squared <= s
            root = xp.sqrt(xp.where(inside, xp.full_like(squared, s), squared))
            rho = xp.where(inside, squared, 2 * self.scale * root - s)
            return rho, xp.where(inside, xp.ones_like(squared), self.scale / root)
        if self.name == "cauchy":
            return s * xp.log1p(squared / s), 1 / (1 + squared / s)
        raise ValueError(f"Unknown loss '{self.name}'. Allowed: l2, huber, cauchy.")


L2 = Loss()


@dataclass(frozen=True)
class Modelled:
    """Where cameras see the pixels: normalised x, y and r (inside the fold), azimuth and polar angle; (..., N) each."""

    x: Array
    y: Array
    r: Array
    cosine: Array
    sine: Array
    inverse: Array  # 1 / √(x² + y²), 1 on the axis
    axis: Array  # true there
    inside: Array  # true for pixels in the domain
    theta: Array
    g: Array  # (..., 2) inverse focal lengths


@dataclass(frozen=True)
class Local:
    """One evaluation at every ray, times the square root of its weight: sums of products are weighted means.

    along (..., P + 1, N): how ϑ follows each parameter, and last the residual along e_ϑ. across (..., 5, N): the same
    along e_φ for the first four parameters, since coefficients move nothing across. cost (...): mean of ρ.
    """

    along: Array
    across: Array
    cost: Array
    at: Modelled


def modelled(problem: Problem, profile: Profile, q: Array, start: Array | None = None, limits=None) -> Modelled:
    """The problem's pixels through cameras q (..., P); Newton begins at ϑ `start`, `limits` are the profile's own."""
    xp, k = problem.xp, q[..., 4:]
    g = xp.exp(-q[..., :2])
    x, y = (problem.u - q[..., 2:3]) * g[..., :1], (problem.v - q[..., 3:4]) * g[..., 1:]
    r = safe_norm(x, y, xp)
    axis = r == 0
    inverse = 1 / xp.where(axis, 1.0, r)
    cosine, sine = xp.where(axis, 1.0, x * inverse), y * inverse
    theta_max, top = profile.limits(k) if limits is None else limits
    inside = r < top
    r = xp.minimum(r, INSIDE * top)
    if profile.iterative:
        start = xp.where(inside, problem.theta if start is None else start, theta_max)
    theta = profile.angle(r, k, start, theta_max)
    return Modelled(x, y, r, cosine, sine, inverse, axis, inside, theta, g)


def residual(problem: Problem, at: Modelled) -> tuple[Array, Array, Array, Array]:
    """p·e_ϑ, p·e_φ, the factor ∠/sin ∠ that makes them the residual, and sin ϑ."""
    xp, c, s = problem.xp, at.cosine, at.sine
    S, C = sin_cos(at.theta, xp)
    outward = c * problem.X + s * problem.Y
    a = C * outward - S * problem.Z
    b = c * problem.Y - s * problem.X
    length = safe_norm(a, b, xp)
    angle = xp.atan2(length, S * outward + C * problem.Z)
    return a, b, (angle + TINY) / (length + TINY), S


def linearise(problem: Problem, profile: Profile, q: Array, loss: Loss = L2, start: Array | None = None,
              limits=None) -> Local:  # fmt: skip
    xp = problem.xp
    at = modelled(problem, profile, q, start, limits)
    c, s, gx, gy = at.cosine, at.sine, at.g[..., :1], at.g[..., 1:]
    a, b, factor, S = residual(problem, at)
    root = problem.root
    if not loss.plain:
        rho, slope = loss((a * a + b * b) * factor * factor, xp)
        root = root * xp.sqrt(slope)
    scale = factor * root
    a, b = a * scale, b * scale
    cost = xp.sum(a * a + b * b if loss.plain else problem.w * rho, axis=-1)
    by_r, by_k = profile.angle_grad(at.theta, at.r, q[..., 4:])
    # Beyond a fold the ray no longer follows the parameters; just before it, it moves so fast that a few pixels
    # would decide the whole step.
    calm = xp.where(at.inside, xp.minimum(STEEPEST / by_r, 1.0), 0.0) * root
    pull, turn = -by_r * calm, xp.where(at.axis, by_r, S * at.inverse) * root
    pull_x, pull_y, turn_x, turn_y = pull * c, pull * s, turn * s, -turn * c
    along = [pull_x * at.x, pull_y * at.y, pull_x * gx, pull_y * gy, *(d * calm for d in by_k), a]
    across = [turn_x * at.x, turn_y * at.y, turn_x * gx, turn_y * gy, b]
    return Local(xp.stack(along, axis=-2), xp.stack(across, axis=-2), cost, at)


def mean_cost(problem: Problem, profile: Profile, q: Array, loss: Loss) -> Array:
    """The cost alone; a non-finite camera costs infinity."""
    xp = problem.xp
    bad = xp.any(~xp.isfinite(q), axis=-1, keepdims=True)
    plain = xp.asarray((0.0, 0.0, 0.0, 0.0, *profile.start_coefs()), dtype=q.dtype, device=q.device)
    a, b, factor, _ = residual(problem, modelled(problem, profile, xp.where(bad, plain, q)))
    squared = (a * a + b * b) * factor * factor
    cost = xp.sum(problem.w * (squared if loss.plain else loss(squared, xp)[0]), axis=-1)
    return xp.where(bad[..., 0] | ~xp.isfinite(cost), math.inf, cost)
