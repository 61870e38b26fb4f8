"""Angle between given and modelled rays, with the Gauss-Newton terms of the shared radial scheme.

A pixel at normalised radius r and azimuth φ has the modelled ray q(ϑ(r), φ). In the tangent plane at q, with
axes e_ϑ and e_φ, the given ray p lies at the residual  log_q(p) = (∠/sin ∠)(p·e_ϑ, p·e_φ),  whose length is the
angle ∠; q itself moves by (dϑ, sin ϑ dφ). That makes the gradient exact and the Hessian that of Gauss-Newton.
Parameters inside:  (log fx, log fy, cx, cy, k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from anylens.arrays import Array, detach, safe_norm
from anylens.fitting.problem import Problem
from anylens.profiles.base import INSIDE, Profile

STEEPEST = 50.0  # dϑ/dr that counts in full


@dataclass(frozen=True)
class Loss:
    """ρ of the squared angle: `l2`, `huber` or `cauchy`, the latter two with a scale in radians."""

    name: str = "l2"
    scale: float = math.radians(1.0)

    def __call__(self, squared: Array, xp) -> tuple[Array, Array]:
        """ρ(e²) and ρ'(e²)."""
        s = self.scale**2
        if self.name == "l2":
            return squared, xp.ones_like(squared)
        if self.name == "huber":
            inside = squared <= s
            root = xp.sqrt(xp.where(inside, xp.full_like(squared, s), squared))
            rho = xp.where(inside, squared, 2 * self.scale * root - s)
            return rho, xp.where(inside, xp.ones_like(squared), self.scale / root)
        if self.name == "cauchy":
            return s * xp.log1p(squared / s), 1 / (1 + squared / s)
        raise ValueError(f"Unknown loss '{self.name}'. Allowed: l2, huber, cauchy.")


@dataclass(frozen=True)
class Terms:
    """Cost (...), gradient (..., P) towards lower cost and Hessian (..., P, P).

    theta (..., N) and its derivatives slope (..., P, N) tell Newton where to start after the next step; the latter
    only for profiles without a closed inverse.
    """

    cost: Array
    gradient: Array
    hessian: Array
    theta: Array
    slope: Array | None


@dataclass(frozen=True)
class Local:
    """One evaluation at every ray: residuals and derivatives along e_ϑ and e_φ; each (..., N) or (..., P, N)."""

    along: Array
    across: Array
    J_along: Array
    J_across: Array  # of the first four parameters only: coefficients move nothing across
    theta: Array
    cosine: Array
    sine: Array  # of the azimuth


def modelled(problem: Problem, profile: Profile, q: Array, start: Array | None):
    """Azimuth (cos, sin), r, ϑ, the inverse focal lengths and which pixels are in the domain, at q (..., P)."""
    xp = problem.xp
    gx, gy = xp.exp(-q[..., 0:1]), xp.exp(-q[..., 1:2])
    x, y = (problem.u - q[..., 2:3]) * gx, (problem.v - q[..., 3:4]) * gy
    r = safe_norm(x, y, xp)
    axis = r == 0
    inverse = 1 / xp.where(axis, 1.0, r)
    cosine, sine = xp.where(axis, 1.0, x * inverse), y * inverse
    theta_max, top = profile.limits(q[..., 4:])
    inside = r < top
    r = xp.minimum(r, INSIDE * top)
    start = xp.where(inside, problem.theta if start is None else start, theta_max)
    theta = profile.angle(r, q[..., 4:], start, theta_max)
    return cosine, sine, r, theta, gx, gy, inside


def residual(problem: Problem, cosine: Array, sine: Array, theta: Array):
    """log_q(p) along and across, and sin ϑ."""
    xp = problem.xp
    S, C = xp.sin(theta), xp.cos(theta)
    outward = cosine * problem.X + sine * problem.Y
    a = C * outward - S * problem.Z
    b = cosine * problem.Y - sine * problem.X
    length = safe_norm(a, b, xp)
    angle = xp.atan2(length, S * outward + C * problem.Z)
    exact = length == 0
    factor = xp.where(exact, 1.0, angle / xp.where(exact, 1.0, length))
    return a * factor, b * factor, S


def linearise(problem: Problem, profile: Profile, q: Array, start: Array | None = None) -> Local:
    xp = problem.xp
    c, s, r, theta, gx, gy, inside = modelled(problem, profile, q, start)
    along, across, S = residual(problem, c, s, theta)
    by_r, by_k = profile.angle_grad(theta, r, q[..., 4:])
    # Beyond a fold the ray no longer follows the parameters; just before it, it moves so fast that a few pixels
    # would decide the whole step.
    calm = xp.where(inside, xp.minimum(STEEPEST / by_r, 1.0), 0.0)
    by_r, by_k = by_r * calm, tuple(d * calm for d in by_k)
    axis = r == 0
    turn = xp.where(axis, by_r, S / xp.where(axis, 1.0, r))
    radial = by_r * r
    J_along = xp.stack([-radial * c * c, -radial * s * s, -by_r * c * gx, -by_r * s * gy, *by_k], axis=-2)
    mixed = S * s * c
    J_across = xp.stack([mixed, -mixed, turn * s * gx, -turn * c * gy], axis=-2)
    return Local(along, across, J_along, J_across, theta, c, s)


def next_theta(now: Terms, step: Array, xp) -> Array:
    """ϑ after a step (..., P) of the parameters, to first order."""
    if now.slope is None:
        return now.theta
    return xp.maximum(now.theta + (detach(step)[..., None, :] @ now.slope)[..., 0, :], 0.0)


def terms(problem: Problem, profile: Profile, q: Array, loss: Loss, start: Array | None = None) -> Terms:
    """Weighted mean of ρ(angle²) and its Gauss-Newton terms."""
    xp = problem.xp
    at = linearise(problem, profile, q, start)
    rho, slope = loss(at.along * at.along + at.across * at.across, xp)
    cost = xp.sum(problem.w * rho, axis=-1)
    weight = problem.w * slope
    weighted = at.J_along * weight[..., None, :]
    weighted_across = at.J_across * weight[..., None, :]
    hessian = weighted @ xp.matrix_transpose(at.J_along)
    gradient = (weighted @ at.along[..., None])[..., 0]
    # The first four parameters also move rays across; E lays their terms into the whole.
    E = xp.eye(hessian.shape[-1], dtype=hessian.dtype, device=hessian.device)[:4, :]
    h4 = weighted_across @ xp.matrix_transpose(at.J_across)
    g4 = (weighted_across @ at.across[..., None])[..., 0]
    slope = detach(at.J_along) if profile.iterative else None
    return Terms(cost, gradient + g4 @ E, hessian + xp.matrix_transpose(E) @ h4 @ E, detach(at.theta), slope)


def mean_cost(problem: Problem, profile: Profile, q: Array, loss: Loss) -> Array:
    """The cost alone; a non-finite camera costs infinity."""
    xp = problem.xp
    bad = xp.any(~xp.isfinite(q), axis=-1, keepdims=True)
    plain = xp.asarray((0.0, 0.0, 0.0, 0.0, *profile.start_coefs()), dtype=q.dtype, device=q.device)
    c, s, _, theta, _, _, _ = modelled(problem, profile, xp.where(bad, plain, q), None)
    a, b, _ = residual(problem, c, s, theta)
    cost = xp.sum(problem.w * loss(a * a + b * b, xp)[0], axis=-1)
    return xp.where(bad[..., 0] | ~xp.isfinite(cost), math.inf, cost)
