"""Views of a photograph: crops by a camera that may be turned a little, with exact labels and one softness.

A pinhole camera that turns about its own centre sees its first picture through a homography,
x_first ~ K R K'⁻¹ x,  and keeps its lens; a crop makes the lens longer. A photograph so gives many views, one of
them the whole. Each has `reduction` m ≥ 1 source pixels per pixel and blends two halvings of the source, as views of
panoramas do (`render`), so the blur in its own pixels is the same at every m: a crop is no softer than a whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.data.photos import Photograph
from anylens.data.raster import round_to_bytes, sample_bilinear, shrink_area
from anylens.data.render import FAINT, level_weights
from anylens.data.rotation import rotation_from_angles

TRIES = 12
SHRINK = 0.75  # a turn that leaves the photograph is made this much smaller, and tried again
Size = tuple[int, int]


@dataclass(frozen=True)
class Aim:
    """How a camera looks into a photograph: source pixels per pixel of the view, and its turn (3, 3)."""

    reduction: float
    rotation: np.ndarray

    def camera(self, photo: Photograph, size: Size) -> Camera:
        """Of the view of `size` (width, height): principal point in the middle, the lens of the photograph."""
        params = [photo.fx / self.reduction, photo.fy / self.reduction, size[0] / 2, size[1] / 2]
        return Camera("pinhole", np.array(params), *size)


def whole(photo: Photograph, size: Size) -> Aim:
    """As much of the photograph as a view of this aspect can hold, straight on."""
    return Aim(min(photo.width / size[0], photo.height / size[1]), np.eye(3))


def draw_aim(photo: Photograph, size: Size, roll_deg: float, rng: np.random.Generator) -> Aim:
    """A random crop, its logarithm uniform from one source pixel per pixel to the whole, turned within what is left.

    The roll is normal with the deviation `roll_deg`; the middle of the view falls anywhere in the room that there is,
    so turns in pixels do not depend on the focal length.
    """
    most = whole(photo, size).reduction
    reduction = math.exp(rng.uniform(0, max(0.0, math.log(most))))
    roll, across, down = rng.normal(0, roll_deg), *rng.uniform(-1, 1, 2)
    room = [(side - reduction * n) / 2 for side, n in zip((photo.width, photo.height), size)]
    scale = 1.0
    for _ in range(TRIES):
        yaw = math.degrees(math.atan(scale * across * room[0] / photo.fx))
        pitch = -math.degrees(math.atan(scale * down * room[1] / photo.fy))
        aim = Aim(reduction, rotation_from_angles(yaw, pitch, scale * roll))
        x, y = look(photo, size, aim, corners=True)
        if min(x.min(), y.min()) >= 0 and x.max() <= photo.width and y.max() <= photo.height:
            return aim
        scale *= SHRINK
    return Aim(reduction, np.eye(3))


def look(photo: Photograph, size: Size, aim: Aim, corners: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Where the view's pixel centres (or its corners) lie in the photograph: x, y (h, w), corner convention."""
    xs, ys = (np.array([0, n]) if corners else np.arange(n) + 0.5 for n in size)
    X = (xs - size[0] / 2) * aim.reduction / photo.fx
    Y = (ys - size[1] / 2) * aim.reduction / photo.fy
    a, b, c = (row[0] * X[None] + row[1] * Y[:, None] + row[2] for row in aim.rotation)
    return photo.fx * a / c + photo.width / 2, photo.fy * b / c + photo.height / 2


def photo_view(picture: np.ndarray, photo: Photograph, size: Size, aim: Aim) -> np.ndarray:
    """The view (h, w, 3) uint8 of `size` (width, height)."""
    x, y = look(photo, size, aim)
    halvings = max(1, math.ceil(math.log2(max(1.0, aim.reduction))))
    weights = level_weights(np.array(math.log2(aim.reduction)), halvings + 1)
    mixed: Any = 0.0
    total = 0.0
    for level, weight in enumerate(weights):
        if level:
            picture = shrink_area(picture, *(max(2, n // 2) for n in picture.shape[1::-1]))
        if weight < FAINT:
            continue
        step_x, step_y = picture.shape[1] / photo.width, picture.shape[0] / photo.height
        mixed = mixed + np.float32(weight) * sample_bilinear(picture, x * step_x - 0.5, y * step_y - 0.5)
        total += float(weight)
    return round_to_bytes(mixed / total)
