"""The eight EXIF orientations: turn pixels upright, and cameras between the stored and the upright picture.

Orientation o says which transformation of the stored picture is upright: 1 none, 2 mirrored left-right,
3 by 180°, 4 mirrored top-bottom, 5 transposed, 6 by 90° clockwise, 7 transposed across the other diagonal,
8 by 90° counter-clockwise.
"""

from __future__ import annotations

import numpy as np

from anylens.arrays import as_numpy
from anylens.camera import Camera
from anylens.errors import ModelError

# o -> (swap x and y, then flip left-right, flip top-bottom), stored to upright
STEPS = {
    1: (False, False, False),
    2: (False, True, False),
    3: (False, True, True),
    4: (False, False, True),
    5: (True, False, False),
    6: (True, True, False),
    7: (True, True, True),
    8: (True, False, True),
}
INVERSE = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6}


def turn_pixels(pixels: np.ndarray, orientation: int) -> np.ndarray:
    """The stored picture (H, W[, C]) upright."""
    swap, mirror, flip = STEPS.get(orientation, STEPS[1])
    if swap:
        pixels = np.swapaxes(pixels, 0, 1)
    if mirror:
        pixels = pixels[:, ::-1]
    return pixels[::-1] if flip else pixels


def turn_camera(camera: Camera, orientation: int, *, back: bool = False) -> Camera:
    """The camera of the upright picture from that of the stored one; `back`: the other way round.

    Radial models are symmetric, so only the centre moves and, for the last four, fx and fy change places.
    """
    if orientation not in STEPS:
        raise ModelError(f"An EXIF orientation is a number from 1 to 8, not {orientation}.")
    swap, mirror, flip = STEPS[INVERSE[orientation] if back else orientation]
    fx, fy, cx, cy, *k = (float(v) for v in as_numpy(camera.full))
    width, height = camera.width, camera.height
    if swap:
        fx, fy, cx, cy, width, height = fy, fx, cy, cx, height, width
    cx = width - cx if mirror else cx
    cy = height - cy if flip else cy
    focals = [fx] if camera.model.startswith("simple_") else [fx, fy]
    return Camera(camera.model, np.array([*focals, cx, cy, *k]), width, height)
