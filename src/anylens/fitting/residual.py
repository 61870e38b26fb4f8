"""Angle between given and modelled rays, with the Gauss-Newton terms of the shared radial scheme.

A pixel at normalised radius r and azimuth φ has the modelled ray q(ϑ(r), φ). In the tangent plane at q, with
axes e_ϑ and e_φ, the given ray p lies at the residual  log_q(p) = (∠/sin ∠)(p·e_ϑ, p·e_φ),  whose length is the
angle ∠; q itself moves by (dϑ, sin ϑ dφ). That makes the gradient exact and the Hessian that of Gauss-Newton.
Parameters inside:  (log fx, log fy, cx, cy, k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anylens.arrays import Array, inverse_root
from anylens.fitting.problem import Problem
from anylens.profiles.base import INSIDE, Profile, Traced

TINY = 1e-200  # keeps a root off zero, where its gradient is not finite


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


class Modelled(NamedTuple):
    """Where cameras see the pixels: normalised x, y (inside the fold), azimuth and ray; (..., N) each."""

    x: Array
    y: Array
    cosine: Array
    sine: Array
    turn: Array  # sin ϑ / r
    inside: Array  # true for pixels in the domain
    ray: Traced


class Local(NamedTuple):
    """One evaluation at every ray, times the square root of its weight: sums of products are weighted means.

    along (..., P + 1, N): how ϑ follows (log fx, log fy, cx/fx, cy/fy, k), and last the residual along e_ϑ.
    across (..., 4, N): how the ray moves along e_φ with log fx/fy, cx/fx and -cy/fy (nothing else moves it across),
    and the residual there. cost (...): mean of ρ.
    """

    along: Array
    across: Array
    cost: Array
    at: Modelled


@dataclass(frozen=True)
class Layout:
    """How the rows of Local follow free directions T (P, F) of (log fx, log fy, cx, cy, k), and a last row as it is."""

    shrink: Array  # (P, P + 1): exp(q @ shrink) = (1, 1, 1/fx, 1/fy, 1 …)
    along: Array  # (P + 1, F + 1)
    across: Array  # (4, F + 1)

    def at(self, q: Array, xp) -> tuple[Array, Array]:
        """Matrices (..., P + 1, F + 1) and (..., 4, F + 1) that bring the rows at q to the free directions."""
        g = xp.exp(q @ self.shrink)[..., None]
        return g * self.along, g[..., 1:5, :] * self.across


def make_layout(ties: np.ndarray, q: Array, xp) -> Layout:
    P, F = ties.shape
    T = np.zeros((P + 1, F + 1))
    T[:P, :F], T[P, F] = ties, 1.0
    shrink = np.zeros((P, P + 1))
    shrink[(0, 1), (2, 3)] = -1.0
    across = np.stack([T[0] - T[1], T[2], -T[3], T[P]])
    return Layout(*(xp.asarray(a, dtype=q.dtype, device=q.device) for a in (shrink, T, across)))


def modelled(problem: Problem, profile: Profile, q: Array, start: Array | None = None, limits=None,
             moving: bool = True) -> Modelled:  # fmt: skip
    """The problem's pixels through cameras q (..., P); Newton begins at `start`, `limits` are the profile's own.

    Without `moving` the rays come without their derivatives and `turn`.
    """
    xp, k = problem.xp, q[..., 4:]
    g = xp.exp(-q[..., :2])
    x, y = (problem.u - q[..., 2:3]) * g[..., :1], (problem.v - q[..., 3:4]) * g[..., 1:]
    squared = x * x + y * y
    on_axis = not bool(xp.min(squared) > 0)  # rare, and dear to provide for at every pixel
    axis = squared == 0 if on_axis else None
    inverse = inverse_root(xp.where(axis, 1.0, squared) if on_axis else squared, xp)
    cosine, sine = x * inverse, y * inverse
    cosine = xp.where(axis, 1.0, cosine) if on_axis else cosine
    theta_max, top = profile.limits(k) if limits is None else limits
    r = squared * inverse
    inside = r < top
    if profile.iterative:
        start = xp.where(
            inside, profile.variable(problem.theta) if start is None else start, profile.variable(theta_max)
        )
    r = xp.minimum(r, INSIDE * top)
    if not moving:
        return Modelled(x, y, cosine, sine, None, inside, Traced(*profile.seen(r, k, start, theta_max), None, ()))
    ray = profile.trace(r, k, start, theta_max)
    turn = ray.R * inverse
    return Modelled(x, y, cosine, sine, xp.where(axis, ray.by_r, turn) if on_axis else turn, inside, ray)


def residual(problem: Problem, at: Modelled) -> tuple[Array, Array, Array]:
    """p·e_ϑ, p·e_φ and the factor ∠/sin ∠ that makes them the residual."""
    xp, c, s, R, Z = problem.xp, at.cosine, at.sine, at.ray.R, at.ray.Z
    outward = c * problem.X + s * problem.Y
    a = Z * outward - R * problem.Z
    b = c * problem.Y - s * problem.X
    squared = a * a + b * b + TINY
    inverse = inverse_root(squared, xp)
    return a, b, xp.atan2(squared * inverse, R * outward + Z * problem.Z) * inverse


def linearise(problem: Problem, profile: Profile, q: Array, loss: Loss = L2, start: Array | None = None,
              limits=None) -> Local:  # fmt: skip
    xp = problem.xp
    at = modelled(problem, profile, q, start, limits)
    a, b, factor = residual(problem, at)
    root = problem.root
    if not loss.plain:
        rho, slope = loss((a * a + b * b) * factor * factor, xp)
        root = root * xp.sqrt(slope)
    scale = factor * root
    a, b = a * scale, b * scale
    cost = xp.vecdot(a, a) + xp.vecdot(b, b) if loss.plain else xp.vecdot(problem.w, rho)
    moved = xp.where(at.inside, root, 0.0)  # beyond a fold the ray no longer follows the parameters
    pull, turn = -at.ray.by_r * moved, at.turn * root
    pull_x, pull_y, turn_x, turn_y = pull * at.cosine, pull * at.sine, turn * at.sine, turn * at.cosine
    along = [pull_x * at.x, pull_y * at.y, pull_x, pull_y, *(d * moved for d in at.ray.by_k), a]
    return Local(xp.stack(along, axis=-2), xp.stack([turn_x * at.x, turn_x, turn_y, b], axis=-2), cost, at)


def presentable(q: Array, profile: Profile, xp) -> tuple[Array, Array]:
    """q (..., P) with cameras that are not finite replaced by a plain one, and which (...) were finite."""
    finite = xp.all(xp.isfinite(q), axis=-1)
    plain = xp.asarray((0.0, 0.0, 0.0, 0.0, *profile.start_coefs()), dtype=q.dtype, device=q.device)
    return xp.where(finite[..., None], q, plain), finite


def mean_cost(problem: Problem, profile: Profile, q: Array, loss: Loss) -> Array:
    """The cost alone; a non-finite camera costs infinity."""
    xp = problem.xp
    q, finite = presentable(q, profile, xp)
    limits = profile.limits(q[..., 4:])
    cost: Array = 0.0
    for part in problem.sliced(max(1, math.prod(q.shape[:-1]))):
        a, b, factor = residual(part, modelled(part, profile, q, None, limits, moving=False))
        squared = (a * a + b * b) * factor * factor
        cost = cost + xp.vecdot(part.w, squared if loss.plain else loss(squared, xp)[0])
    return xp.where(finite & xp.isfinite(cost), cost, math.inf)
