"""Stability: what must not move the answer (size, softness, sharpening, compression) and how far it does.

Each photo is changed in one way at a time, and in all ways one after the other; the shift is the hFoV of the changed
photo minus that of the photo itself.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image, ImageFilter

from anylens.errors import AnylensError
from anylens.evaluation.bootstrap import DRAWS, bootstrap, median
from anylens.evaluation.figures import Figure
from anylens.evaluation.methods.product import Observer
from anylens.evaluation.sample import Sample

SMALL = 288
EVERY = "each change"
ROW = "all in a row"


def shrink(picture: Image.Image) -> Image.Image:
    """The longer side to 288 pixels."""
    share = SMALL / max(picture.size)
    if share >= 1:
        return picture
    return picture.resize([max(1, round(s * share)) for s in picture.size], Image.Resampling.LANCZOS)  # type: ignore[arg-type]


def compress(picture: Image.Image) -> Image.Image:
    """Through JPEG of quality 50."""
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=50)
    return Image.open(io.BytesIO(buffer.getvalue())).convert("RGB")


CHANGES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "shrunk to 288": shrink,
    "blurred 0.5 px": lambda picture: picture.filter(ImageFilter.GaussianBlur(0.5)),
    "sharpened": lambda picture: picture.filter(ImageFilter.UnsharpMask(1.0, 80, 0)),
    "JPEG 50": compress,
}


def change_in_a_row(picture: Image.Image) -> Image.Image:
    """Shrunk, blurred, sharpened and compressed."""
    for apply in CHANGES.values():
        picture = apply(picture)
    return picture


def measure_shifts(observer: Observer, sample: Sample) -> dict[str, dict[str, float]]:
    """By configuration and change, the shift of hFoV in degrees; infinite where only the changed photo fails.

    {} where the photo itself cannot be read or calibrated.
    """
    from anylens.images import read_photo

    try:
        picture = Image.fromarray(read_photo(sample.picture()).rgb)
    except (AnylensError, OSError):
        return {}
    before = {name: _angle(result) for name, result in observer.results(np.asarray(picture)).items()}
    shifts: dict[str, dict[str, float]] = {name: {} for name, angle in before.items() if np.isfinite(angle)}
    for change, apply in {**CHANGES, ROW: change_in_a_row}.items():
        after = observer.results(np.asarray(apply(picture)))
        for name in shifts:
            shift = _angle(after[name]) - before[name]
            shifts[name][change] = shift if np.isfinite(shift) else np.inf
    return shifts


def summarise_shifts(
    shifts: Sequence[dict[str, dict[str, float]]], rng: np.random.Generator, draws: int = DRAWS
) -> dict[str, dict[str, dict[str, Figure]]]:
    """By configuration and change (each of them pooled, and all in a row): signed and absolute median shift."""
    found: dict[str, dict[str, dict[str, Figure]]] = {}
    for name in dict.fromkeys(name for one in shifts for name in one):
        rows = [one[name] for one in shifts if name in one]
        found[name] = {}
        for change in (*CHANGES, EVERY, ROW):
            values = np.array([r[c] for r in rows for c in (CHANGES if change == EVERY else (change,))])
            found[name][change] = {
                "signed_deg": _figure(values, rng, draws),
                "absolute_deg": _figure(np.abs(values), rng, draws),
            }
    return found


def _figure(values: np.ndarray, rng: np.random.Generator, draws: int) -> Figure:
    return Figure(float(median(values)), *bootstrap(values, median, rng, draws))


def _angle(result: object) -> float:
    return float(getattr(result, "hfov_deg", np.nan))
