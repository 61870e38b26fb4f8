"""Response to crops: whether a method reads the lens off the picture or recites the lens that is usual.

The middle of a photo, `share` of each side, has a focal length 1/share times as long in its own half diagonals. The
response is the change of the estimated log focal length over the true one: 1 for a method that measures, 0 for one
that always answers the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, log

import numpy as np

from anylens.calibration import Result
from anylens.errors import AnylensError
from anylens.evaluation.bootstrap import DRAWS, bootstrap, median
from anylens.evaluation.figures import Figure
from anylens.evaluation.methods.product import Observer
from anylens.evaluation.sample import Sample
from anylens.evidence import log_focal

SHARES = (0.85, 0.7, 0.5)


def middle(picture: np.ndarray, share: float) -> np.ndarray:
    """The middle of a picture (H, W, 3), to whole pixels and with its own middle where the picture has it."""
    h, w = picture.shape[:2]
    left, top = (int(side * (1 - share) / 2) for side in (w, h))
    return picture[top : h - top, left : w - left]


def measure_response(observer: Observer, sample: Sample) -> dict[str, dict[float, float]]:
    """By configuration and share, the response; 0 where only the crop cannot be calibrated.

    {} where the photo itself cannot be read; without configurations that cannot calibrate it.
    """
    from anylens.images import read_photo

    try:
        whole = read_photo(sample.picture()).rgb
    except (AnylensError, OSError):
        return {}
    found: dict[str, dict[float, float]] = {}
    before = observer.results(whole)
    for share in SHARES:
        part = middle(whole, share)
        true = log(hypot(*whole.shape[:2]) / hypot(*part.shape[:2]))
        for name, result in observer.results(part).items():
            if isinstance(before[name], Result):
                there = log_focal(before[name].camera)
                change = log_focal(result.camera) - there if isinstance(result, Result) else 0.0
                found.setdefault(name, {})[share] = change / true
    return found


def summarise_responses(
    responses: Sequence[dict[str, dict[float, float]]], rng: np.random.Generator, draws: int = DRAWS
) -> dict[str, dict[float, Figure]]:
    """By configuration and share, the median response."""
    rows: dict[str, dict[float, Figure]] = {}
    for name in dict.fromkeys(name for one in responses for name in one):
        rows[name] = {}
        for share in SHARES:
            values = np.array([one[name][share] for one in responses if share in one.get(name, {})])
            if len(values):
                rows[name][share] = Figure(float(median(values)), *bootstrap(values, median, rng, draws))
    return rows
