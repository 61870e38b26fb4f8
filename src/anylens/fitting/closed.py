"""The closed form: centre and aspect first, then the model's own linear rows.

With centre and aspect known every profile has rows that are linear in its focal length (or its inverse) and its
coefficients; a coefficient that enters otherwise (β of eucm, ξ of ds, w of fov) is tried on a grid, the rest
being linear for each value, and left to the refinement.
"""

from __future__ import annotations

import math

from anylens.arrays import Array
from anylens.fitting.known import Known
from anylens.fitting.linear import centre_and_aspect, least_squares, make_sample
from anylens.fitting.problem import Problem
from anylens.profiles.base import Profile, Sample

SCAN_RAYS = 150  # as many rays choose the grid value
FOCAL_RANGE = (1e-3, 1e3)  # in half diagonals


def closed_form(problem: Problem, profile: Profile, known: Known) -> list[Array]:
    """Candidates (..., 4 + K) as fx fy cx cy k in normalised units: the full solution, one per scanned branch, last.

    Before it come plainer cameras (neutral coefficients, with the centre found and with a centred one) for fields
    so noisy that the full solution folds over. Entries may be NaN; the caller keeps the best finite one, and of
    equals the first.
    """
    centre = centre_and_aspect(problem, known)
    sample = make_sample(problem, *centre)
    fixed = {n: known.values[n] for n in profile.linear_coefs if n in known.values}
    answers: list[tuple] = [(centre, _neutral(sample, problem, profile, known))] if profile.coefs else []
    shared = ("aspect", "cx", "cy")
    if any(known.get(n) is None for n in shared):
        plain = tuple(known.values.get(n, problem.full(d)) for n, d in zip(shared, (1.0, 0.0, 0.0)))
        answers.append((plain, _neutral(make_sample(problem, *plain), problem, profile, known)))
    for scanned in _scan(problem, profile, known, centre):
        answers.append((centre, _bounded(sample, problem.w, profile, known, scanned, fixed)))
    return [_assemble(at, found, known, problem.xp) for at, found in answers]


def _assemble(centre: tuple, answer: tuple[Array, Array], known: Known, xp) -> Array:
    (aspect, cx, cy), (focal, k) = centre, answer
    fx, fy = known.get("fx"), known.get("fy")
    fx = focal if fx is None else fx
    return xp.concat([fx, fx * aspect if fy is None else fy, cx, cy, k], axis=-1)


def _solve(s: Sample, w: Array, profile: Profile, focal: Array | None, scanned, fixed: dict) -> tuple[Array, Array]:
    """Focal length (..., 1) and linear coefficients k (..., K') from the rows, some of them given.

    The rows' unknowns are y_n = k_n f^p_n. A given k_n goes into the focal column where p = 1 and to the right-hand
    side where p = 0; otherwise (division, ocam) it needs the focal length first: a fixed point, which converges in
    a few rounds since such terms are small corrections.
    """
    xp = s.xp
    columns, rhs = profile.rows(s, scanned)
    names, powers = profile.linear_coefs, profile.row_powers
    later = {}
    for i, (name, p) in enumerate(zip(names, powers), 1):
        if name in fixed and p == 1:
            columns[0] = columns[0] + fixed[name] * columns[i]
        elif name in fixed and p == 0:
            rhs = rhs - fixed[name] * columns[i]
        elif name in fixed and bool(xp.any(fixed[name] != 0)):
            later[i] = (fixed[name], p)
    free = [i for i, name in enumerate(names, 1) if name not in fixed]
    chosen, guess = [columns[i] for i in (0, *free)], focal
    if guess is None:
        guess, y = _solve_rows(chosen, rhs, w, None, xp)
    for _ in range(0 if not later and focal is None else 1 if focal is not None else 8):
        rest = rhs
        for i, (k, p) in later.items():
            rest = rest - k * guess**p * columns[i]
        guess, y = _solve_rows(chosen, rest, w, focal, xp)
    found = {i: y[..., j : j + 1] / guess ** powers[i - 1] if powers[i - 1] else y[..., j : j + 1]
             for j, i in enumerate(free)}  # fmt: skip
    k = [fixed[name] + 0 * guess if name in fixed else found[i] for i, name in enumerate(names, 1)]
    return guess, (xp.concat(k, axis=-1) if k else guess[..., :0])


def _solve_rows(columns: list[Array], rhs: Array, w: Array, focal: Array | None, xp) -> tuple[Array, Array]:
    """Focal length (NaN where it makes no sense) and the other unknowns; a given focal length is kept."""
    if focal is not None:
        rhs, columns = rhs - focal * columns[0], columns[1:]
    x = least_squares(columns, rhs, w, xp) if columns else w[..., :0]
    if focal is not None:
        return focal, x
    value = x[..., :1]
    sane = (value > FOCAL_RANGE[0]) & (value < FOCAL_RANGE[1])
    return xp.where(sane, value, math.nan), x[..., 1:]


