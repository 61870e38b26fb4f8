"""OpenCV's FileStorage YAML, as its calibration sample writes it.

The vector is k1 k2 p1 p2 k3. The principal point counts from the centre of the first pixel (see the table).
"""

from __future__ import annotations

import numpy as np

from anylens.camera import Camera
from anylens.errors import FormatError
from anylens.formats.brown import from_fisheye, from_matrix, from_opencv, to_opencv
from anylens.formats.named import NamedCamera
from anylens.formats.numbers import field, image_size, numbers
from anylens.formats.plain_yaml import dump_yaml, parse_yaml

MATRIX = ("camera_matrix", "cameraMatrix", "K", "M", "mtx", "Camera_Matrix", "intrinsic_matrix")
VECTOR = (
    "distortion_coefficients",
    "dist_coeffs",
    "distCoeffs",
    "dist_coeff",
    "D",
    "dist",
    "Distortion_Coefficients",
)


def parse(content: bytes, size: tuple[int, int] | None = None) -> list:
    return [("camera", parse_opencv(content, size, fisheye=False))]


def parse_opencv(content: bytes, size: tuple[int, int] | None, fisheye: bool):
    data = parse_yaml(content.decode("utf-8-sig"))
    focal, centre, skew = from_matrix(
        numbers(field(data, *MATRIX, where="The file"), "camera_matrix", 9), "camera_matrix"
    )
    vector = numbers(next((data[n] for n in VECTOR if n in data), None), "distortion_coefficients")
    size = size or _size(data)
    if fisheye:
        return from_fisheye(vector, focal, centre, size, "OpenCV fisheye", skew)
    return from_opencv(vector, focal, centre, size, "OpenCV", skew=skew)


def _size(data: dict) -> tuple[int, int]:
    for name in ("image_size", "imageSize", "img_shape", "resolution"):
        if name in data:
            width, height = numbers(data[name], name, 2)
            return image_size(width, height, name)
    for pair in (("image_width", "image_height"), ("image_Width", "image_Height"), ("width", "height")):
        if pair[0] in data:
            return image_size(data[pair[0]], field(data, pair[1], where="The file"), "image size")
    raise FormatError("The file has no image_width and image_height. Give the size of the photos: --size 1920x1080.")


def render(cameras: list[NamedCamera]) -> str:
    return render_opencv(cameras[0].camera, to_opencv(cameras[0].camera))


def render_opencv(camera: Camera, vector: list[float], **flags: int) -> str:
    data = {
        "image_width": int(camera.width),
        "image_height": int(camera.height),
        **flags,
        "camera_matrix": np.asarray(camera.K),
        "distortion_coefficients": np.array([vector]).T,
    }
    return "%YAML:1.0\n---\n" + dump_yaml(data)
