"""Cost, gradient and Gauss-Newton Hessian of whole batches, a slice of the rays at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from anylens.arrays import Array, detach
from anylens.fitting.problem import Problem
from anylens.fitting.residual import Layout, Loss, linearise, make_layout
from anylens.profiles.base import Profile


class Terms(NamedTuple):
    """Cost (...), and the normal equations (..., F + 1, F + 1): sums of products of the derivatives along the free
    directions and, last, the residual."""

    cost: Array
    normal: Array

    @property
    def hessian(self) -> Array:
        return self.normal[..., :-1, :-1]

    @property
    def gradient(self) -> Array:
        """Towards lower cost."""
        return self.normal[..., -1, :-1]


class Objective:
    """Terms at q (..., P). Each slice remembers where its last Newton inversion ended: the next one starts there."""

    def __init__(self, problem: Problem, profile: Profile, loss: Loss, layout: Layout, extra: Callable | None,
                 entries: int):  # fmt: skip
        self.problem, self.profile, self.loss, self.layout = problem, profile, loss, layout
        self.extra = extra  # normal equations (..., P + 1, P + 1) to be added
        self.slices = problem.sliced(entries)
        self.starts: list[Array | None] = [None] * len(self.slices)

    def __call__(self, q: Array) -> Terms:
        xp = self.problem.xp
        limits = self.profile.limits(q[..., 4:])
        cost: Array = 0.0
        along: Array = 0.0
        across: Array = 0.0
        for i, part in enumerate(self.slices):
            local = linearise(part, self.profile, q, self.loss, self.starts[i], limits)
            if self.profile.iterative:
                self.starts[i] = detach(local.at.ray.at)
            cost = cost + local.cost
            along = along + local.along @ xp.matrix_transpose(local.along)
            across = across + local.across @ xp.matrix_transpose(local.across)
        L, M = self.layout.at(q, xp)
        normal = xp.matrix_transpose(L) @ along @ L + xp.matrix_transpose(M) @ across @ M
        if self.extra is None:
            return Terms(cost, normal)
        more, T = self.extra(q), self.layout.along
        return Terms(cost + more[..., -1, -1], normal + xp.matrix_transpose(T) @ more @ T)

    def take(self, index: Array) -> Objective:
        """For some entries of a batch (B,) only."""
        xp, problem = self.problem.xp, self.problem
        problem = problem.each(lambda a: xp.take(a, index, axis=0)) if problem.batch else problem
        return Objective(problem, self.profile, self.loss, self.layout, self.extra, index.shape[0])


def make_objective(problem: Problem, profile: Profile, q: Array, ties: np.ndarray, loss: Loss,
                   extra: Callable | None) -> Objective:  # fmt: skip
    entries = max(1, int(np.prod(q.shape[:-1])))
    return Objective(problem, profile, loss, make_layout(ties, q, problem.xp), extra, entries)
