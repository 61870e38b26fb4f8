"""The closed form: centre and aspect first, then the model's own linear rows.

With centre and aspect known every profile has rows that are linear in its focal length (or its inverse) and its
coefficients; a coefficient that enters otherwise (β of eucm, ξ of ds, w of fov) is tried on a grid, the rest
being linear for each value, and left to the refinement.
"""

from __future__ import annotations

import math
from dataclasses import replace

from anylens.arrays import Array
from anylens.fitting.known import Known
from anylens.fitting.linear import centre_and_aspect, least_squares, make_sample
from anylens.fitting.problem import Problem
from anylens.fitting.scan import scan
from anylens.profiles.base import Profile, Sample

Answer = tuple[Array, list[Array]]  # focal length and coefficients, each (..., 1)
FOCAL_RANGE = (1e-3, 1e3)  # in half diagonals


def closed_form(problem: Problem, profile: Profile, known: Known) -> Array:
    """Candidates (C, ..., 4 + K) as fx fy cx cy k in normalised units: the full solution, one per scanned branch, last.

    Before it come plainer cameras (neutral coefficients, with the centre found and with a centred one) for fields
    so noisy that the full solution folds over. Entries may be NaN; the caller keeps the best finite one, and of
    equals the first.
    """
    xp = problem.xp
    centre = centre_and_aspect(problem, known)
    shared = ("aspect", "cx", "cy")
    starts: list[tuple] = [centre] if profile.coefs else []
    if any(known.get(n) is None for n in shared):
        starts.append(tuple(known.values.get(n, problem.full(d)) for n, d in zip(shared, (1.0, 0.0, 0.0))))
    answers = []
    if starts:
        plain = tuple(xp.stack(parts, axis=0) for parts in zip(*starts))
        answers.append(_assemble(plain, _neutral(make_sample(problem, *plain), problem, profile, known), known, xp))
    sample, scanned = make_sample(problem, *centre), scan(problem, profile, known, centre)
    if scanned is not None:
        shape = (scanned.shape[0], *problem.w.shape)
        sample = replace(sample, Ra=xp.broadcast_to(sample.Ra, shape), rc=xp.broadcast_to(sample.rc, shape))
    full = _assemble(centre, _bounded(sample, problem.w, profile, known, scanned), known, xp)
    return xp.concat([*answers, full if scanned is not None else full[None, ...]], axis=0)


def _assemble(centre: tuple, answer: Answer, known: Known, xp) -> Array:
    (aspect, cx, cy), (focal, k) = centre, answer
    fx, fy = known.get("fx"), known.get("fy")
    fx = focal if fx is None else fx
    columns = (fx, fx * aspect if fy is None else fy, cx, cy, *k)
    return xp.concat(xp.broadcast_arrays(*columns), axis=-1)


def _solve(s: Sample, w: Array, profile: Profile, focal: Array | None, scanned, fixed: dict) -> Answer:
    """Focal length and linear coefficients from the rows, some of them given.

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
    return guess, [fixed[name] if name in fixed else found[i] for i, name in enumerate(names, 1)]


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


def _bounded(s: Sample, w: Array, profile: Profile, known: Known, scanned) -> Answer:
    """Solve; a coefficient beyond its bound is put on it and the others are solved again."""
    xp, focal, names = s.xp, known.get("fx"), profile.linear_coefs
    fixed = {n: known.values[n] for n in names if n in known.values}
    found, y = _solve(s, w, profile, focal, scanned, fixed)
    if any(n in profile.bounds for n in names):
        held = {n: xp.clip(yi, *profile.bounds[n]) if n in profile.bounds else yi for n, yi in zip(names, y)}
        bound = ~xp.isfinite(found)
        for n, yi in zip(names, y):
            bound = bound | (held[n] != yi)
        if bool(xp.any(bound)):
            again, _ = _solve(s, w, profile, focal, scanned, held)
            found = xp.where(bound, again, found)
            y = [xp.where(bound, held[n], yi) for n, yi in zip(names, y)]
    return found, _with_scanned(y, profile, scanned)


def _neutral(s: Sample, problem: Problem, profile: Profile, known: Known) -> Answer:
    """Focal length with every coefficient at its plainest (or known) value."""
    values = {n: known.values.get(n, problem.full(v)) for n, v in zip(profile.coefs, profile.start_coefs())}
    scanned = values[profile.scan[0]] if profile.scan else None
    fixed = {n: values[n] for n in profile.linear_coefs}
    focal, y = _solve(s, problem.w, profile, known.get("fx"), scanned, fixed)
    return focal, _with_scanned(y, profile, scanned)


def _with_scanned(y: list[Array], profile: Profile, scanned) -> list[Array]:
    """Coefficients in the order of the parameters."""
    parts = dict(zip(profile.linear_coefs, y))
    if profile.scan:
        parts[profile.scan[0]] = scanned
    return [parts[n] for n in profile.coefs]
