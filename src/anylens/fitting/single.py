"""`fit`: rays to a camera of the model asked for, in closed form and then refined."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from anylens.arrays import Array, detach
from anylens.camera import Camera
from anylens.errors import FitError
from anylens.fitting.closed import closed_form
from anylens.fitting.known import Known, make_known
from anylens.fitting.onestep import one_step
from anylens.fitting.priors import Priors, fov_gradient
from anylens.fitting.problem import Problem, make_problem
from anylens.fitting.refine import FLOOR, Refined, Schedule, refine
from anylens.fitting.residual import Loss, mean_cost, presentable
from anylens.fitting.uncertainty import Uncertainty, estimate, estimate_shared
from anylens.profiles import Model, parse
from anylens.profiles.base import Profile

THIN = 600  # with more rays than twice this, the closed form takes so many
MANY = 4096  # with more rays than this, all but the last steps of the refinement run on the thin sample too
BRANCH = 128  # rays that decide between the valleys of a model, in a few steps
ROUGH = 1e-3  # relative fall of the cost at which a thin sample has told what it can
SHORT = Schedule(steps=3, tolerance=ROUGH)


@dataclass(frozen=True)
class Solution:
    """Where a fit ended, for whoever needs more than the camera."""

    problem: Problem
    model: Model
    known: Known
    q: Array  # (..., P) log fx, log fy, cx, cy, k in half diagonals
    prior_hessian: Array | None = None
    images: Problem | None = None  # the single images (M, N) of a shared fit, and their weights (M,)
    share: Array | None = None


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted camera with its cost (weighted mean squared angle, rad²) and how sure it is.

    Batched like the rays: `cost`, `converged`, standard deviations (...), `covariance` (..., P, P) in the
    camera's own parameters and pixels. Uncertainty is worked out when first asked for.
    """

    camera: Camera
    cost: Array
    cost_closed_form: Array
    converged: Array
    iterations: Array
    _solution: Solution = field(repr=False)

    @property
    def rms_deg(self) -> Array:
        """Root mean square angle between given and modelled rays, in degrees."""
        return self.cost**0.5 * (180 / math.pi)

    @cached_property
    def _uncertainty(self) -> Uncertainty:
        s = self._solution
        with np.errstate(all="ignore"):
            if s.images is None:
                return estimate(s.problem, s.model.profile, s.q, s.known.ties, s.prior_hessian)
            return estimate_shared(s.images, s.model.profile, s.q, s.known.ties, s.share)

    @property
    def n_eff(self) -> Array:
        """Effective number of independent rays, given how far residuals are correlated over the image."""
        return self._uncertainty.n_eff

    @cached_property
    def covariance(self) -> Array:
        """Covariance (..., P, P) of `camera.params`; zero for known parameters."""
        problem, model, q = self._solution.problem, self._solution.model, self._solution.q
        xp = problem.xp
        ones = xp.ones_like(q[..., :1])
        unit = [xp.exp(q[..., 0:1]) * problem.half, xp.exp(q[..., 1:2]) * problem.half]
        unit += [problem.half * ones] * 2 + [ones] * len(model.profile.coefs)
        D = xp.concat(unit, axis=-1)
        C = self._uncertainty.covariance * D[..., :, None] * D[..., None, :]
        return C[..., 1:, 1:] if model.simple else C

    @property
    def hfov_std_deg(self) -> Array:
        return self._fov_std(0)

    @property
    def vfov_std_deg(self) -> Array:
        return self._fov_std(1)

    def _fov_std(self, axis: int) -> Array:
        problem, model, q = self._solution.problem, self._solution.model, self._solution.q
        xp = problem.xp
        with np.errstate(all="ignore"):
            _, g = fov_gradient(problem, model.profile, q, axis)
        variance = (g[..., None, :] @ self._uncertainty.covariance @ g[..., :, None])[..., 0, 0]
        std = xp.sqrt(xp.maximum(variance, xp.zeros_like(variance))) * (180 / math.pi)
        return float(std) if isinstance(std, (np.ndarray, np.generic)) and std.ndim == 0 else std


