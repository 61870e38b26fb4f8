"""Who says what about the focal length: each source's distribution and their sum, over 35 mm equivalents."""

from __future__ import annotations

from typing import Any

import numpy as np

from anylens.calibration.result import Result
from anylens.evidence import BINS, CENTRES, HALF_DIAGONAL_MM, LOW, STEP, normalise
from anylens.plotting.paper import INK, SOFT, SOURCES

TICKS = (5, 7, 10, 14, 20, 28, 35, 50, 70, 100, 140)
WORDS = {"known": "you", "photos": "all photos", "exif": "EXIF"}


def draw_evidence(axes: Any, result: Result) -> None:
    terms = result.evidence.terms
    total = np.exp(normalise(result.evidence.log_prob))
    axes.fill_between(CENTRES, total / total.max(), color=INK, alpha=0.14, lw=0)
    axes.plot(CENTRES, total / total.max(), color=INK, lw=1.8, label="together")
    for name, term in terms.items():
        p = np.exp(normalise(term))
        axes.plot(CENTRES, p / p.max(), color=SOURCES.get(name, SOFT), lw=1.4, label=WORDS.get(name, name))
    seen = np.flatnonzero(
        np.max([np.exp(normalise(t)) * BINS for t in (*terms.values(), result.evidence.log_prob)], 0) > 0.6
    )
    low = LOW + STEP * max(0, seen[0] - 2)
    high = LOW + STEP * min(BINS, seen[-1] + 3)
    axes.set_xlim(low, high)
    axes.set_ylim(0, 1.32)
    at = np.log(np.array(TICKS) / HALF_DIAGONAL_MM)
    axes.set_xticks([a for a in at if low <= a <= high], [f"{t}" for t, a in zip(TICKS, at) if low <= a <= high])
    axes.tick_params(colors=SOFT, labelsize=8, length=3)
    axes.set_yticks([])
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(SOFT)
    axes.set_title("focal length in mm (35 mm equivalent)", fontsize=10, color=SOFT, loc="left")
    axes.legend(frameon=False, fontsize=8.5, loc="upper left", labelcolor=INK, handlelength=1.2, ncols=3)
