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
FEW = 8  # a batch smaller than this is not worth dividing
STUCK = 1e10  # damping beyond which no step leads down
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
    """Where parameters may go: free directions T (P, F), bounds (P,), and the same by direction (F,)."""

    T: Array
    low: Array
    high: Array
    lead: Array  # (F,) the parameter that speaks for each direction
    limit: Array  # (F,) largest step


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


def _iterate(objective: Objective, s: State, space: Space, schedule: Schedule, steps: int, xp) -> State:
    for i in range(steps):
        step = xp.clip(_step(s, space, xp), -space.limit, space.limit)
        if schedule.damped:
            # The fall that the quadratic model promises: once it is nothing, another evaluation tells nothing.
            promise = xp.sum(step * s.now.gradient, axis=-1)
            s = s._replace(done=s.done | (promise <= schedule.tolerance * s.now.cost))
        going = ~(s.done | (s.damping > STUCK))
        left = int(xp.sum(xp.astype(going, xp.int64)))
        if left == 0:
            break
        if going.ndim and going.shape[0] >= FEW and 4 * left <= 3 * going.shape[0] and objective.extra is None:
            index = xp.nonzero(going)[0]
            rest = _iterate(objective.take(index), s.take(index, xp), space, schedule, steps - i, xp)
            return s.put(rest, going, xp)
        trial = xp.minimum(xp.maximum(s.q + step @ xp.matrix_transpose(space.T), space.low), space.high)
        new = objective(trial)
        better = xp.all(xp.isfinite(new.normal), axis=(-2, -1))
        damping = s.damping
        if schedule.damped:
            better = better & (new.cost < s.now.cost)
            damping = xp.where(better, xp.maximum(damping * 0.1, 1e-12), damping * 30)
        take = better & ~s.done
        count = s.count + xp.astype(~s.done, xp.int64)
        now = Terms(
            xp.where(take, new.cost, s.now.cost),
            xp.where(take[..., None, None], new.normal, s.now.normal),
        )
        s = State(xp.where(take[..., None], trial, s.q), now, damping, count, s.done | (now.cost < FLOOR))
    return s


def _step(s: State, space: Space, xp) -> Array:
    """(H + λ diag)⁻¹ g along the free directions, without the parameters that press against a bound.

    A parameter on its bound is let go where the cost falls inward, unless the joint step would push it out
    again through its correlation with the others.
    """
    g, q = detach(s.now.gradient), xp.take(detach(s.q), space.lead, axis=-1)
    at_low, at_high = q <= xp.take(space.low, space.lead), q >= xp.take(space.high, space.lead)
    pressed = (at_low & (g < 0)) | (at_high & (g > 0))
    step = _solve(s, pressed, xp)
    outward = (at_low & (step < 0)) | (at_high & (step > 0))
    if bool(xp.any(outward)):
        step = _solve(s, pressed | outward, xp)
    return step


def _solve(s: State, held: Array, xp) -> Array:
    H = s.now.hessian
    diagonal = xp.linalg.diagonal(H)
    # Held and undetermined parameters get an empty row here; 1 on their diagonal keeps them where they are.
    empty = held | (diagonal <= 1e-300)
    scale = xp.where(empty, 0.0, 1 / xp.sqrt(xp.where(empty, 1.0, diagonal)))
    eye = xp.eye(H.shape[-1], dtype=H.dtype, device=H.device)
    ridge = s.damping[..., None] + 1e-14 + xp.astype(empty, H.dtype)
    H = H * (scale[..., :, None] * scale[..., None, :]) + eye * ridge[..., None, :]
    return xp.linalg.solve(H, (s.now.gradient * scale)[..., None])[..., 0] * scale


def _space(profile: Profile, q: Array, ties: np.ndarray, xp) -> Space:
    bounds = [(-8.0, 8.0)] * 2 + [(-100.0, 100.0)] * 2 + profile.coef_bounds()
    lead = ties.argmax(axis=0)
    limit = np.asarray((*MAX_STEP, *(math.inf,) * len(profile.coefs)))[lead]
    make = lambda x: xp.asarray(x, dtype=q.dtype, device=q.device)  # noqa: E731
    low, high = (make([b[i] for b in bounds]) for i in (0, 1))
    return Space(make(ties), low, high, xp.asarray(lead, device=q.device), make(limit))
