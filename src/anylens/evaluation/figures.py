"""Figures of many photographs: medians, recall areas, coverage and ranking of the stated doubt, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from anylens.evaluation.bootstrap import DRAWS, bootstrap, bootstrap_ordered, median, upper
from anylens.evaluation.metrics import ERRORS, Scores
from anylens.evaluation.recall import LIMITS, auc_exact, auc_published

LARGEST_ERROR = 180.0  # degrees: what a failure counts in means, which infinity would swallow


@dataclass(frozen=True)
class Figure:
    """A value and the ends of its 95 % bootstrap interval; NaN where there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Summary:
    """Figures by name of `count` photos (or cameras) of which `failed` have no estimate."""

    count: int
    failed: int
    figures: dict[str, Figure] = field(default_factory=dict)

    def value(self, name: str) -> float:
        return self.figures[name].value if name in self.figures else math.nan


def summarise(scores: Sequence[Scores], rng: np.random.Generator, draws: int = DRAWS) -> Summary:
    """Figures over photos, each counting once.

    For every error its median; for hFoV and vFoV also the 80th percentile and both recall areas; the signed median
    of hFoV; coverage of the stated intervals; area under the risk-coverage curve beside what a random order gives.
    """
    named = {name: np.array([s.errors[name] for s in scores]) for name in ERRORS}
    found = _of_errors(named, rng, draws)
    signed = np.array([s.signed_deg for s in scores])
    signed = signed[np.isfinite(signed)]
    if len(signed):
        found["hfov_bias_deg"] = _figure(signed, median, rng, draws)
    found |= _of_doubt(scores, rng, draws)
    return Summary(len(scores), sum(s.failed for s in scores), found)


def summarise_cameras(
    scores: Sequence[Scores], cameras: Sequence[str], rng: np.random.Generator, draws: int = DRAWS
) -> Summary:
    """Figures over cameras: the mean error of each camera's photos counts once, infinite if one of them failed."""
    order = sorted(set(cameras))
    rows = {camera: [s for s, c in zip(scores, cameras) if c == camera] for camera in order}
    named = {
        name: np.array([np.mean([s.errors[name] for s in rows[camera]]) for camera in order]) for name in ERRORS
    }  # fmt: skip
    return Summary(
        len(order), sum(all(s.failed for s in part) for part in rows.values()), _of_errors(named, rng, draws)
    )


def risk_coverage(errors: np.ndarray, doubt: np.ndarray) -> np.ndarray:
    """Area under the risk-coverage curve, (...) of errors (..., N): mean over k of the mean error of the k surest."""
    order = np.argsort(doubt, axis=-1, kind="stable")
    risk = np.cumsum(np.take_along_axis(errors, order, axis=-1), axis=-1)
    return (risk / np.arange(1, errors.shape[-1] + 1)).mean(axis=-1)


def _of_errors(named: dict[str, np.ndarray], rng: np.random.Generator, draws: int) -> dict[str, Figure]:
    found: dict[str, Figure] = {}
    for name, errors in named.items():
        errors = np.sort(errors[~np.isnan(errors)])
        if not len(errors):
            continue
        figures: dict[str, Callable[[np.ndarray], np.ndarray]] = {name: median}
        if name in ("hfov_deg", "vfov_deg"):
            short = name.removesuffix("_deg")
            figures[f"{short}_p80_deg"] = upper
            for limit in LIMITS:
                figures[f"{short}_auc{limit}"] = partial(
                    _percent, area=partial(auc_published, ordered=True), limit=limit
                )
                figures[f"{short}_auc_exact{limit}"] = partial(_percent, area=auc_exact, limit=limit)
        intervals = bootstrap_ordered(errors, figures, rng, draws)
        found |= {key: Figure(float(call(errors)), *intervals[key]) for key, call in figures.items()}
    return found


def _percent(errors: np.ndarray, area: Callable[..., np.ndarray], limit: float) -> np.ndarray:
    return 100 * area(errors, limit)


def _of_doubt(scores: Sequence[Scores], rng: np.random.Generator, draws: int) -> dict[str, Figure]:
    """Share of photos whose stated 68 % interval holds the truth, and how well its width ranks the errors."""
    stated = [s for s in scores if s.covered is not None]
    if not stated:
        return {}
    inside = _figure(np.array([100.0 * bool(s.covered) for s in stated]), _mean, rng, draws)
    errors = np.minimum([s.errors["hfov_deg"] for s in stated], LARGEST_ERROR)
    both = np.stack([errors, [s.width_deg for s in stated]], axis=-1)  # (N, 2), drawn together
    low, high = bootstrap(both, _area_of_pairs, rng, draws)
    at_random = _figure(errors, _mean, rng, draws)
    return {
        "coverage68": inside,
        "risk_coverage_deg": Figure(float(_area_of_pairs(both)), low, high),
        "risk_random_deg": at_random,
    }


def _mean(values: np.ndarray) -> np.ndarray:
    return values.mean(axis=-1)


def _area_of_pairs(pairs: np.ndarray) -> np.ndarray:
    return risk_coverage(pairs[..., 0], pairs[..., 1])


def _figure(
    values: np.ndarray, figure: Callable[[np.ndarray], np.ndarray], rng: np.random.Generator, draws: int
) -> Figure:
    low, high = bootstrap(values, figure, rng, draws)
    return Figure(float(figure(values)), low, high)
