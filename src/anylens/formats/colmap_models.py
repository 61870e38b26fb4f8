"""COLMAP's camera models: number, name, our id. Its pixel convention is ours.

COLMAP handles observations on the plane Z = 1, so fisheyes of 180° and more are refused: their outer pixels
would come back as other rays. Older versions of COLMAP do not know the models with the highest numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from anylens.camera import Camera
from anylens.errors import FormatError
from anylens.formats.brown import from_opencv
from anylens.formats.foreign import ForeignCamera
from anylens.formats.numbers import image_size, make_camera

log = logging.getLogger(__name__)


class ColmapModel(NamedTuple):
    id: int
    name: str
    size: int  # number of parameters
    ours: str  # "" where no model here holds it


MODELS = (
    ColmapModel(0, "SIMPLE_PINHOLE", 3, "simple_pinhole"),
    ColmapModel(1, "PINHOLE", 4, "pinhole"),
    ColmapModel(2, "SIMPLE_RADIAL", 4, "simple_radial:1"),
    ColmapModel(3, "RADIAL", 5, "simple_radial:2"),
    ColmapModel(4, "OPENCV", 8, "radial:2"),
    ColmapModel(5, "OPENCV_FISHEYE", 8, "kb:4"),
    ColmapModel(6, "FULL_OPENCV", 12, "radial:3"),
    ColmapModel(7, "FOV", 5, "fov"),
    ColmapModel(8, "SIMPLE_RADIAL_FISHEYE", 4, "simple_kb:1"),
    ColmapModel(9, "RADIAL_FISHEYE", 5, "simple_kb:2"),
    ColmapModel(10, "THIN_PRISM_FISHEYE", 12, ""),
    ColmapModel(11, "RAD_TAN_THIN_PRISM_FISHEYE", 16, ""),
    ColmapModel(12, "SIMPLE_DIVISION", 4, "simple_division:1"),
    ColmapModel(13, "DIVISION", 5, "division:1"),
    ColmapModel(14, "SIMPLE_FISHEYE", 3, "simple_equidistant"),
    ColmapModel(15, "FISHEYE", 4, "equidistant"),
    ColmapModel(16, "EUCM", 6, "eucm"),
    ColmapModel(17, "EQUIRECTANGULAR", 2, ""),
)
BY_ID = {m.id: m for m in MODELS}
BY_NAME = {m.name: m for m in MODELS}
BY_OURS = {m.ours: m for m in MODELS if m.ours}


def from_colmap(model: ColmapModel, params: Sequence[float], width: float, height: float, where: str):
    """Our camera, or a ForeignCamera where COLMAP's has terms that our models lack."""
    p, size = [float(v) for v in params], image_size(width, height, where)
    if len(p) != model.size:
        raise FormatError(f"{where}: {model.name} has {model.size} parameters, not {len(p)}.")
    if model.name in ("OPENCV", "FULL_OPENCV"):
        if not any(p[6:8]) and not any(p[9:]):
            return make_camera(model.ours, [*p[:6], *p[8:9]], size, where)
        return from_opencv(p[4:], p[:2], p[2:4], size, f"COLMAP {model.name}")
    if model.name == "THIN_PRISM_FISHEYE":
        k1, k2, p1, p2, k3, k4, sx, sy = p[4:]
        foreign = ForeignCamera(
            f"COLMAP {model.name}",
            (p[0], p[1]),
            (p[2], p[3]),
            *size,
            "equidistant",
            radial=(k1, k2, k3, k4),
            tangential=(p1, p2),
            prism=(sx, 0.0, sy, 0.0),
        )
        return foreign.plain(4) or foreign
    if not model.ours:
        raise FormatError(f"{where}: COLMAP's {model.name} cannot be read; no model here comes near it.")
    return make_camera(model.ours, p, size, where)


def to_colmap(camera: Camera, where: str) -> tuple[ColmapModel, list[float]]:
    """COLMAP's model and parameters for a camera in one of its models. Raises FormatError from 180° on."""
    model = BY_OURS[camera.model]
    p = [float(v) for v in camera.params]
    widest = max(float(camera.hfov_deg), float(camera.vfov_deg))
    if widest >= 180:
        raise FormatError(
            f"{where} sees {widest:.0f}°, and COLMAP handles less than 180° only. Crop the photos, or "
            "undistort them to a pinhole first: anylens undistort."
        )
    if float(camera.dfov_deg) >= 180:
        log.warning("%s sees more than 180° in its corners, which COLMAP does not handle: mask them.", where)
    if model.name == "OPENCV":
        p += [0.0, 0.0]
    elif model.name == "FULL_OPENCV":
        p = [*p[:6], 0.0, 0.0, p[6], 0.0, 0.0, 0.0]
    return model, p


def camera_id(name: str, taken: set[int]) -> int:
    """The camera's COLMAP id: its name if that is one and still free, else the next free number."""
    number = int(name) if name.isdecimal() and 0 < int(name) < 2**31 and int(name) not in taken else 0
    while number == 0 or number in taken:
        number += 1
    taken.add(number)
    return number
