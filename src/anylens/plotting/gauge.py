"""The horizontal field of view as a wedge seen from above, with its interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from anylens.calibration.result import Result
from anylens.plotting.paper import CAMERA, INK, PALE, SOFT, bare


def draw_gauge(axes: Any, result: Result) -> None:
    """A wedge of the estimated angle; the paler part is the 68 % interval."""
    from matplotlib.patches import Wedge

    low, high = result.hfov_interval_deg
    value = result.hfov_deg
    ring = 1.0
    axes.add_patch(Wedge((0, 0), ring, -90, 270, width=0.03, color=PALE, lw=0))
    axes.add_patch(Wedge((0, 0), ring, 90 - high / 2, 90 + high / 2, color=CAMERA, alpha=0.22, lw=0))
    axes.add_patch(Wedge((0, 0), ring, 90 - low / 2, 90 + low / 2, color=CAMERA, alpha=0.45, lw=0))
    for side in (-1, 1):
        a = np.radians(90 + side * value / 2)
        axes.plot([0, np.cos(a)], [0, np.sin(a)], color=INK, lw=1.6)
    for tick in range(-180, 180, 30):
        a = np.radians(90 + tick)
        axes.plot([0.97 * np.cos(a), np.cos(a)], [0.97 * np.sin(a), np.sin(a)], color=SOFT, lw=0.8)
    axes.plot(0, 0, "o", color=INK, ms=6)
    down = -0.32 if value < 200 else -1.32
    axes.text(0, down, f"{value:.1f}°", ha="center", va="center", fontsize=21, color=INK, weight="bold")
    axes.text(0, down - 0.26, f"{low:.1f}° to {high:.1f}°  (68 %)", ha="center", va="center", fontsize=9.5, color=SOFT)
    axes.set_xlim(-1.15, 1.15)
    axes.set_ylim(min(-1.05, down - 0.45), 1.08)
    axes.set_aspect("equal")
    axes.set_title("horizontal field of view", fontsize=10, color=SOFT, loc="left")
    bare(axes)
