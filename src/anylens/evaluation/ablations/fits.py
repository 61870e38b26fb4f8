"""Ways to fit a field, and their scores: RANSAC against the non-minimal fit, refinement steps, field resolution."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anylens.errors import FitError
from anylens.evaluation.ablations.fields import Field
from anylens.evaluation.metrics import Scorer, Scores
from anylens.evaluation.sample import Estimate
from anylens.fitting.ransac import fit_ransac
from anylens.fitting.refine import PAPER, Schedule
from anylens.fitting.single import fit


@dataclass(frozen=True)
class FitVariant:
    """model: identifier. steps: of damped refinement, 0 for the closed form alone; None as usual. ransac: minimal
    samples first. paper: five undamped steps. finer: how many times finer the field is made before the fit."""

    name: str
    model: str = "kb:4"
    steps: int | None = None
    ransac: bool = False
    paper: bool = False
    finer: int = 1
    centred: bool = False

    def __call__(self, field: Field) -> Any:
        """The fitted camera. Raises FitError."""
        field = field.finer(self.finer)
        w, h = field.sample.width, field.sample.height
        known = {"cx": w / 2, "cy": h / 2} if self.centred else None
        if self.ransac:
            return fit_ransac(field.pixels, field.rays, self.model, width=w, height=h, weights=field.weights,
                              known=known, rng=np.random.default_rng(0), refine=self.steps != 0)[0].camera  # fmt: skip
        how: Any = True if self.steps is None else Schedule(steps=self.steps) if self.steps else False
        how = PAPER if self.paper else how
        return fit(field.pixels, field.rays, self.model, width=w, height=h, weights=field.weights, known=known,
                   refine=how).camera  # fmt: skip


FITS: dict[str, tuple[FitVariant, ...]] = {
    "ransac": (
        FitVariant("non-minimal, closed form", steps=0),
        FitVariant("RANSAC, closed form", ransac=True, steps=0),
        FitVariant("non-minimal, refined"),
        FitVariant("RANSAC, refined", ransac=True),
    ),
    "steps": (
        *(FitVariant(f"{n} steps", steps=n) for n in (0, 1, 2, 5, 10, 30)),
        FitVariant("5 undamped steps", paper=True),
    ),
    "field-resolution": (FitVariant("as the network gives it"), FitVariant("7 times finer", finer=7)),
}


def with_model(variants: Iterable[FitVariant], model: str, centred: bool) -> list[FitVariant]:
    return [replace(v, model=model, centred=centred) for v in variants]


def run_fits(
    variants: list[FitVariant], fields: Iterable[Field | None], grid: str | int, tick: Callable[[], Any] = lambda: None
) -> tuple[dict[str, list[Scores]], dict[str, float]]:
    """Scores of every variant over the fields, and its median milliseconds; photos without a field are left out."""
    scores: dict[str, list[Scores]] = {v.name: [] for v in variants}
    times: dict[str, list[float]] = {v.name: [] for v in variants}
    for field in fields:
        tick()
        if field is None:
            continue
        scorer = Scorer(field.sample, grid)
        for variant in variants:
            start = time.perf_counter()
            try:
                estimate = Estimate.of(field.sample.file, variant(field))
            except FitError as error:
                estimate = Estimate.failure(field.sample.file, error)
            times[variant.name].append(1e3 * (time.perf_counter() - start))
            scores[variant.name].append(scorer.score(estimate))
    return scores, {name: float(np.median(t)) for name, t in times.items() if t}
