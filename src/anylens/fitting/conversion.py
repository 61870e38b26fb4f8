"""A camera in another model: sample rays over the image, refit, and say what that costs in pixels."""

from __future__ import annotations

from anylens.arrays import like, namespace
from anylens.camera import Camera
from anylens.errors import FitError
from anylens.fitting.single import fit


def convert(camera: Camera, model: str, grid: int = 64) -> tuple[Camera, float]:
    """`camera` refitted as `model` over a grid of its valid pixels, and the largest pixel error there.

    The error of a pixel whose ray the new model cannot project is infinite.
    """
    xp = namespace(camera.params)
    params = camera.full
    steps = xp.linspace(0.0, 1.0, grid, dtype=params.dtype, device=params.device)
    x, y = xp.meshgrid(steps * camera.width, steps * camera.height, indexing="xy")
    pixels = xp.stack([xp.reshape(x, (-1,)), xp.reshape(y, (-1,))], axis=-1)
    rays, valid = camera.unproject(pixels)
    if not bool(xp.all(xp.any(valid, axis=-1))):
        raise FitError("No pixel of the image is inside the camera model's domain; there is nothing to convert.")
    weights = xp.astype(valid, params.dtype)
    new = fit(pixels, rays, model, width=camera.width, height=camera.height, weights=weights).camera
    there, seen = new.project(rays)
    distance = xp.sqrt(xp.sum((there - pixels) ** 2, axis=-1))
    worst = xp.where(seen, distance, xp.full_like(distance, float("inf")))
    worst = xp.where(valid, worst, xp.zeros_like(distance))
    converted = Camera(new.model, like(new.params, camera.params), camera.width, camera.height)
    error = xp.max(worst, axis=-1)
    return converted, (float(error) if error.ndim == 0 else error)
