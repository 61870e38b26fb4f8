"""Guesses that do not look at the picture: the best constant angle, COLMAP's default, and the EXIF tag."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from anylens.camera import Camera
from anylens.errors import AnylensError
from anylens.evaluation.sample import Estimate, Sample

COLMAP_FACTOR = 1.2
STEP = 0.25  # degrees between the constants that are tried


def pinhole(sample: Sample, focal: float) -> Camera:
    """A centred pinhole with square pixels."""
    return Camera("simple_pinhole", [focal, sample.width / 2, sample.height / 2], sample.width, sample.height)


class Constant:
    """The one angle that would have been best for these photos: an opponent that knows the answers' distribution.

    side: `width` for one hFoV, `diagonal` for one 35 mm equivalent, which is harder to beat where photos stand and
    lie. The best is the one with the smallest median hFoV error over the given group.
    """

    whole = True

    def __init__(self, side: str = "width"):
        self.side = side
        self.name = "constant" if side == "width" else f"constant-{side}"

    def run(self, samples: Sequence[Sample]) -> Iterator[Estimate]:
        true = np.array([s.hfov_deg for s in samples])
        known = np.isfinite(true)
        widths = np.array([float(s.width) for s in samples])
        sides = widths if self.side == "width" else np.array([math.hypot(s.width, s.height) for s in samples])
        angles = np.arange(10.0, 175.0, STEP)
        focals = sides[None, :] / (2 * np.tan(np.radians(angles)[:, None] / 2))  # (A, N)
        hfovs = np.degrees(2 * np.arctan(widths / (2 * focals)))
        errors = np.median(np.abs(hfovs - true)[:, known], axis=1) if known.any() else np.abs(angles - 60)
        best = int(np.argmin(errors))
        for sample, focal in zip(samples, focals[best]):
            yield Estimate.of(sample.file, pinhole(sample, float(focal)))


class ColmapDefault:
    """COLMAP's guess without EXIF: f = 1.2 x the longer side."""

    name, whole = "colmap", False

    def run(self, samples: Sequence[Sample]) -> Iterator[Estimate]:
        for sample in samples:
            yield Estimate.of(sample.file, pinhole(sample, COLMAP_FACTOR * max(sample.width, sample.height)))


class ExifTag:
    """The focal length of the EXIF tags, where there are any."""

    name, whole = "exif", False

    def run(self, samples: Sequence[Sample]) -> Iterator[Estimate]:
        from anylens.images import read_photo

        for sample in samples:
            try:
                tag = read_photo(sample.picture(), at_least=64).focal
                if tag is None:
                    yield Estimate.failure(sample.file, "no focal length in the EXIF tags")
                else:
                    yield Estimate.of(sample.file, pinhole(sample, tag.focal_px), warnings=tag.doubts)
            except AnylensError as error:
                yield Estimate.failure(sample.file, error)
