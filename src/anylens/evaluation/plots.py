"""Plots of an evaluation: error against field of view, cumulative errors, reliability of the stated intervals.

They need matplotlib (anylens[plot]).
"""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from anylens.evaluation.run import Evaluation

WIDEST = 20.0  # degrees on the axis of cumulative errors
LEVELS = np.linspace(0.05, 0.95, 19)


def write_plots(found: Evaluation, folder: Path) -> list[Path]:
    """error_against_fov.png, cumulative.png and, where intervals are stated, reliability.png. Raises ImportError."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {"error_against_fov.png": draw_against_fov, "cumulative.png": draw_cumulative}
    if any(s.covered is not None for by_file in found.scores.values() for s in by_file.values()):
        drawn["reliability.png"] = draw_reliability
    return [_write(folder / name, draw, found) for name, draw in drawn.items()]


def draw_against_fov(axes: Any, found: Evaluation) -> None:
    """Each photo's absolute hFoV error over its true hFoV, with a running median of a fifth of the photos."""
    true = {s.file: s.hfov_deg for s in found.data.samples}
    for name, by_file in found.scores.items():
        pairs = np.array([(true[f], s.errors["hfov_deg"]) for f, s in by_file.items()])
        pairs = pairs[np.isfinite(pairs).all(axis=1)]
        if not len(pairs):
            continue
        pairs = pairs[np.argsort(pairs[:, 0])]
        [dots] = axes.plot(pairs[:, 0], np.maximum(pairs[:, 1], 0.01), ".", ms=3, alpha=0.4)
        size = max(3, len(pairs) // 5)
        if len(pairs) >= size:
            parts = np.lib.stride_tricks.sliding_window_view(pairs, size, axis=0)
            axes.plot(parts[:, 0].mean(axis=-1), np.median(parts[:, 1], axis=-1), color=dots.get_color(), label=name)
    axes.set(xlabel="true hFoV (°)", ylabel="hFoV error (°)", yscale="log")
    axes.legend(fontsize=7)


def draw_cumulative(axes: Any, found: Evaluation) -> None:
    """Share of photos below each error; failures never count as below."""
    for name, by_file in found.scores.items():
        errors = np.array([s.errors["hfov_deg"] for s in by_file.values()])
        errors = np.sort(errors[~np.isnan(errors)])
        if len(errors):
            below = errors[np.isfinite(errors)]
            recall = np.append(np.arange(len(below) + 1), len(below)) / len(errors)
            end = max(WIDEST, float(below[-1])) if len(below) else WIDEST
            axes.step([0, *below, end], recall, where="post", label=name)
    axes.set(xlabel="hFoV error (°)", ylabel="share of photos", xlim=(0, WIDEST), ylim=(0, 1))
    axes.legend(fontsize=7)


def draw_reliability(axes: Any, found: Evaluation) -> None:
    """Share of photos inside central intervals of every level, from the stated 68 % taken as ±1 deviation."""
    axes.plot([0, 1], [0, 1], color="0.7", lw=1)
    for name, by_file in found.scores.items():
        z = np.array([abs(s.signed_deg) / (s.width_deg / 2) for s in by_file.values() if s.covered is not None])
        if len(z):
            axes.plot(LEVELS, reliability(z), label=name)
    axes.set(xlabel="stated probability", ylabel="share of photos inside", xlim=(0, 1), ylim=(0, 1))
    axes.legend(fontsize=7)


def reliability(z: np.ndarray) -> np.ndarray:
    """Share of |errors| z, in deviations, inside each central interval of `LEVELS`."""
    reach = np.array([NormalDist().inv_cdf((1 + level) / 2) for level in LEVELS])
    return (z[None, :] <= reach[:, None]).mean(axis=1)


def _write(path: Path, draw: Any, found: Evaluation) -> Path:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(6, 4.2), layout="constrained")
    FigureCanvasAgg(canvas)
    axes = canvas.subplots()
    draw(axes, found)
    axes.set_title(found.data.name, fontsize=9)
    axes.grid(alpha=0.3)
    canvas.savefig(path, dpi=130)
    return path
