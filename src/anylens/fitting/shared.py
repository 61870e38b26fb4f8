"""Many images, one camera: a joint fit that one bad image cannot spoil.

All images contribute to one set of intrinsics. Each is weighted as a whole by how well it agrees with the others
(Cauchy weights on its root mean square angle against the median image's), starting from the camera, among those of the
single images, that most of the images agree with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anylens.arrays import Array, as_float64, detach, namespace
from anylens.errors import FitError
from anylens.fitting.known import make_known
from anylens.fitting.problem import Problem, make_problem
from anylens.fitting.residual import Loss, mean_cost
from anylens.fitting.single import Fit, least_rays, solve
from anylens.profiles import parse

ROUNDS = 6
OUTLIER = 2.0  # an image whose angle exceeds the typical one by so many times is called an outlier


@dataclass(frozen=True)
class View:
    """How an image's pixels follow from those of the shared camera:  x = (x_shared - offset) · scale."""

    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class SharedFit(Fit):
    """A Fit over several images, with what each of them says."""

    rms_deg_per_image: Array = None  # (M,) root mean square angle of each image
    weights: Array = None  # (M,) share of each image in the joint fit, at most 1
    outliers: tuple[int, ...] = ()


def fit_shared(pixels: Sequence[Any], rays: Sequence[Any], model: str, *, width: int, height: int,
               views: Sequence[View] | None = None, weights: Sequence[Any] | None = None,
               known: dict[str, Any] | None = None) -> SharedFit:  # fmt: skip
    """One camera of size width x height from M images: pixels[i] (N_i, 2) and rays[i] (N_i, 3).

    `views[i]` tells how image i was resized or cropped; by default all images are the full size. Images may have
    different numbers of rays. Raises FitError if no image determines the model.
    """
    if len(pixels) == 0 or len(pixels) != len(rays):
        raise FitError(f"Expected as many pixel sets as ray sets, at least one; got {len(pixels)} and {len(rays)}.")
    for name, given in (("views", views), ("weights", weights)):
        if given is not None and len(given) != len(pixels):
            raise FitError(f"Expected {len(pixels)} {name}, one per image, not {len(given)}.")
    spec = parse(model)
    x, y, w = _stack(pixels, rays, views or [View()] * len(pixels), weights)
    least = least_rays(spec, known)
    images = make_problem(x, y, w, width, height, least)
    facts = make_known(known, spec, images)
    with np.errstate(all="ignore"):
        singles = solve(images, spec, facts, True, Loss())
        start = _consensus(images, spec.profile, singles._solution.q)
        return _joint(images, spec, known, start)


def _stack(pixels, rays, views, weights):
    """Equal length for all: shorter images are padded with rays of zero weight."""
    xp = namespace(*rays)
    device = getattr(rays[0], "device", None)
    longest = max(len(r) for r in rays)
    columns: list[list[Array]] = [[], [], []]
    for i, (p, r, view) in enumerate(zip(pixels, rays, views)):
        p, r = as_float64(p, xp, device), as_float64(r, xp, device)
        if p.ndim != 2 or r.ndim != 2 or p.shape[0] != r.shape[0]:
            raise FitError(
                f"Image {i}: expected pixels (N, 2) and rays (N, 3), not {tuple(p.shape)} and {tuple(r.shape)}."
            )
        w = (
            xp.ones(p.shape[:1], dtype=xp.float64, device=device)
            if weights is None
            else as_float64(weights[i], xp, device)
        )
        scale, offset = (xp.asarray(v, dtype=xp.float64, device=device) for v in (view.scale, view.offset))
        missing = longest - p.shape[0]
        for column, part in zip(columns, (p / scale + offset, r, w)):
            zeros = xp.zeros((missing, *part.shape[1:]), dtype=xp.float64, device=device)
            column.append(xp.concat([part, zeros], axis=0) if missing else part)
    return tuple(xp.stack(c, axis=0) for c in columns)


def _consensus(images: Problem, profile, q: Array) -> Array:
    """Of the M single cameras (M, P), the one with the least median angle over all images."""
    xp = images.xp
    crossed = mean_cost(images, profile, detach(q)[:, None, :], Loss())  # (camera, image)
    ranked = xp.sort(crossed, axis=-1)
    middle = ranked[:, (q.shape[0] - 1) // 2]
    return q[int(xp.argmin(middle)), :]


def _joint(images: Problem, spec, known, q: Array) -> SharedFit:
    """Reweighted least squares: every image counts by how well it agrees with the joint camera."""
    xp, profile = images.xp, spec.profile
    M, N = images.w.shape
    pooled = images.each(lambda a: xp.reshape(a, (M * N,)))
    facts = make_known(known, spec, pooled)
    share = _agreement(mean_cost(images, profile, q, Loss()), xp)
    for _ in range(ROUNDS):
        weighted = pooled.replace_weights(xp.reshape(images.w * share[:, None], (M * N,)))
        result = solve(weighted, spec, facts, True, Loss())
        q = result._solution.q
        new = _agreement(mean_cost(images, profile, q, Loss()), xp)
        settled = bool(xp.all(xp.abs(new - share) < 1e-3))
        share = new
        if settled:
            break
    cost = mean_cost(images, profile, q, Loss())
    outliers = tuple(i for i in range(M) if float(share[i]) < 1 / (1 + OUTLIER**2))
    solution = replace(result._solution, images=images, share=share)
    return SharedFit(
        result.camera, result.cost, result.cost_closed_form, result.converged, result.iterations, solution,
        rms_deg_per_image=xp.sqrt(cost) * (180 / math.pi), weights=share, outliers=outliers,
    )  # fmt: skip


def _agreement(cost: Array, xp) -> Array:
    """Cauchy weight (M,) of each image from its root mean square angle, relative to the median image's."""
    angle = xp.sqrt(detach(cost))
    typical = xp.clip(xp.sort(angle)[(cost.shape[0] - 1) // 2], min=1e-10)
    excess = xp.clip(angle / typical - 1, min=0.0)
    return 1 / (1 + excess * excess)
