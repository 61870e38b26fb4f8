"""True cameras of pictures that were scaled, cropped or stretched, also in models that are not fitted here."""

from __future__ import annotations

from dataclasses import replace

from anylens.camera import Camera
from anylens.errors import FormatError
from anylens.evaluation.sample import Truth

SAME_SHAPE = 0.02  # largest relative difference of the two scales


def resized(camera: Truth, width: int, height: int) -> Truth:
    """The camera of the picture scaled to width x height."""
    if isinstance(camera, Camera):
        return camera.resize(width, height)
    sx, sy = width / camera.width, height / camera.height
    return replace(camera, focal=(camera.focal[0] * sx, camera.focal[1] * sy), skew=camera.skew * sx, width=width,
                   height=height, centre=(camera.centre[0] * sx, camera.centre[1] * sy))  # fmt: skip


def cropped(camera: Truth, x: float, y: float, width: int, height: int) -> Truth:
    """The camera of the part that starts at the pixel corner (x, y)."""
    if isinstance(camera, Camera):
        return camera.crop(x, y, width, height)
    return replace(camera, centre=(camera.centre[0] - x, camera.centre[1] - y), width=width, height=height)


def for_picture(camera: Truth, width: int, height: int) -> Truth:
    """The camera for a stored picture that may be smaller than what was calibrated. Raises FormatError if cropped."""
    sx, sy = width / camera.width, height / camera.height
    if abs(sx / sy - 1) > SAME_SHAPE:
        raise FormatError(f"the picture is {width}x{height}, its camera {camera.width}x{camera.height}")
    return camera if (width, height) == (camera.width, camera.height) else resized(camera, width, height)
