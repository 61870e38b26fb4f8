"""A coefficient that does not enter the rows linearly (β of eucm, ξ of ds, w of fov), tried on a grid."""

from __future__ import annotations

from anylens.arrays import Array
from anylens.fitting.known import Known
from anylens.fitting.linear import make_sample
from anylens.fitting.problem import Problem
from anylens.profiles.base import Profile, Sample

RAYS = 64  # as many rays choose the grid value
CLOSER = 8  # values tried between the neighbours of the best one


def scan(problem: Problem, profile: Profile, known: Known, centre: tuple) -> Array | None:
    """In each branch of the grid the value whose linear solution leaves the least residual; (C, ..., 1)."""
    if profile.scan is None:
        return None
    name, branches = profile.scan
    if name in known.values:
        return known.values[name][None, ...]
    xp, thin = problem.xp, problem.thinned(RAYS)
    sample = make_sample(thin, *centre)
    axes, place = (1,) * thin.w.ndim, {"dtype": thin.w.dtype, "device": thin.w.device}
    grid = xp.asarray([value for branch in branches for value in branch], **place)
    misfit = _misfit(sample, thin.w, profile, known, xp.reshape(grid, (-1, *axes)))
    spans, first = [], 0
    for branch in branches:
        last = first + len(branch) - 1
        best = first + xp.argmin(misfit[first : last + 1, ...], axis=0)
        around = (xp.clip(best - 1, min=first), xp.clip(best + 1, max=last))
        spans.append([xp.reshape(xp.take(grid, xp.reshape(i, (-1,))), (*best.shape, 1)) for i in around])
        first = last + 1
    low, high = (xp.stack(side, axis=0) for side in zip(*spans))  # (C, ..., 1)
    share = xp.reshape(xp.linspace(0.0, 1.0, CLOSER, **place), (-1, 1, *axes))
    values = low + (high - low) * share
    best = xp.argmin(_misfit(sample, thin.w, profile, known, values), axis=0)[..., None]
    return low + (high - low) * (xp.astype(best, low.dtype) / (CLOSER - 1))


def _misfit(s: Sample, w: Array, profile: Profile, known: Known, values: Array) -> Array:
    """Residual of the rows, with everything but the scanned coefficient solved for; values (G, ..., 1) -> (G, ...).

    Two unknowns at most (a focal length and one coefficient): their normal equations by Cramer's rule.
    """
    xp = s.xp

    def dot(a: Array, b: Array) -> Array:
        return xp.vecdot(a, b)[..., None]

    columns, rhs = profile.rows(s, values)
    first = columns[0]
    weighted = w * first
    square = dot(weighted, first)
    if profile.linear_coefs:
        name, second = profile.linear_coefs[0], columns[1]
        y = known.get(name)
        if y is None:
            cross, wanted = dot(weighted, second), w * second
            below = xp.maximum(square * dot(wanted, second) - cross * cross, 1e-300)
            y = (square * dot(wanted, rhs) - cross * dot(weighted, rhs)) / below
            y = xp.clip(y, *profile.bounds[name])
        rhs = rhs - y * second
    focal = known.get("fx")
    focal = dot(weighted, rhs) / square if focal is None else focal
    miss = rhs / focal - first
    misfit = xp.vecdot(w * miss, miss)
    return xp.where(xp.isfinite(misfit) & (focal[..., 0] > 0), misfit, 1e30)