def _bounded(s: Sample, w: Array, profile: Profile, known: Known, scanned, fixed: dict) -> tuple[Array, Array]:
    """Solve; a coefficient beyond its bound is put on it and the others are solved again."""
    xp, focal = s.xp, known.get("fx")
    found, y = _solve(s, w, profile, focal, scanned, fixed)
    bounds = [profile.bounds.get(n) for n in profile.linear_coefs]
    if any(b is not None for b in bounds):
        held = {}
        for i, (name, bound) in enumerate(zip(profile.linear_coefs, bounds)):
            low, high = bound or (-math.inf, math.inf)
            yi = y[..., i : i + 1]
            held[name] = xp.clip(yi, low, high)
        again = _solve(s, w, profile, focal, scanned, held)
        outside = xp.any(again[1] != y, axis=-1, keepdims=True) | ~xp.isfinite(found)
        found, y = xp.where(outside, again[0], found), xp.where(outside, again[1], y)
    return found, _with_scanned(y, profile, scanned, xp)


def _neutral(s: Sample, problem: Problem, profile: Profile, known: Known) -> tuple[Array, Array]:
    """Focal length with every coefficient at its plainest (or known) value."""
    values = {n: known.values.get(n, problem.full(v)) for n, v in zip(profile.coefs, profile.start_coefs())}
    scanned = values[profile.scan[0]] if profile.scan else None
    fixed = {n: values[n] for n in profile.linear_coefs}
    focal, y = _solve(s, problem.w, profile, known.get("fx"), scanned, fixed)
    return focal, _with_scanned(y, profile, scanned, problem.xp)


def _with_scanned(y: Array, profile: Profile, scanned, xp) -> Array:
    if profile.scan is None:
        return y
    parts = {n: y[..., i : i + 1] for i, n in enumerate(profile.linear_coefs)} | {profile.scan[0]: scanned}
    return xp.concat([parts[n] for n in profile.coefs], axis=-1)


def _scan(problem: Problem, profile: Profile, known: Known, centre: tuple) -> list[Array | None]:
    """For each branch of the grid the value (..., 1) whose linear solution leaves the least residual."""
    if profile.scan is None:
        return [None]
    name, branches = profile.scan
    if name in known.values:
        return [known.values[name]]
    xp, thin = problem.xp, problem.thinned(SCAN_RAYS)
    sample = make_sample(thin, *centre)
    grid = [value for branch in branches for value in branch]
    flat = xp.asarray(grid, dtype=thin.w.dtype, device=thin.w.device)
    values = xp.reshape(flat, (-1,) + (1,) * thin.w.ndim)
    columns, rhs = profile.rows(sample, values)
    shape = (len(grid), *thin.w.shape)
    columns, rhs = [xp.broadcast_to(c, shape) for c in columns], xp.broadcast_to(rhs, shape)
    w = thin.w
    # Two unknowns at most (a focal length and one coefficient): their normal equations by Cramer's rule.
    fixed = [known.values.get(n) for n in profile.linear_coefs]
    if fixed:
        low, high = profile.bounds[profile.linear_coefs[0]]
        y = fixed[0]
        if y is None:
            ff, fy, yy, fb, yb = (xp.sum(w * a * b, axis=-1, keepdims=True) for a, b in
                                  ((columns[0], columns[0]), (columns[0], columns[1]), (columns[1], columns[1]),
                                   (columns[0], rhs), (columns[1], rhs)))  # fmt: skip
            y = xp.clip((ff * yb - fy * fb) / xp.maximum(ff * yy - fy * fy, 1e-300 + 0 * ff), low, high)
        rhs = rhs - y * columns[1]
    focal = known.get("fx")
    if focal is None:
        focal = xp.sum(w * columns[0] * rhs, axis=-1, keepdims=True) / xp.sum(
            w * columns[0] ** 2, axis=-1, keepdims=True
        )
    misfit = xp.sum(w * (rhs / focal - columns[0]) ** 2, axis=-1)
    misfit = xp.where(xp.isfinite(misfit) & (focal[..., 0] > 0), misfit, 1e30)
    found, at = [], 0
    for branch in branches:
        best = at + xp.argmin(misfit[at : at + len(branch), ...], axis=0)
        found.append(xp.reshape(xp.take(flat, xp.reshape(best, (-1,)), axis=0), (*best.shape, 1)))
        at += len(branch)
    return found
