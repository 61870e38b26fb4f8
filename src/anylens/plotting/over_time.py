"""The field of view of a video over time, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anylens.calibration.result import Result
from anylens.plotting.paper import CAMERA, INK, PALE, SOFT, new_figure, save


def write_over_time(results: Sequence[Result], seconds: Sequence[float], path: str | Path, title: str) -> None:
    """Write a PNG of the horizontal field of view of each frame at its time."""
    figure = new_figure(10, 4.6)
    axes = figure.add_axes((0.075, 0.13, 0.9, 0.73))
    low, high = zip(*(r.hfov_interval_deg for r in results))
    axes.fill_between(seconds, low, high, color=CAMERA, alpha=0.25, lw=0, label="68 % interval")
    axes.plot(seconds, [r.hfov_deg for r in results], "o-", color=INK, ms=4, lw=1.6, label="horizontal field of view")
    axes.grid(color=PALE, lw=0.8)
    axes.set_xlabel("seconds", color=SOFT)
    axes.set_ylabel("degrees", color=SOFT)
    axes.tick_params(colors=SOFT)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.text(0.075, 0.92, Path(title).name, fontsize=14, weight="bold", color=INK)
    axes.legend(frameon=False, fontsize=9)
    save(figure, path)