def fit(pixels: Any, rays: Any, model: str, *, width: int, height: int, weights: Any = None,
        known: dict[str, Any] | None = None, refine: bool | Schedule = True, loss: str = "l2",
        loss_scale_deg: float = 1.0, priors: dict[str, tuple[Any, Any]] | None = None,
        joint: bool = False) -> Fit:  # fmt: skip
    """Intrinsics of `model` that best explain `rays`, in closed form and then by damped Gauss-Newton.

    pixels (..., N, 2), corner convention; rays (..., N, 3); weights (..., N), 0 or False leaves a ray out.
    known: exact values by name (fx fy f cx cy aspect and coefficients); without it fx, fy, cx, cy and all
    coefficients are free. refine: False for the closed form alone, or a Schedule. loss: l2, huber, cauchy with
    its scale. priors: {name or hfov_deg or vfov_deg: (mean, standard deviation)}. joint: solve all intrinsics of
    pinhole, radial and kb in one linear step instead of centre first.
    Raises FitError when the rays do not determine the model, ModelError for an unknown model.
    """
    spec = parse(model)
    problem = make_problem(pixels, rays, weights, width, height, least=least_rays(spec, known))
    facts = make_known(known, spec, problem)
    if loss not in ("l2", "huber", "cauchy"):
        raise FitError(f"Unknown loss '{loss}'. Allowed: l2, huber, cauchy.")
    with np.errstate(all="ignore"):
        return solve(problem, spec, facts, refine, Loss(loss, math.radians(loss_scale_deg)), priors, joint)


def solve(problem: Problem, spec: Model, facts: Known, refined: bool | Schedule, loss: Loss,
          priors: dict | None = None, joint: bool = False) -> Fit:  # fmt: skip
    """`fit` on a checked problem: closed form on a thin sample where there are many rays, refinement on all of them."""
    profile = spec.profile
    thin = problem.thinned(THIN) if problem.w.shape[-1] > 2 * THIN else problem
    found = one_step(thin, profile, facts)[None, ...] if joint else closed_form(thin, profile, facts)
    candidates, few = _logarithmic(found, problem.xp), thin.thinned(BRANCH)
    schedule = refined if isinstance(refined, Schedule) else Schedule(steps=30 if refined else 0)
    run = partial(refine, profile=profile, ties=facts.ties, loss=loss, schedule=schedule)
    damped = schedule.steps and schedule.damped
    if profile.scan and damped:
        start, q = _race(few, profile, candidates, partial(run, schedule=SHORT))
    else:
        start = q = _best(few, profile, candidates, loss)
    extra = None
    if priors:
        rough = estimate(thin, profile, start, facts.ties, None)
        extra = Priors(priors, spec, thin, detach(rough.strength)).normal
        run = partial(run, extra=extra)
    if damped and problem.w.shape[-1] > MANY:
        q = run(thin, q=q, schedule=replace(schedule, tolerance=ROUGH)).q
    out = run(problem, q=q)
    start_cost = out.cost_before if q is start and extra is None else mean_cost(problem, profile, start, loss)
    if extra is None and bool(problem.xp.any(out.cost > start_cost + FLOOR)):
        again = run(problem, q=start)  # the thin sample led to something dearer than the closed form itself
        out = _choose(again.cost < out.cost, again, out, problem.xp)
    return _answer(problem, spec, facts, out, start_cost, extra(out.q)[..., :-1, :-1] if extra else None, problem.xp)


