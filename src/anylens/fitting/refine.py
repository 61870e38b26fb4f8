"""Damped Gauss-Newton (Levenberg-Marquardt) over a whole batch at once.

Contract: a step is taken only if the new cost is finite and lower; parameters stay within their bounds, and one
that sits on a bound is held there only while the cost falls outward; ties and known values hold at every step.
Entries of a batch that are done leave it, so that the slowest does not hold the others up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anylens.arrays import Array, detach, spread
from anylens.fitting.objective import Objective, Terms, make_objective
from anylens.fitting.problem import Problem
from anylens.fitting.residual import L2, Loss
from anylens.profiles.base import Profile

MAX_STEP = (0.7, 0.7, 0.5, 0.5)  # log focal lengths, centre: no step goes further at once


@dataclass(frozen=True)
class Schedule:
    """How to iterate. `damped=False` is the plain Gauss-Newton of the AnyCalib paper (five steps, all taken)."""

    steps: int = 30
    damped: bool = True
    tolerance: float = 3e-5  # relative fall of the cost that counts as none


FLOOR = 1e-29  # a mean squared angle that is rounding alone
EMPTY = 1e-60  # added to a diagonal: what a parameter without effect is divided by
STUCK = 1e10  # damping beyond which no step leads down
LEFT = 7 / 8  # the share of a batch still going at which it is worth dividing
DAMPED = Schedule()
PAPER = Schedule(steps=5, damped=False)


@dataclass(frozen=True)
class Refined:
    q: Array
    cost: Array
    cost_before: Array
    iterations: Array
    converged: Array


class State(NamedTuple):
    """Of every entry of a batch: parameters (..., P), their terms, damping, steps tried and whether it is done."""

    q: Array
    now: Terms
    damping: Array
    count: Array
    done: Array

    def take(self, index: Array, xp) -> State:
        q, now, *rest = self
        q, cost, normal, *rest = (xp.take(a, index, axis=0) for a in (q, *now, *rest))
        return State(q, Terms(cost, normal), *rest)

    def put(self, other: State, where: Array, xp) -> State:
        """With the entries of `other` where `where` is true."""
        pairs = zip((self.q, *self.now, *self[2:]), (other.q, *other.now, *other[2:]))
        q, cost, normal, *rest = (spread(b, where, a, xp) for a, b in pairs)
        return State(q, Terms(cost, normal), *rest)


@dataclass(frozen=True)
class Space:
    """Where parameters may go: free directions Tᵀ (F, P) and bounds (P,)."""

    Tt: Array
    low: Array
    high: Array
    lead: Array  # (F,) the parameter that speaks for each direction; its bounds:
    lead_low: Array
    lead_high: Array
    limit: Array  # (F,) largest step
    eye: Array


def refine(problem: Problem, profile: Profile, q: Array, ties: np.ndarray, *, loss: Loss = L2,
           schedule: Schedule = DAMPED, extra: Callable | None = None) -> Refined:  # fmt: skip
    """Refine q (..., P) along the columns of `ties` (P, F). `extra(q)` adds normal equations."""
    xp, batch = problem.xp, q.shape[:-1]
    if len(batch) > 1:
        problem, q = problem.flattened(batch), xp.reshape(q, (-1, q.shape[-1]))
    objective = make_objective(problem, profile, q, ties, loss, extra)
    now = objective(q)
    done = now.cost < FLOOR
    count = xp.zeros(done.shape, dtype=xp.int64, device=q.device)
    damping = xp.full_like(now.cost, 1e-5 if schedule.damped else 0.0)
    state = State(q, now, damping, count, done | (ties.shape[1] == 0))
    if schedule.steps and ties.shape[1]:
        state = _iterate(objective, state, _space(profile, q, ties, xp), schedule, schedule.steps, xp)
    converged = state.done if schedule.damped else xp.isfinite(state.now.cost)
    parts = (state.q, state.now.cost, now.cost, state.count, converged)
    return Refined(*(xp.reshape(a, (*batch, *a.shape[1:])) for a in parts) if len(batch) > 1 else parts)


def _iterate(objective: Objective, s: State, space: Space, schedule: Schedule, steps: int, xp,
             planned: tuple[Array, Array] | None = None) -> State:  # fmt: skip
    """At most so many steps; the first one may be planned already (with its promise)."""
    for i in range(steps):
        step, promise = _plan(s, space, xp) if planned is None else planned
        planned = None
        if schedule.damped:
            # Once the promised fall is nothing, another evaluation tells nothing.
            s = s._replace(done=s.done | (xp.abs(promise) <= schedule.tolerance * s.now.cost))
        going = ~(s.done | (s.damping > STUCK))
        left = int(xp.count_nonzero(going))
        if left == 0:
            break
        if going.ndim and left <= LEFT * going.shape[0] and objective.extra is None:
            index = xp.nonzero(going)[0]
            planned = (xp.take(step, index, axis=0), xp.take(promise, index, axis=0))
            rest = _iterate(objective.take(index), s.take(index, xp), space, schedule, steps - i, xp, planned)
            return s.put(rest, going, xp)
        trial = xp.minimum(xp.maximum(s.q + step @ space.Tt, space.low), space.high)
        new = objective(trial)
        better = xp.all(xp.isfinite(new.normal), axis=(-2, -1))
        damping = s.damping
        if schedule.damped:
            better = better & (new.cost < s.now.cost)
            # Less damping the better the promise was kept, more where it was not (Nielsen 1999).
            kept = detach(s.now.cost - new.cost) / xp.maximum(detach(promise), 1e-300)
            ease = xp.minimum(xp.maximum(1 - (2 * kept - 1) ** 3, 0.1), 1.0)
            damping = damping * xp.where(better, ease, 30.0)
        take = better & ~s.done
        count = s.count + xp.astype(~s.done, xp.int64)
        now = Terms(
            xp.where(take, new.cost, s.now.cost),
            xp.where(take[..., None, None], new.normal, s.now.normal),
        )
        s = State(xp.where(take[..., None], trial, s.q), now, damping, count, s.done | (now.cost < FLOOR))
    return s


def _plan(s: State, space: Space, xp) -> tuple[Array, Array]:
    """The next step, and the fall of the cost that the quadratic model promises of it."""
    step = _step(s, space, xp)
    return step, xp.vecdot(step, 2 * s.now.gradient - (s.now.hessian @ step[..., None])[..., 0])


def _step(s: State, space: Space, xp) -> Array:
    """(H + λ diag H)⁻¹ g along the free directions, within the bounds.

    A parameter that would cross its bound goes as far as that and the others follow with it, as they would in a
    bounded quadratic problem; one that sits on its bound is thereby let go as soon as the joint step leads inward.
    """
    q = xp.take(detach(s.q), space.lead, axis=-1)
    low, high = xp.maximum(space.lead_low - q, -space.limit), xp.minimum(space.lead_high - q, space.limit)
    step = _solve(s, space.eye, xp)
    held: Array = False
    for _ in range(2):
        outside = (step < low) | (step > high)
        if not bool(xp.any(outside)):
            return step
        step = xp.minimum(xp.maximum(step, low), high)
        held = outside | held
        step = _solve(s, space.eye, xp, (held, xp.where(held, step, 0.0)))
    return xp.minimum(xp.maximum(step, low), high)


def _solve(s: State, eye: Array, xp, fixed: tuple[Array, Array] | None = None) -> Array:
    """The damped step, some components (`fixed`: which, and all values) given; what has no effect stays as it is."""
    H, g = s.now.hessian, s.now.gradient
    scale = 1 / xp.sqrt(xp.linalg.diagonal(H) + EMPTY)
    if fixed is not None:
        scale = xp.where(fixed[0], 0.0, scale)
        g = g - (H @ fixed[1][..., None])[..., 0]
    H = H * (scale[..., :, None] * scale[..., None, :]) + (s.damping + 1e-14)[..., None, None] * eye
    free = xp.linalg.solve(H, (g * scale)[..., None])[..., 0] * scale
    return free if fixed is None else free + fixed[1]


def _space(profile: Profile, q: Array, ties: np.ndarray, xp) -> Space:
    bounds = [(-8.0, 8.0)] * 2 + [(-100.0, 100.0)] * 2 + profile.coef_bounds()
    lead = ties.argmax(axis=0)
    limit = np.asarray((*MAX_STEP, *(math.inf,) * len(profile.coefs)))[lead]
    low, high = (np.asarray(side) for side in zip(*bounds))
    parts = (ties.T, low, high, lead, low[lead], high[lead], limit, np.eye(len(lead)))
    make = (xp.asarray(a, dtype=None if a is lead else q.dtype, device=q.device) for a in parts)
    return Space(*make)
