"""Real lenses as camera models: fisheyes as EUCM, the others as radial:2, both by the closed-form fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import anylens
from anylens.data.lensfun.database import FISHEYES, Calibration, Database
from anylens.data.lensfun.lens import reach, sensor_angles
from anylens.errors import AnylensError, FormatError
from anylens.field import angle_between

SCALE = 500  # pixels of half the shorter side of the grid that is fitted
WORST_DEG = 1.0  # a fit that misses a ray by more does not stand for its lens


@dataclass(frozen=True)
class MappedLens:
    """A calibration, the coefficients that stand for it, its fields of view and the largest angle error in
    degrees.
    """

    lens: Calibration
    model: str
    coefs: tuple[float, ...]
    hfov_deg: float
    vfov_deg: float
    error_deg: float


def grid_rays(lens: Calibration, steps: int = 13) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Pixels (N, 2) of a grid over the lens's image, their rays (N, 3), and the size (width, height)."""
    width, height = round(2 * SCALE * lens.aspect), 2 * SCALE
    x, y = np.linspace(0, width, steps), np.linspace(0, height, steps)
    pixels = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    offset = (pixels - [width / 2, height / 2]) / SCALE
    radius = np.linalg.norm(offset, axis=1)
    inside = radius <= reach(lens)
    if inside.sum() < len(pixels) / 6:
        raise FormatError(f"{lens.name}: its distortion folds over near the centre of the image.")
    pixels, offset, radius = pixels[inside], offset[inside], radius[inside]
    theta = sensor_angles(lens, radius)
    unit = offset / np.maximum(radius, 1e-12)[:, None]
    rays = np.concatenate([np.sin(theta)[:, None] * unit, np.cos(theta)[:, None]], axis=1)
    return pixels, rays, (width, height)


def map_lens(lens: Calibration) -> MappedLens:
    """The lens as EUCM (fisheyes) or radial:2. Raises an AnylensError where it cannot stand for it."""
    model = "eucm" if lens.kind in FISHEYES else "radial:2"
    pixels, rays, (width, height) = grid_rays(lens)
    known = {"cx": width / 2, "cy": height / 2}
    camera = anylens.fit(pixels, rays, model, width=width, height=height, known=known).camera
    found, valid = camera.unproject(pixels)
    error = math.degrees(float(np.max(angle_between(found, rays)))) if valid.all() else math.inf
    ends = np.minimum([lens.aspect, 1.0], reach(lens))
    long, short = (math.degrees(2 * float(a)) for a in sensor_angles(lens, ends))
    coefs = tuple(float(c) for c in np.asarray(camera.coefs))
    return MappedLens(lens, model, coefs, long, short, error)


def map_lenses(database: Database, fisheyes_only: bool = False) -> tuple[list[MappedLens], list[str]]:
    """All lenses that a model can stand for, one calibration each per focal length, and why the others were
    left out.
    """
    mapped, skipped, seen = [], list(database.skipped), set()
    for lens in database.calibrations:
        if (fisheyes_only and lens.kind not in FISHEYES) or (key := (lens.name, lens.crop)) in seen:
            continue
        seen.add(key)
        try:
            result = map_lens(lens)
        except AnylensError as error:
            skipped.append(str(error))
            continue
        if result.error_deg > WORST_DEG:
            skipped.append(f"{lens.name}: {result.model} misses its rays by up to {result.error_deg:.1f}°.")
            continue
        mapped.append(result)
    return mapped, skipped
