"""All intrinsics from one linear system, for the models whose radius is linear in theirs.

With m = h(ϑ)/R the pixel is  u = fx X m + cx,  and m is a sum of known functions of ϑ with the coefficients as
factors, so  u = fx X m₀ + Σ (fx k_n) X m_n + cx,  and the same for v with fy: linear in fx, fy, cx, cy, fx k_n and
fy k_n. The two estimates of each k_n are averaged by their focal lengths.
"""

from __future__ import annotations

from anylens.arrays import Array, namespace
from anylens.errors import FitError
from anylens.fitting.known import Known
from anylens.fitting.linear import least_squares
from anylens.fitting.problem import Problem
from anylens.profiles.base import Profile

ALLOWED = ("pinhole", "radial", "kb")


def one_step(problem: Problem, profile: Profile, known: Known) -> Array:
    """fx fy cx cy k (..., 4 + K), normalised. Raises FitError for other models or with known values."""
    if profile.name not in ALLOWED or known.raw:
        raise FitError(f"The one-step solution is for {', '.join(ALLOWED)} without known values.")
    xp = namespace(problem.w)
    R2 = problem.X**2 + problem.Y**2
    R = xp.sqrt(xp.where(R2 > 0, R2, xp.ones_like(R2)))
    theta = xp.atan2(R, problem.Z)
    ahead = problem.Z > 0.02
    t = theta if profile.name == "kb" else R / xp.where(ahead, problem.Z, xp.ones_like(R))
    w = problem.w if profile.name == "kb" else xp.where(ahead, problem.w, xp.zeros_like(R))
    m = xp.where(R2 > 0, t / R, xp.ones_like(R))
    powers = [m * t ** (2 * n) for n in range(profile.order + 1)]
    one = xp.ones_like(m)
    x = least_squares([*(problem.X * p for p in powers), one], problem.u, w, xp, strict=True)
    y = least_squares([*(problem.Y * p for p in powers), one], problem.v, w, xp, strict=True)
    fx, fy = x[..., :1], y[..., :1]
    if known.get("aspect") is not None:
        fx = fy = 0.5 * (fx + fy)
    k = (x[..., 1:-1] + y[..., 1:-1]) / (x[..., :1] + y[..., :1])
    return xp.concat([fx, fy, x[..., -1:], y[..., -1:], k], axis=-1)
