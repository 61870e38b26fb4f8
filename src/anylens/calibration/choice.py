"""`model="auto"`: the plainest camera that the field supports.

A network's field of a perspective photo is never quite a pinhole's, and a coefficient always takes up some of its
error. So a coefficient must earn its place: a richer model is taken only if it lowers the mean squared angle by more
than GAIN times the error that the network expects of its own shape, per coefficient added. Models that fold over
inside the image are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anylens.errors import FitError
from anylens.fitting.single import Fit
from anylens.profiles import parse

# from plain to rich; within a level the first is preferred where others are hardly better
LEVELS = (("pinhole",), ("radial:1", "division:1", "kb:1"), ("kb:2", "radial:2", "division:2"))
GAIN = 0.3
PREFERENCE = 0.1  # of the expected error, by which a later model of a level must be better than the first
FLOOR_DEG = 0.1  # differences below this decide nothing, however exact the field
CAUTION_DEG = 1.2  # smooth errors of a perspective photo's field stay below this, whatever the network fears


def choose(
    fit_model: Callable[[str], Fit], noise_deg: float | None, *, simple: bool = True, covered: float = 1.0
) -> Fit:
    """The fit of the model chosen; `fit_model` fits one model. Raises FitError where none can be fitted.

    covered: share of the photo that was seen. Beyond it coefficients are extrapolated, so they must earn more.
    """
    levels: list[list[Fit]] = []
    noise = math.inf
    for models in LEVELS:
        levels.append(_fit_level(fit_model, [f"simple_{m}" if simple else m for m in models]))
        # Without the network's own word the noise is what the richer models leave, so they have to be asked.
        if noise_deg is not None or len(levels) > 1:
            noise = _noise(levels, noise_deg) / covered**2
            if _settled(levels, noise):
                break
    chosen = _best(levels, noise)
    if chosen is None:
        raise FitError("No camera model could be fitted to what the network saw. Name one: model=….")
    return chosen


def _fit_level(fit_model: Callable[[str], Fit], models: list[str]) -> list[Fit]:
    found = []
    for model in models:
        try:
            fit = fit_model(model)
        except FitError:
            continue
        if not folds(fit):
            found.append(fit)
    return found


def _noise(levels: list[list[Fit]], noise_deg: float | None) -> float:
    """Mean squared angle (rad²) that is expected without any misfit."""
    if noise_deg is None:
        lowest = min((float(f.cost) for level in levels for f in level), default=0.0)
        return lowest + math.radians(FLOOR_DEG) ** 2
    return math.radians(min(max(noise_deg, FLOOR_DEG), CAUTION_DEG)) ** 2


def _settled(levels: list[list[Fit]], noise: float) -> bool:
    """Whether the best so far leaves less than a richer model would have to take up."""
    best = _best(levels, noise)
    return best is not None and float(best.cost) < GAIN * noise


def _best(levels: list[list[Fit]], noise: float) -> Fit | None:
    best: Fit | None = None
    for level in levels:
        if not level:
            continue
        cheapest = min(float(f.cost) for f in level)
        candidate = next(f for f in level if float(f.cost) <= cheapest + PREFERENCE * noise)
        added = _coefs(candidate) - (_coefs(best) if best else 0)
        if best is None or float(best.cost) - float(candidate.cost) > GAIN * max(1, added) * noise:
            best = candidate
    return best


def _coefs(fit: Fit) -> int:
    return len(parse(fit.camera.model).profile.coefs)


def folds(fit: Any) -> bool:
    """Whether some point of the image lies outside the fitted model's domain."""
    return not whole(fit.camera)


def whole(camera: Any) -> bool:
    """Whether the model is one-to-one over the whole image, corners included."""
    w, h = float(camera.width), float(camera.height)
    x, y = np.meshgrid(np.linspace(0, w, 9), np.linspace(0, h, 9))
    _, valid = camera.unproject(np.stack([x.ravel(), y.ravel()], axis=-1))
    return bool(np.all(valid))
