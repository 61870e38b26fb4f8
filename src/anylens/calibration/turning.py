"""Photos of one camera that stand, lie or were resized: into the pixels of one of them and back.

A camera held upright gives the transposed picture as far as centred, radially symmetric cameras go, so x and y change
places in pixels and rays alike.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anylens.calibration.observation import Observation
from anylens.calibration.options import Options
from anylens.camera import Camera
from anylens.errors import FitError

ASPECT_TOLERANCE = 0.02


def is_turned(width: float, height: float, other_width: float, other_height: float) -> bool:
    """Whether one stands where the other lies."""
    return (width > height and other_width < other_height) or (width < height and other_width > other_height)


def aspect_key(width: int, height: int) -> float:
    """Longer over shorter side."""
    return max(width, height) / min(width, height)


def fits_together(view: Observation, main: Observation, options: Options) -> None:
    """Raises FitError where two photos cannot be of one camera, as far as their sizes tell."""
    ratio = aspect_key(view.width, view.height) / aspect_key(main.width, main.height)
    if abs(ratio - 1) > ASPECT_TOLERANCE:
        raise FitError(
            f"{view.file} is {view.width}x{view.height}, {main.file} {main.width}x{main.height}: photos of one "
            "camera have one aspect ratio. Calibrate crops apart."
        )
    turned = is_turned(view.width, view.height, main.width, main.height)
    if turned and (options.edited or {"cx", "cy", "aspect"} & set(options.known)):
        raise FitError(f"{view.file} stands where {main.file} lies; with a free centre, calibrate them apart.")


def to_shared(view: Observation, main: Observation) -> Observation:
    """The observation in the pixels of `main`."""
    pixels, field, width, height = view.pixels, view.field, view.width, view.height
    if is_turned(width, height, main.width, main.height):
        pixels, field, width, height = pixels[:, ::-1], field[:, ::-1], height, width
    scale = np.array([main.width / width, main.height / height])
    return replace(view, pixels=pixels * scale, field=field, width=main.width, height=main.height)


def from_shared(camera: Camera, view: Observation) -> Camera:
    """The shared camera as the photo has it."""
    if is_turned(camera.width, camera.height, view.width, view.height):
        fx, fy, cx, cy, *k = (float(v) for v in np.asarray(camera.full))
        focals = [fx] if camera.simple else [fy, fx]
        camera = Camera(camera.model, np.array([*focals, cy, cx, *k]), camera.height, camera.width)
    if (camera.width, camera.height) == (view.width, view.height):
        return camera
    # Sides are rounded to whole pixels: one factor, so that square pixels stay square.
    by = np.hypot(view.width, view.height) / np.hypot(camera.width, camera.height)
    p = np.array(camera.params, dtype=np.float64)
    n = 1 if camera.simple else 2
    p[:n] *= by
    p[n] *= view.width / camera.width
    p[n + 1] *= view.height / camera.height
    return Camera(camera.model, p, view.width, view.height)
