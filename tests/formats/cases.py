"""Cameras that every format is tested on: real calibrations of every model."""

from __future__ import annotations

import numpy as np

from anylens import Camera
from anylens.profiles import models, parse


def cameras_of(model: str) -> list[Camera]:
    """The model's own examples that have as many coefficients; one padded or cut example where none has."""
    parsed = parse(model)
    examples = parsed.profile.examples
    size = 4 + len(parsed.profile.coefs)
    fitting = [e for e in examples if len(e[0]) == size]
    if not fitting:
        params, shape = examples[0]
        fitting = [((*params, *([0.0] * size))[:size], shape)]
    out = []
    for params, (width, height) in fitting:
        full = np.array(params, dtype=float)
        out.append(Camera(model, full[1:] if parsed.simple else full, width, height))
    return out


ALL_MODELS = models()


def grid(camera: Camera, n: int = 15) -> np.ndarray:
    """Pixels (N, 2) over the image, borders included."""
    x, y = np.meshgrid(np.linspace(0, camera.width, n), np.linspace(0, camera.height, n))
    return np.stack([x.ravel(), y.ravel()], axis=-1)


def same_rays(a: Camera, b: Camera) -> float:
    """Largest difference between the rays of two cameras, inf where their validity differs."""
    assert (a.width, a.height) == (b.width, b.height)
    pixels = grid(a)
    (rays, valid), (other, also) = a.unproject(pixels), b.unproject(pixels)
    if not np.array_equal(valid, also) or not valid.any():
        return float("inf")
    return float(np.abs(rays - other)[valid].max())
