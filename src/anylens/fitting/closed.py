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
    return [_assemble(*answer, known, problem.xp) for answer in answers]


def _assemble(centre: tuple, answer: tuple[Array, Array], known: Known, xp) -> Array:
    (aspect, cx, cy), (focal, k) = centre, answer
    fx, fy = known.get("fx"), known.get("fy")
    fx = focal if fx is None else fx
    return xp.concat([fx, fx * aspect if fy is None else fy, cx, cy, k], axis=-1)


def _solve(s: Sample, w: Array, profile: Profile, focal: Array | None, scanned, fixed: dict) -> tuple[Array, Array]:
    """Focal length (..., 1) and linear coefficients (..., K') from the rows, some of them given.

    Where rows hold coefficients scaled by a power of the focal length (division, ocam), given coefficients need
    the focal length first: a fixed point, which converges in a few rounds since they are small corrections.
    """
    xp = s.xp
    columns, rhs = profile.rows(s, scanned)
    scale = None
    if fixed and profile.coef_scale(w[..., :1]) is not None:
        guess = _solve(s, w, profile, focal, scanned, {})[0] if focal is None else focal
        for _ in range(1 if focal is not None else 8):
            scale = profile.coef_scale(guess)
            guess, y = _solve_rows(columns, rhs, w, profile, focal, fixed, scale, xp)
        return guess, y * scale
    focal, y = _solve_rows(columns, rhs, w, profile, focal, fixed, None, xp)
    scale = profile.coef_scale(focal)
    return focal, (y if scale is None else y * scale)


def _solve_rows(columns, rhs, w, profile, focal, fixed, scale, xp) -> tuple[Array, Array]:
    given: dict[int, Array] = {}
    if focal is not None:
        given[0] = 1 / focal if profile.inverse_focal else focal
    for i, name in enumerate(profile.linear_coefs):
        if name in fixed:
            given[i + 1] = fixed[name] if scale is None else fixed[name] / scale[..., i : i + 1]
    unknown = [i for i in range(len(columns)) if i not in given]
    for i, value in given.items():
        rhs = rhs - value * columns[i]
    if unknown:
        x = least_squares([columns[i] for i in unknown], rhs, w, xp)
        given |= {i: x[..., j : j + 1] for j, i in enumerate(unknown)}
    g = given[0]
    value = 1 / xp.clip(g, min=1e-300) if profile.inverse_focal else g
    sane = (value > FOCAL_RANGE[0]) & (value < FOCAL_RANGE[1])
    value = xp.where(sane, value, math.nan)
    rest = [given[i] for i in range(1, len(columns))]
    return value, (xp.concat(rest, axis=-1) if rest else value[..., :0])


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
