"""Which camera model a field supports.

Candidates are compared by a Bayesian information criterion in which only the effective number of independent rays
counts:  n log(cost) + 2 p log n,  n = 2 n_eff of the richest candidate (the least structured residuals). Neighbouring
rays share their errors, so counting all of them would always choose the model with the most coefficients; the doubled
penalty stands for smooth errors imitating a coefficient better than white noise could (on simulated smooth errors it
halves wrong choices and costs nothing in angle). A model that folds over inside the image cannot have taken the
picture and goes to the end of the ranking.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anylens.arrays import as_numpy, namespace
from anylens.errors import FitError
from anylens.fitting.single import Fit, fit

CANDIDATES = ("simple_pinhole", "simple_radial:1", "simple_radial:2", "simple_kb:2", "simple_kb:4", "simple_eucm",
              "simple_division:1", "simple_division:2")  # fmt: skip
PENALTY = 2.0


@dataclass(frozen=True)
class Ranked:
    """One candidate: lower scores are better; `folds` if the model is not one-to-one over the image."""

    model: str
    score: float
    folds: bool
    fit: Fit


@dataclass(frozen=True)
class Selection:
    """The candidates, best first."""

    ranking: tuple[Ranked, ...]
    failed: dict[str, str]  # models that could not be fitted, and why

    @property
    def model(self) -> str:
        return self.ranking[0].model

    @property
    def fit(self) -> Fit:
        return self.ranking[0].fit


def select_model(pixels: Any, rays: Any, candidates: Sequence[str] = CANDIDATES, *, width: int, height: int,
                 weights: Any = None, known: dict[str, Any] | None = None) -> Selection:  # fmt: skip
    """Rank camera models for one field (N, 2), (N, 3). Raises FitError if none can be fitted."""
    fits: dict[str, Fit] = {}
    failed: dict[str, str] = {}
    for model in candidates:
        try:
            fits[model] = fit(pixels, rays, model, width=width, height=height, weights=weights, known=known)
        except FitError as error:
            failed[model] = str(error)
    if not fits:
        raise FitError(f"No candidate model could be fitted: {next(iter(failed.values()), 'none was given')}")
    if any(as_numpy(f.cost).ndim for f in fits.values()):
        raise FitError("select_model takes one field at a time.")
    n = 2 * max(float(f.n_eff) for f in fits.values())
    floor = math.radians(0.01) ** 2  # differences below a hundredth of a degree decide nothing
    ranked = []
    for model, f in fits.items():
        free = f._solution.known.ties.shape[1]
        score = n * math.log(float(f.cost) + floor) + PENALTY * free * math.log(max(n, math.e))
        ranked.append(Ranked(model, score, _folds(f), f))
    return Selection(tuple(sorted(ranked, key=lambda r: (r.folds, r.score))), failed)


def _folds(f: Fit) -> bool:
    """Some pixel of the border lies outside the model's domain although its rays were to be explained."""
    problem = f._solution.problem
    xp = namespace(problem.u)
    pixels = xp.stack(
        [problem.u * problem.half + problem.width / 2, problem.v * problem.half + problem.height / 2], axis=-1
    )
    _, valid = f.camera.unproject(pixels)
    return bool(xp.any(~valid & (problem.w > 0)))