def _race(few: Problem, profile: Profile, candidates: Array, run: Callable) -> tuple[Array, Array]:
    """The cheapest candidate, and where the one ends that a few steps on a few rays bring lowest; all at once.

    Double sphere and EUCM have several valleys; the start of the right one may lie above that of a wrong one.
    """
    xp = few.xp
    q, finite = presentable(candidates, profile, xp)
    ends = run(few, q=q)
    before, after = (xp.where(finite, xp.clip(detach(c), min=FLOOR), math.inf) for c in (ends.cost_before, ends.cost))
    start, end = _pick(candidates, xp.argmin(before, axis=0), xp), _pick(ends.q, xp.argmin(after, axis=0), xp)
    return start, xp.where(xp.isfinite(start), end, start)


def _choose(first: Array, a: Refined, b: Refined, xp) -> Refined:
    return Refined(
        xp.where(first[..., None], a.q, b.q),
        xp.where(first, a.cost, b.cost),
        xp.where(first, a.cost_before, b.cost_before),
        xp.where(first, a.iterations, b.iterations),
        xp.where(first, a.converged, b.converged),
    )


def _answer(problem, spec, facts, out: Refined, start_cost, prior_hessian, xp) -> Fit:
    q, half = out.q, problem.half
    if not bool(xp.all(xp.isfinite(out.cost)) & xp.all(xp.isfinite(q))):
        raise FitError("The rays do not determine a camera: no finite solution was found.")
    p = xp.concat([xp.exp(q[..., :2]) * half, q[..., 2:3] * half + 0.5 * problem.width,
                   q[..., 3:4] * half + 0.5 * problem.height, q[..., 4:]], axis=-1)  # fmt: skip
    params = p[..., 1:] if spec.simple else p
    params = _restore(params, spec, facts, problem)
    camera = Camera(spec.id, xp.astype(params, problem.dtype), problem.width, problem.height)
    plain = not problem.batch and isinstance(out.cost, (np.ndarray, np.generic))
    cost, start = (float(out.cost), float(start_cost)) if plain else (out.cost, start_cost)
    converged, count = (bool(out.converged), int(out.iterations)) if plain else (out.converged, out.iterations)
    return Fit(camera, cost, start, converged, count, Solution(problem, spec, facts, q, prior_hessian))


def _restore(params: Array, spec: Model, facts: Known, problem: Problem) -> Array:
    """Known values to the last bit, untouched by normalisation."""
    xp, raw = problem.xp, dict(facts.raw)
    if "f" in raw and not spec.simple:
        raw["fx"] = raw["fy"] = raw.pop("f")
    columns = []
    for i, name in enumerate(spec.param_names):
        column = params[..., i]
        if name in raw:
            column = xp.asarray(raw[name], dtype=column.dtype, device=column.device) + xp.zeros_like(column)
        columns.append(column)
    return xp.stack(columns, axis=-1)


def _logarithmic(p: Array, xp) -> Array:
    return xp.concat([xp.log(p[..., :2]), p[..., 2:]], axis=-1)


def _best(problem: Problem, profile: Profile, candidates: Array, loss: Loss) -> Array:
    """The cheapest finite candidate (log fx, log fy, cx, cy, k) of each batch entry."""
    if candidates.shape[0] == 1:
        return candidates[0, ...]
    costs = mean_cost(problem, profile, detach(candidates), loss)
    return _pick(candidates, problem.xp.argmin(costs, axis=0), problem.xp)


def _pick(candidates: Array, choice: Array, xp) -> Array:
    """The chosen one (..., P) of candidates (C, ..., P) for each batch entry."""
    picked = candidates[0, ...]
    for i in range(1, candidates.shape[0]):
        # Zeros first: the gradient of an unused NaN candidate must not leak through the choice.
        other = candidates[i, ...]
        picked = xp.where((choice == i)[..., None], xp.where(xp.isfinite(other), other, 0.0), picked)
    return picked


def least_rays(spec: Model, known: dict | None) -> int:
    """Fewest rays that determine the model: one equation each for the larger of the two linear systems."""
    unknown = len(set(spec.param_names) - set(known or {}))
    return max(2, min(unknown, 3 + len(spec.profile.coefs)))
