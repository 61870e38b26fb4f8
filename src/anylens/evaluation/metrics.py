"""The errors of one photograph, whatever models the two cameras are in.

    AE  = mean over pixels x of  ∠(π_true⁻¹(x), π_est⁻¹(x))                degrees
    RE  = mean over pixels x of  ‖π_est(π_true⁻¹(x)) − x‖                  pixels of the original size
    hFoV, vFoV  absolute difference of the angles between the borders       degrees
    e_f = max relative error of fx, fy        e_c = 2 max(|Δcx|/W, |Δcy|/H)

over the pixels where both cameras are defined. A failed estimate has infinite errors; NaN marks a figure that the
truth or the estimate does not define (angles alone have no AE). Focal lengths are paraxial, so models compare.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.evaluation.borders import TAG, find_black_border, visible_at, visible_span
from anylens.evaluation.grids import FULL, grid_points, project, unproject
from anylens.evaluation.sample import Estimate, Sample
from anylens.evaluation.truth import angle_across, centre, fields_of_view, paraxial_focals
from anylens.field import angle_between

ERRORS = ("ae_deg", "re_px", "hfov_deg", "vfov_deg", "e_f", "e_c")


@dataclass(frozen=True)
class Scores:
    """Errors of one estimate by the names of `ERRORS`; `signed_deg` is hFoV estimated minus true.

    covered: whether the stated interval holds the true hFoV; None without an interval. width_deg: of that interval.
    """

    file: str
    errors: dict[str, float]
    failed: bool = False
    signed_deg: float = math.nan
    covered: bool | None = None
    width_deg: float = math.nan


class Scorer:
    """The truth of one photo, prepared once for the estimates of all methods."""

    def __init__(self, sample: Sample, grid: str | int = FULL, border: np.ndarray | None = None):
        self.sample = sample
        self.border = _border(sample) if border is None and TAG in sample.tags else border
        truth = sample.truth
        if truth is None:
            self.angles: tuple[float, ...] = (sample.hfov_deg, sample.vfov_deg)
            return
        self.spans = self._spans()
        whole = (sample.hfov_deg, sample.vfov_deg)
        if not all(map(math.isfinite, whole)):
            whole = fields_of_view(truth)
        self.angles = tuple(
            angle if span is None else _between(truth, span, axis)
            for axis, (angle, span) in enumerate(zip(whole, self.spans))
        )
        self.points = grid_points(sample.width, sample.height, grid).reshape(-1, 2)
        self.rays, self.valid = unproject(truth, self.points)
        if self.border is not None:
            self.valid = self.valid & visible_at(self.border, self.points, sample.width, sample.height)

    def score(self, estimate: Estimate) -> Scores:
        """The errors of one estimate."""
        if estimate.error:
            return self._failure()
        camera = estimate.camera
        if camera is None:
            return self._angles_alone(estimate)
        camera = self._sized(camera)
        if not np.isfinite(np.asarray(camera.params)).all():
            return self._failure()
        found: tuple[float, ...] = (estimate.hfov_deg, estimate.vfov_deg)
        if not all(map(math.isfinite, found)):
            found = fields_of_view(camera)
        errors = dict.fromkeys(ERRORS, math.nan)
        if self.sample.truth is not None:
            found = tuple(
                a if span is None else _between(camera, span, axis)
                for axis, (a, span) in enumerate(zip(found, self.spans))
            )
            errors |= self._over_pixels(camera) | self._intrinsics(camera)
        signed = [a - b for a, b in zip(found, self.angles)]
        errors["hfov_deg"], errors["vfov_deg"] = (
            abs(v) if math.isfinite(v) or not math.isfinite(t) else math.inf for v, t in zip(signed, self.angles)
        )
        return self._with_interval(estimate, errors, signed[0])

    def _over_pixels(self, camera: Camera) -> dict[str, float]:
        rays, valid = unproject(camera, self.points)
        both = valid & self.valid
        pixels, inside = project(camera, self.rays)
        inside = inside & both
        ae = np.degrees(np.asarray(angle_between(self.rays, rays)))[both]
        re = np.linalg.norm(pixels - self.points, axis=-1)[inside]
        return {
            "ae_deg": float(ae.mean()) if len(ae) else math.inf,
            "re_px": float(re.mean()) if len(re) else math.inf,
        }

    def _intrinsics(self, camera: Camera) -> dict[str, float]:
        assert self.sample.truth is not None
        true, found = paraxial_focals(self.sample.truth), paraxial_focals(camera)
        c_true, c_found = centre(self.sample.truth), centre(camera)
        shift = [abs(a - b) / size for a, b, size in zip(c_found, c_true, (self.sample.width, self.sample.height))]
        return {"e_f": max(abs(a - b) / b for a, b in zip(found, true)), "e_c": 2 * max(shift)}

    def _angles_alone(self, estimate: Estimate) -> Scores:
        errors = dict.fromkeys(ERRORS, math.nan)
        if self.border is None:
            errors["hfov_deg"] = abs(estimate.hfov_deg - self.angles[0])
            errors["vfov_deg"] = abs(estimate.vfov_deg - self.angles[1])
        return self._with_interval(estimate, errors, estimate.hfov_deg - self.angles[0])

    def _with_interval(self, estimate: Estimate, errors: dict[str, float], signed: float) -> Scores:
        covered, width = None, math.nan
        if estimate.interval is not None and self.border is None and math.isfinite(self.angles[0]):
            low, high = estimate.interval
            covered, width = bool(low <= self.angles[0] <= high), high - low
        return Scores(self.sample.file, errors, False, signed, covered, width)

    def _failure(self) -> Scores:
        known = self.sample.truth is not None
        defined = [known, known, *(math.isfinite(a) for a in self.angles), known, known]
        return Scores(self.sample.file, {n: math.inf if d else math.nan for n, d in zip(ERRORS, defined)}, True)

    def _sized(self, camera: Camera) -> Camera:
        same = (camera.width, camera.height) == (self.sample.width, self.sample.height)
        return camera if same else camera.resize(self.sample.width, self.sample.height)

    def _spans(self) -> tuple[Any, Any]:
        """Visible row and column through the true principal point; None where the whole photo counts."""
        if self.border is None or self.sample.truth is None or not self.border.any():
            return None, None
        cx, cy = centre(self.sample.truth)
        size = self.sample.width, self.sample.height
        spans = [visible_span(self.border, at, axis, *size) for axis, at in enumerate((cy, cx))]
        ends = [None if s is None else ((s[0], cy), (s[1], cy)) if i == 0 else ((cx, s[0]), (cx, s[1]))
                for i, s in enumerate(spans)]  # fmt: skip
        return ends[0], ends[1]


def score(sample: Sample, estimates: Sequence[Estimate], grid: str | int = FULL) -> list[Scores]:
    """The errors of several estimates of one photo."""
    scorer = Scorer(sample, grid)
    return [scorer.score(estimate) for estimate in estimates]


def _between(camera: Any, ends: tuple[tuple[float, float], tuple[float, float]], axis: int) -> float:
    """Angle across two visible pixels, along the camera's own principal row or column."""
    own = centre(camera)[1 - axis]
    first, second = (((e[0], own) if axis == 0 else (own, e[1])) for e in ends)
    return angle_across(camera, first, second)


def _border(sample: Sample) -> np.ndarray | None:
    from anylens.images import read_photo

    return find_black_border(read_photo(sample.picture()).rgb)
