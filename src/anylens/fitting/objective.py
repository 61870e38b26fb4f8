"""Cost, gradient and Gauss-Newton Hessian of whole batches, a slice of the rays at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anylens.arrays import Array, detach
from anylens.fitting.problem import Problem
from anylens.fitting.residual import Loss, linearise
from anylens.profiles.base import Profile

SLICE = 16384  # rays at once, over the whole batch: temporaries of that size stay in the cache


class Terms(NamedTuple):
    """Cost (...), gradient (..., F) towards lower cost and Hessian (..., F, F) along the free directions."""

    cost: Array
    gradient: Array
    hessian: Array


@dataclass
class Objective:
    """Terms at q (..., P). Each slice remembers its last polar angles: where the next Newton inversion starts."""

    slices: list[Problem]
    profile: Profile
    loss: Loss
    T: Array  # (P, F) free directions
    extra: Callable | None  # cost, gradient (..., P) and Hessian (..., P, P) to be added
    thetas: list[Array | None]

    def __call__(self, q: Array) -> Terms:
        xp, T = self.slices[0].xp, self.T
        limits = self.profile.limits(q[..., 4:])
        cost: Array = 0.0
        along: Array = 0.0
        across: Array = 0.0
        for i, part in enumerate(self.slices):
            local = linearise(part, self.profile, q, self.loss, self.thetas[i], limits)
            if self.profile.iterative:
                self.thetas[i] = detach(local.at.theta)
            cost = cost + local.cost
            along = along + local.along @ xp.matrix_transpose(local.along)
            across = across + local.across @ xp.matrix_transpose(local.across)
        # The last row and column hold the products with the residuals; T lays everything out along the free directions.
        Tt, Tt4 = xp.matrix_transpose(T), xp.matrix_transpose(T[:4, :])
        hessian = Tt @ along[..., :-1, :-1] @ T + Tt4 @ across[..., :-1, :-1] @ T[:4, :]
        gradient = along[..., -1, :-1] @ T + across[..., -1, :-1] @ T[:4, :]
        if self.extra is None:
            return Terms(cost, gradient, hessian)
        more = self.extra(q)
        return Terms(cost + more[0], gradient + more[1] @ T, hessian + Tt @ more[2] @ T)

    def take(self, index: Array) -> Objective:
        """For some entries of a batch (B,) only."""
        xp = self.slices[0].xp
        slices = [part.each(lambda a: xp.take(a, index, axis=0)) if part.batch else part for part in self.slices]
        thetas = [None if t is None else xp.take(t, index, axis=0) for t in self.thetas]
        return Objective(slices, self.profile, self.loss, self.T, self.extra, thetas)


def make_objective(problem: Problem, profile: Profile, q: Array, ties: np.ndarray, loss: Loss,
                   extra: Callable | None) -> Objective:  # fmt: skip
    entries = max(1, int(np.prod(q.shape[:-1])))
    slices = problem.sliced(max(1, SLICE // entries))
    T = problem.xp.asarray(ties, dtype=q.dtype, device=q.device)
    return Objective(slices, profile, loss, T, extra, [None] * len(slices))
