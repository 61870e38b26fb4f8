"""Cost, gradient and Gauss-Newton Hessian of whole batches, as many rays at a time as the cache holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from anylens.arrays import Array, detach
from anylens.fitting.problem import SLICE, Problem
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
    """Terms at q (..., P). Each piece remembers where its last Newton inversion ended: the next one starts there."""

    def __init__(self, problem: Problem, profile: Profile, loss: Loss, layout: Layout, extra: Callable | None,
                 entries: int):  # fmt: skip
        self.problem, self.profile, self.loss, self.layout = problem, profile, loss, layout
        self.extra = extra  # normal equations (..., P + 1, P + 1) to be added
        self.pieces = _pieces(problem, entries)
        self.starts: list[Array | None] = [None] * sum(len(parts) for _, parts in self.pieces)

    def __call__(self, q: Array) -> Terms:
        xp = self.problem.xp
        limits = self.profile.limits(q[..., 4:])
        starts = iter(range(len(self.starts)))
        found = []
        for span, parts in self.pieces:
            some = [a[span, ...] if len(self.pieces) > 1 else a for a in (q, *limits)]
            sums = [self._sums(part, next(starts), *some) for part in parts]
            found.append([sum(terms[1:], terms[0]) for terms in zip(*sums)])
        cost, along, across = (xp.concat(a, axis=0) for a in zip(*found)) if len(found) > 1 else found[0]
        L, M = self.layout.at(q, xp)
        normal = xp.matrix_transpose(L) @ along @ L + xp.matrix_transpose(M) @ across @ M
        if self.extra is None:
            return Terms(cost, normal)
        more, T = self.extra(q), self.layout.along
        return Terms(cost + more[..., -1, -1], normal + xp.matrix_transpose(T) @ more @ T)

    def _sums(self, part: Problem, i: int, q: Array, *limits: Array) -> tuple[Array, Array, Array]:
        """Cost and sums of products over the rays of one piece, along e_ϑ and across."""
        xp = part.xp
        local = linearise(part, self.profile, q, self.loss, self.starts[i], limits)
        if self.profile.iterative:
            self.starts[i] = detach(local.at.ray.at)
        return local.cost, *(a @ xp.matrix_transpose(a) for a in (local.along, local.across))

    def take(self, index: Array) -> Objective:
        """For some entries of a batch (B,) only."""
        xp, problem = self.problem.xp, self.problem
        problem = problem.each(lambda a: xp.take(a, index, axis=0)) if problem.batch else problem
        return Objective(problem, self.profile, self.loss, self.layout, self.extra, index.shape[0])


def make_objective(problem: Problem, profile: Profile, q: Array, ties: np.ndarray, loss: Loss,
                   extra: Callable | None) -> Objective:  # fmt: skip
    entries = max(1, int(np.prod(q.shape[:-1])))
    return Objective(problem, profile, loss, make_layout(ties, q, problem.xp), extra, entries)


def _pieces(problem: Problem, entries: int) -> list[tuple[slice, list[Problem]]]:
    """A batch (entries,) in spans of whole entries where these are small, and each span in slices of its rays."""
    size = problem.w.shape[-1] * entries
    count = min(entries, -(-size // SLICE))
    spans = [slice(entries * i // count, entries * (i + 1) // count) for i in range(count)]
    if count == 1 or not problem.batch:
        return [(span, problem.sliced(span.stop - span.start)) for span in spans]
    return [(span, problem.each(partial(_entries, span=span)).sliced(span.stop - span.start)) for span in spans]


def _entries(a: Array, span: slice) -> Array:
    return a[span, ...]
