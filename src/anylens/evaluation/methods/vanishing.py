"""The geometric baseline: OpenCV's line segments and a robust Manhattan fit, nothing learned."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from anylens.errors import AnylensError
from anylens.evaluation.methods.guesses import pinhole
from anylens.evaluation.methods.manhattan import fit_manhattan
from anylens.evaluation.sample import Estimate, Sample

LONGER_SIDE = 960  # pixels at which segments are sought
SHORTEST = 0.02  # of the diagonal


class VanishingPoints:
    """A centred pinhole with square pixels from vanishing points. Needs OpenCV (anylens[opencv])."""

    name, whole = "vanishing-points", False

    def __init__(self, seed: int = 0):
        import cv2  # noqa: F401  an ImportError here is what tells that the method is to be skipped

        self.seed = seed

    def run(self, samples: Sequence[Sample]) -> Iterator[Estimate]:
        from anylens.images import read_photo

        for sample in samples:
            try:
                rgb = read_photo(sample.picture(), at_least=LONGER_SIDE).rgb
            except AnylensError as error:
                yield Estimate.failure(sample.file, error)
                continue
            found = fit_manhattan(self.segments(rgb), np.random.default_rng(self.seed))
            if found is None:
                yield Estimate.failure(sample.file, "too few line segments")
            else:
                focal = found.focal * math.hypot(sample.width, sample.height) / 2
                yield Estimate.of(sample.file, pinhole(sample, focal))

    def segments(self, rgb: np.ndarray) -> np.ndarray:
        """Segments (N, 4) of a picture, centred, in half diagonals."""
        import cv2

        grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
        share = LONGER_SIDE / max(grey.shape)
        if share < 1:
            grey = cv2.resize(grey, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        lines = cv2.createLineSegmentDetector().detect(grey)[0]
        if lines is None:
            return np.zeros((0, 4))
        h, w = grey.shape
        half = math.hypot(w, h) / 2
        points = (np.asarray(lines, dtype=float).reshape(-1, 4) + 0.5 - np.array([w, h, w, h]) / 2) / half
        long = np.hypot(points[:, 2] - points[:, 0], points[:, 3] - points[:, 1]) > 2 * SHORTEST
        return points[long]
