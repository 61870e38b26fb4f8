"""The further experiments of `anylens evaluate`: shared cameras, stability and crops, as figures and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anylens.evaluation.crops import measure_response, summarise_responses
from anylens.evaluation.figures import Summary, summarise
from anylens.evaluation.grouping import rows_of
from anylens.evaluation.metrics import Scores
from anylens.evaluation.run import score_all
from anylens.evaluation.sample import Sample
from anylens.evaluation.shared import LEAST, camera_groups, estimate_shared
from anylens.evaluation.stability import measure_shifts, summarise_shifts
from anylens.evaluation.tables import align, number
from anylens.evaluation.work import Plan, hold, in_processes
from anylens.evaluation.work import held as _observer

Tick = Callable[[], Any]


def run_shared(
    samples: Sequence[Sample], plan: Plan, alone: dict[str, dict[str, Scores]], *, grid: str | int, jobs: int,
    seed: int, draws: int, tick: Tick = lambda: None,
) -> dict[str, dict[str, Summary]]:  # fmt: skip
    """Figures of photos whose camera has at least four, alone and together, per configuration; {} without such."""
    groups = camera_groups(samples)
    together: dict[str, dict[str, Any]] = {}
    for found in in_processes(_shared_group, [(group,) for group in groups], jobs, hold, (plan,)):
        for name, estimates in found.items():
            together.setdefault(name, {}).update(estimates)
        tick()
    members = [s for group in groups for s in group]
    scores = score_all(members, together, grid, jobs)
    rows: dict[str, dict[str, Summary]] = {}
    for label, at in rows_of(members).items() if members else ():
        rows[label] = {}
        for name in together:
            files = [members[i].file for i in at]
            pairs = ((name, alone[name]), (f"{name}, shared", scores[name]))
            for title, by_file in pairs:
                row = [by_file[file] for file in files if file in by_file]
                if row:
                    rows[label][title] = summarise(row, np.random.default_rng(seed), draws)
    return rows


def run_stability(samples: Sequence[Sample], plan: Plan, pools: Sequence[str], **how: Any) -> dict[str, Any]:
    """By row and configuration the shifts of hFoV; `how` as for `_by_row`."""
    return _by_row(_shifts, summarise_shifts, samples, plan, pools, **how)


def run_crops(samples: Sequence[Sample], plan: Plan, pools: Sequence[str], **how: Any) -> dict[str, Any]:
    """By row and configuration the responses to crops; `how` as for `_by_row`."""
    return _by_row(_responses, summarise_responses, samples, plan, pools, **how)


def _by_row(
    measure: Callable, summarise: Callable, samples: Sequence[Sample], plan: Plan, pools: Sequence[str], *, jobs: int,
    seed: int, draws: int, tick: Tick = lambda: None,
) -> dict[str, Any]:  # fmt: skip
    """What `measure` finds in every sample, summarised for each row of the table."""
    found = []
    for one in in_processes(measure, [(s,) for s in samples], jobs, hold, (plan,)):
        found.append(one)
        tick()
    return {
        label: summarise([found[i] for i in at], np.random.default_rng(seed), draws)
        for label, at in rows_of(samples, pools).items()
    }


def stability_table(found: dict[str, Any]) -> str:
    """Signed and absolute median shifts, one line per row, configuration and change."""
    lines = [["shift of hFoV, medians", "change", "signed °", "absolute °"]]
    for label, methods in found.items():
        for name, changes in methods.items():
            for change, f in changes.items():
                lines.append([f"{label}: {name}", change, number(f["signed_deg"].value, 2),
                              number(f["absolute_deg"].value, 2)])  # fmt: skip
    return align(lines)


def crops_table(found: dict[str, Any]) -> str:
    """Median response to each crop, with its interval."""
    lines = [["change of log focal length over the true one", "middle", "response", "95 %"]]
    for label, methods in found.items():
        for name, shares in methods.items():
            for share, f in shares.items():
                interval = f"{number(f.low, 2)}–{number(f.high, 2)}"
                lines.append([f"{label}: {name}", f"{share:.0%}", number(f.value, 2), interval])
    return align(lines)


def shared_title() -> str:
    return f"Cameras with at least {LEAST} photos: each photo alone, and all photos of a camera together"


def _shared_group(group: list[Sample]) -> dict[str, Any]:
    return estimate_shared(_observer(), group)


def _shifts(sample: Sample) -> dict[str, dict[str, float]]:
    return measure_shifts(_observer(), sample)


def _responses(sample: Sample) -> dict[str, dict[float, float]]:
    return measure_response(_observer(), sample)
