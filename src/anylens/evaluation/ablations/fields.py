"""Fields to fit: the network's own of a data set's photos, or true ones with smooth errors of a known size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.calibration import Calibrator, Options
from anylens.errors import AnylensError
from anylens.evaluation.sample import Sample
from anylens.field import field_to_rays, rays_to_field

CELLS = 20  # per side of a simulated field
WAVES = 24


@dataclass(frozen=True)
class Field:
    """pixels (N, 2), rays (N, 3) and weights (N,) on a grid (rows, cols) of one photo."""

    sample: Sample
    grid: tuple[int, int]
    pixels: np.ndarray
    rays: np.ndarray
    weights: np.ndarray

    def finer(self, times: int) -> Field:
        """The field on a grid `times` as fine, interpolated linearly (it is Euclidean), as at full resolution."""
        rows, cols = self.grid
        if times <= 1 or min(rows, cols) < 2:
            return self
        v, u = (np.clip((np.arange(n * times) + 0.5) / times - 0.5, 0, n - 1) for n in (rows, cols))
        field = rays_to_field(self.rays)
        layers = [
            _resample(a.reshape(rows, cols), v, u) for a in (*np.moveaxis(np.asarray(field), -1, 0), *self.pixels.T)
        ]
        weights = _resample(self.weights.reshape(rows, cols), v, u)
        rays = np.asarray(field_to_rays(np.stack(layers[:2], axis=-1).reshape(-1, 2)))
        pixels = np.stack(layers[2:], axis=-1).reshape(-1, 2)
        return Field(self.sample, (len(v), len(u)), pixels, rays, weights.ravel())


def seen_fields(
    samples: Sequence[Sample], weights: str | None, area: int | None = None, predictor: Any = None
) -> Iterator[Field | None]:
    """The network's field of every photo; None where it cannot be read. `area`: pixels of the network's picture."""
    calibrator = Calibrator(weights, batch=1, predictor=predictor)
    if area is not None:
        calibrator.predictor().plan = _planner(calibrator.predictor(), area)
    for sample in samples:
        try:
            [seen] = calibrator.observe([sample.picture()], Options(edges=False, exif="ignore"))
            yield Field(sample, seen.grid, seen.pixels, seen.rays, seen.weights)
        except (AnylensError, OSError):
            yield None


def noisy_fields(samples: Sequence[Sample], noise_deg: float, seed: int = 0) -> Iterator[Field | None]:
    """True fields with smooth errors (waves across the picture) of `noise_deg` in root mean square, in the field."""
    for number, sample in enumerate(samples):
        if sample.truth is None:
            yield None
            continue
        rng = np.random.default_rng((seed, number))
        x, y = ((np.arange(CELLS) + 0.5) * size / CELLS for size in (sample.width, sample.height))
        pixels = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        rays, valid = sample.truth.unproject(pixels)
        half = math.hypot(sample.width, sample.height) / 2
        waves = np.cos(pixels @ rng.normal(0, 3 / half, (2, WAVES)) + rng.uniform(0, 2 * math.pi, WAVES))
        error = waves @ rng.standard_normal((WAVES, 2))
        error *= math.radians(noise_deg) / max(1e-12, math.sqrt(float((error**2).sum(axis=1).mean())))
        moved = field_to_rays(np.asarray(rays_to_field(rays)) + error)
        yield Field(sample, (CELLS, CELLS), pixels, np.asarray(moved), np.asarray(valid, dtype=float))


def _planner(predictor: Any, area: int) -> Any:
    from anylens.predict.plan import plan_size

    info = predictor.session.info
    return lambda width, height: plan_size(
        width, height, area=area, multiple=info.patch, aspect_range=info.aspect_range
    )


def _resample(a: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Bilinear values at rows v and columns u."""
    i, j = (np.minimum(t.astype(int), n - 2) for t, n in zip((v, u), a.shape))
    dv, du = (v - i)[:, None], (u - j)[None, :]
    top = a[i][:, j] * (1 - du) + a[i][:, j + 1] * du
    return top * (1 - dv) + (a[i + 1][:, j] * (1 - du) + a[i + 1][:, j + 1] * du) * dv
