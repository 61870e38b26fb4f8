"""A whole evaluation: estimates of all methods, scores, figures per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from anylens.evaluation.bootstrap import DRAWS
from anylens.evaluation.figures import Summary, summarise, summarise_cameras
from anylens.evaluation.grids import FULL
from anylens.evaluation.grouping import label_of, rows_of
from anylens.evaluation.journal import EstimateJournal
from anylens.evaluation.metrics import Scores
from anylens.evaluation.sample import DataSet, Estimate, Sample
from anylens.evaluation.work import Plan, estimate_held, hold, in_processes, score_photo

Estimates = dict[str, dict[str, Estimate]]  # method -> file -> estimate


@dataclass(frozen=True)
class Evaluation:
    """Everything about one data set: per method and photo the estimate and its scores, per row the figures."""

    data: DataSet
    estimates: Estimates
    scores: dict[str, dict[str, Scores]]
    photos: dict[str, dict[str, Summary]] = field(default_factory=dict)  # row -> method -> figures over photos
    cameras: dict[str, dict[str, Summary]] = field(default_factory=dict)  # row -> method -> figures over cameras
    extra: dict[str, Any] = field(default_factory=dict)  # shared cameras, stability


def estimate(
    samples: Sequence[Sample],
    plan: Plan,
    whole: Sequence[Any] = (),
    *,
    jobs: int = 1,
    journal: EstimateJournal | None = None,
    tick: Callable[[], Any] = lambda: None,
) -> Estimates:
    """Estimates of every method: photo by photo, then the methods that see a whole row of the tables at once."""
    journal = journal or EstimateJournal(None, {})
    names = [c.name for c in plan.configurations] + [m.name for m in plan.others]
    missing = [s for s in samples if s.file not in journal.done or set(journal.done[s.file]) != set(names)]
    for _ in range(len(samples) - len(missing)):
        tick()
    if names and missing:
        for file, found in in_processes(estimate_held, [(s,) for s in missing], jobs, hold, (plan,)):
            journal.add(file, found)
            tick()
    estimates: Estimates = {name: {s.file: journal.done[s.file][name] for s in samples} for name in names}
    for method in whole:
        estimates[method.name] = {}
        for label in dict.fromkeys(map(label_of, samples)):
            part = [s for s in samples if label_of(s) == label]
            estimates[method.name] |= {e.file: e for e in method.run(part)}
    return estimates


def score_all(
    samples: Sequence[Sample], estimates: Estimates, grid: str | int = FULL, jobs: int = 1
) -> dict[str, dict[str, Scores]]:
    """Scores by method and file."""
    items = [(s, {name: found[s.file] for name, found in estimates.items() if s.file in found}) for s in samples]
    scores: dict[str, dict[str, Scores]] = {name: {} for name in estimates}
    chunk = max(1, min(64, len(items) // max(1, 8 * jobs)))
    for sample, found in zip(samples, in_processes(partial(score_photo, grid=grid), items, jobs, chunk=chunk)):
        for name, one in found.items():
            scores[name][sample.file] = one
    return scores


def summaries(
    samples: Sequence[Sample],
    scores: dict[str, dict[str, Scores]],
    pools: Sequence[str] = (),
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> tuple[dict[str, dict[str, Summary]], dict[str, dict[str, Summary]]]:
    """Figures over photos and over cameras, by row and method."""
    photos: dict[str, dict[str, Summary]] = {}
    cameras: dict[str, dict[str, Summary]] = {}
    for label, members in rows_of(samples, pools).items():
        photos[label], cameras[label] = {}, {}
        for method, found in scores.items():
            part = [samples[i] for i in members if samples[i].file in found]
            if not part:
                continue
            row, names = [found[s.file] for s in part], [s.camera for s in part]
            photos[label][method] = summarise(row, np.random.default_rng(seed), draws)
            if len(set(names)) < len(names):
                cameras[label][method] = summarise_cameras(row, names, np.random.default_rng(seed), draws)
    return photos, {label: found for label, found in cameras.items() if found}
