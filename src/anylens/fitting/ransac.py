"""RANSAC over minimal samples, for fields with gross outliers and for the paper's ablation."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from anylens.arrays import as_numpy, namespace
from anylens.errors import FitError
from anylens.fitting.closed import closed_form
from anylens.fitting.known import make_known
from anylens.fitting.problem import make_problem
from anylens.fitting.residual import modelled, presentable, residual
from anylens.fitting.single import Fit, fit, least_rays
from anylens.profiles import parse

CHUNK = 64  # hypotheses scored at once


def fit_ransac(pixels: Any, rays: Any, model: str, *, width: int, height: int, weights: Any = None,
               known: dict[str, Any] | None = None, threshold_deg: float = 1.0, iterations: int = 512,
               rng: np.random.Generator | None = None, refine: bool = True) -> tuple[Fit, Any]:  # fmt: skip
    """Fit one field (N, 2), (N, 3) that holds gross outliers; returns the Fit on the inliers and their mask (N,).

    Every hypothesis is the closed form on as few rays as the model needs, all hypotheses in one batch; the one with
    the most weight within `threshold_deg` wins and is fitted again to all its inliers, twice.
    """
    spec, xp = parse(model), namespace(rays, pixels)
    least = least_rays(spec, known)
    problem = make_problem(pixels, rays, weights, width, height, least)
    if problem.batch:
        raise FitError(f"fit_ransac takes one field at a time, not a batch of {problem.batch}.")
    rng = np.random.default_rng(0) if rng is None else rng
    usable = np.flatnonzero(as_numpy(problem.w) > 0)
    chosen = np.stack([rng.choice(usable, size=least, replace=False) for _ in range(iterations)])
    index = xp.reshape(xp.asarray(chosen, device=problem.w.device), (-1,))
    names = ("u", "v", "X", "Y", "Z")
    parts = {n: xp.reshape(xp.take(getattr(problem, n), index, axis=0), chosen.shape) for n in names}
    even = xp.full(chosen.shape, 1 / least, dtype=problem.w.dtype, device=problem.w.device)
    samples = replace(problem, **parts, w=even)
    with np.errstate(all="ignore"):
        try:
            found = closed_form(samples, spec.profile, make_known(known, spec, samples))[-1, ...]
        except FitError:
            raise FitError("Too many samples are degenerate: the rays do not determine a camera.") from None
        q = xp.concat([xp.log(found[..., :2]), found[..., 2:]], axis=-1)
        q, finite = presentable(q, spec.profile, xp)
        score = xp.concat([_inliers(problem, spec.profile, q[i : i + CHUNK, :], threshold_deg)[1]
                           for i in range(0, iterations, CHUNK)], axis=0)  # fmt: skip
        score = xp.where(finite, score, -1.0)
        best = q[int(xp.argmax(score)), :]
    inside = _inliers(problem, spec.profile, best, threshold_deg)[0]
    for _ in range(2):
        result = fit(pixels, rays, model, width=width, height=height, known=known, refine=refine,
                     weights=xp.astype(inside, xp.float64) * problem.w)  # fmt: skip
        inside = _inliers(problem, spec.profile, result._solution.q, threshold_deg)[0]
    return result, inside


def _inliers(problem, profile, q, threshold_deg: float):
    """Which rays (..., N) lie within the threshold of the cameras q (..., P), and their weight (...)."""
    xp = problem.xp
    with np.errstate(all="ignore"):
        at = modelled(problem, profile, q, moving=False)
        a, b, factor = residual(problem, at)
    inside = ((a * a + b * b) * factor * factor < math.radians(threshold_deg) ** 2) & at.inside
    return inside, xp.sum(xp.astype(inside, problem.w.dtype) * problem.w, axis=-1)
