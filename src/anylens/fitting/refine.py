"""Damped Gauss-Newton (Levenberg-Marquardt) over a whole batch at once.

Contract: a step is taken only if the new cost is finite and lower; parameters stay within their bounds, and one
that sits on a bound is held there only while the cost falls outward; ties and known values hold at every step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from anylens.arrays import Array, detach
from anylens.fitting.problem import Problem
from anylens.fitting.residual import Loss, Terms, next_theta, terms
from anylens.profiles.base import Profile

MAX_STEP = (0.7, 0.7, 0.5, 0.5)  # log focal lengths, centre: no step goes further at once


@dataclass(frozen=True)
class Schedule:
    """How to iterate. `damped=False` is the plain Gauss-Newton of the AnyCalib paper (five steps, all taken)."""

    steps: int = 30
    damped: bool = True
    tolerance: float = 3e-5  # relative fall of the cost that counts as none


FLOOR = 1e-29  # a mean squared angle that is rounding alone
DAMPED = Schedule()
PAPER = Schedule(steps=5, damped=False)
L2 = Loss()


@dataclass(frozen=True)
class Refined:
    q: Array
    cost: Array
    hessian: Array  # data and priors, at q
    iterations: Array
    converged: Array


def refine(problem: Problem, profile: Profile, q: Array, ties: np.ndarray, *, loss: Loss = L2,
           schedule: Schedule = DAMPED, extra: Callable | None = None) -> Refined:  # fmt: skip
    """Refine q (..., P) along the columns of `ties` (P, F). `extra(q)` adds cost, gradient and Hessian."""
    xp = problem.xp
    T = xp.asarray(ties, dtype=q.dtype, device=q.device)
    low, high = _bounds(profile, q, xp)
    limit = xp.asarray((*MAX_STEP, *(math.inf,) * len(profile.coefs)), dtype=q.dtype, device=q.device)

    def evaluate(q: Array, start: Array | None) -> Terms:
        now = terms(problem, profile, q, loss, start)
        if extra is None:
            return now
        cost, gradient, hessian = extra(q)
        return replace(now, cost=now.cost + cost, gradient=now.gradient + gradient, hessian=now.hessian + hessian)

    now = evaluate(q, None)
    done = now.cost < FLOOR
    count = xp.zeros(done.shape, dtype=xp.int64, device=q.device)
    damping = xp.full_like(now.cost, 1e-4 if schedule.damped else 0.0)
    if ties.shape[1] == 0:
        return Refined(q, now.cost, now.hessian, count, done | True)
    for _ in range(schedule.steps):
        step = xp.clip(_step(now, q, T, low, high, damping, xp), -limit, limit)
        if schedule.damped:
            # The fall that the quadratic model promises: once it is nothing, another evaluation tells nothing.
            done = done | (xp.sum(step * now.gradient, axis=-1) <= schedule.tolerance * now.cost)
        if bool(xp.all(done | (damping > 1e10))):
            break
        trial = xp.minimum(xp.maximum(q + step, low), high)
        new = evaluate(trial, next_theta(now, step, xp))
        finite = xp.isfinite(new.cost) & xp.all(xp.isfinite(new.gradient), axis=-1)
        better = finite & (new.cost < now.cost) if schedule.damped else finite
        take = better & ~done
        count = count + xp.astype(~done, xp.int64)
        q = xp.where(take[..., None], trial, q)
        now = Terms(
            xp.where(take, new.cost, now.cost),
            xp.where(take[..., None], new.gradient, now.gradient),
            xp.where(take[..., None, None], new.hessian, now.hessian),
            xp.where(take[..., None], new.theta, now.theta),
            None if new.slope is None else xp.where(take[..., None, None], new.slope, now.slope),
        )
        done = done | (now.cost < FLOOR)
        if schedule.damped:
            damping = xp.where(better, xp.maximum(damping * 0.1, 1e-12), damping * 10)
    return Refined(q, now.cost, now.hessian, count, done if schedule.damped else xp.isfinite(now.cost))


def _step(now: Terms, q: Array, T: Array, low: Array, high: Array, damping: Array, xp) -> Array:
    """T (TᵀHT + λ diag)⁻¹ Tᵀ g, without the parameters that press against a bound.

    A parameter on its bound is let go where the cost falls inward, unless the joint step would push it out
    again through its correlation with the others.
    """
    g, at_low, at_high = detach(now.gradient), q <= low, q >= high
    pressed = (at_low & (g < 0)) | (at_high & (g > 0))
    step = _solve(now, pressed, T, damping, xp)
    outward = (at_low & (step < 0)) | (at_high & (step > 0))
    if bool(xp.any(outward)):
        step = _solve(now, pressed | outward, T, damping, xp)
    return step


def _solve(now: Terms, held: Array, T: Array, damping: Array, xp) -> Array:
    free = 1 - xp.astype(xp.astype(held, T.dtype) @ T > 0, T.dtype)
    Tt = xp.matrix_transpose(T)
    H = Tt @ now.hessian @ T
    eye = xp.eye(T.shape[-1], dtype=T.dtype, device=T.device)
    diagonal = xp.sum(H * eye, axis=-1)
    scale = free / xp.sqrt(xp.where(diagonal > 1e-300, diagonal, 1.0))
    H = H * scale[..., :, None] * scale[..., None, :]
    # Held and undetermined parameters have an empty row here; 1 on their diagonal keeps them where they are.
    empty = xp.astype(xp.sum(H * eye, axis=-1) < 0.5, T.dtype)
    H = H + eye * (damping[..., None, None] + 1e-14 + empty[..., None, :])
    gradient = (now.gradient @ T) * scale
    return ((xp.linalg.solve(H, gradient[..., None])[..., 0]) * scale) @ Tt


def _bounds(profile: Profile, q: Array, xp) -> tuple[Array, Array]:
    shared = [(-8.0, 8.0)] * 2 + [(-100.0, 100.0)] * 2
    pairs = [*shared, *profile.coef_bounds()]
    low, high = (xp.asarray([p[i] for p in pairs], dtype=q.dtype, device=q.device) for i in (0, 1))
    return low, high
