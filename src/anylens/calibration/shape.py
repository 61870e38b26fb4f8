"""The shape of a camera: the model fitted freely to the field, apart from what is held or known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.calibration.choice import choose
from anylens.calibration.knowledge import Knowledge
from anylens.calibration.observation import Observation
from anylens.calibration.options import Options
from anylens.camera import Camera
from anylens.fitting.shared import fit_shared
from anylens.fitting.single import Fit, fit
from anylens.profiles import parse

VOTERS = 9  # photos that are asked for a model
CENTRE_STD = 0.25  # of the width and height: where the centre of an edited photo may lie, before looking


@dataclass(frozen=True)
class Shape:
    """A fitted camera whose focal length is still the field's own, and what was held in fitting it."""

    fit: Fit
    held: tuple[str, ...]

    @property
    def camera(self) -> Camera:
        return self.fit.camera


def fit_shape(seen: Observation, options: Options) -> Shape:
    """The model asked for, or the one that the field supports. Raises FitError."""
    facts = options.knowledge
    simple = _square(options, facts)

    def fit_model(model: str) -> Fit:
        return fit(
            seen.pixels,
            seen.rays,
            model,
            width=seen.width,
            height=seen.height,
            weights=seen.weights,
            known=_known(model, seen, options, facts),
            priors=_priors(model, seen, options, facts),
        )

    if options.model == "auto":
        found = choose(fit_model, seen.noise_deg, simple=simple, covered=seen.covered)
    else:
        found = fit_model(options.model)
    return Shape(found, _held(found.camera, options, facts))


def fit_shared_shape(views: list[Observation], width: int, height: int, options: Options) -> Shape:
    """One shape from several photos, all in the pixels of one camera of width x height. Raises FitError."""
    facts = options.knowledge
    model = options.model if options.model != "auto" else vote(views, options)
    found = fit_shared(
        [v.pixels for v in views],
        [v.rays for v in views],
        model,
        width=width,
        height=height,
        weights=[v.weights for v in views],
        known=_known(model, views[0], options, facts),
    )
    return Shape(found, _held(found.camera, options, facts))


def vote(views: list[Observation], options: Options) -> str:
    """The model that most of some photos choose by themselves, the plainest of equals.

    Photos of one camera repeat the network's errors of shape, and their fields differ in scale: a joint fit makes
    neither the errors smaller nor the costs of models comparable.
    """
    some = [views[i] for i in np.unique(np.linspace(0, len(views) - 1, VOTERS).round().astype(int))]
    chosen = [fit_shape(view, options).camera.model for view in some]
    counts = {model: chosen.count(model) for model in chosen}
    return max(counts, key=lambda model: (counts[model], -len(parse(model).profile.coefs)))


def _square(options: Options, facts: Knowledge) -> bool:
    return not options.edited and facts.exact_shape.get("aspect", 1.0) == 1.0


def _known(model: str, seen: Observation, options: Options, facts: Knowledge) -> dict[str, Any]:
    """What the fit must respect: the centre in the middle and square pixels, unless edited or known otherwise."""
    known: dict[str, Any] = {}
    if not options.edited:
        known = {"cx": seen.width / 2, "cy": seen.height / 2}
        if not parse(model).simple:
            known["aspect"] = 1.0
    known |= facts.exact_shape
    return {name: value for name, value in known.items() if name not in facts.vague_shape}


def _priors(model: str, seen: Observation, options: Options, facts: Knowledge) -> dict[str, Any] | None:
    priors: dict[str, Any] = {}
    if options.edited:
        for name, size in (("cx", seen.width), ("cy", seen.height)):
            if name not in facts.exact_shape:
                priors[name] = (size / 2, CENTRE_STD * size)
    priors |= facts.vague_shape
    return priors or None


def _held(camera: Camera, options: Options, facts: Knowledge) -> tuple[str, ...]:
    """What was not estimated, in words."""
    held = []
    if not options.edited and not {"cx", "cy"} & {*facts.exact_shape, *facts.vague_shape}:
        held.append("centre in the middle")
    if camera.simple or (not options.edited and "aspect" not in facts.exact_shape):
        held.append("square pixels")
    return (*held, *(f"{name} as given" for name in (*facts.exact_scale, *facts.exact_shape)))
