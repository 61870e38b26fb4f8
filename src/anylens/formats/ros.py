"""ROS CameraInfo YAML: plumb_bob k1 k2 p1 p2 k3, rational_polynomial, equidistant k1..k4."""

from __future__ import annotations

import numpy as np

from anylens.errors import FormatError
from anylens.formats.brown import from_fisheye, from_matrix, from_opencv, to_opencv
from anylens.formats.named import NamedCamera
from anylens.formats.numbers import field, image_size, numbers
from anylens.formats.plain_yaml import dump_yaml, parse_yaml


def parse(content: bytes, size: tuple[int, int] | None = None) -> list:
    data = parse_yaml(content.decode("utf-8-sig"))
    where = "The file"
    matrix = numbers(field(data, "camera_matrix", "K", "k", where=where), "camera_matrix", 9)
    focal, centre, skew = from_matrix(matrix, "camera_matrix")
    vector = numbers(next((data[n] for n in ("distortion_coefficients", "D", "d") if n in data), None), "D")
    size = size or image_size(field(data, "image_width", "width", where=where),
                              field(data, "image_height", "height", where=where), "image size")  # fmt: skip
    model, name = str(data.get("distortion_model") or "plumb_bob"), str(data.get("camera_name") or "camera")
    title = f"ROS {model}"
    if model in ("plumb_bob", "rational_polynomial", "none", "radtan"):
        return [(name, from_opencv(vector, focal, centre, size, title, skew=skew))]
    if model in ("equidistant", "fisheye"):
        return [(name, from_fisheye(vector, focal, centre, size, title, skew))]
    raise FormatError(f"Unknown distortion_model '{model}'. Known: plumb_bob, rational_polynomial, equidistant.")


def render(cameras: list[NamedCamera]) -> str:
    camera = cameras[0].camera
    fisheye = camera.model == "kb:4"
    vector = [float(k) for k in camera.coefs] if fisheye else to_opencv(camera)
    K = np.asarray(camera.K)
    data = {
        "image_width": int(camera.width),
        "image_height": int(camera.height),
        "camera_name": cameras[0].name if not cameras[0].name.isdecimal() else f"camera{cameras[0].name}",
        "camera_matrix": _matrix(K),
        "distortion_model": "equidistant" if fisheye else "plumb_bob",
        "distortion_coefficients": _matrix(np.array([vector])),
        "rectification_matrix": _matrix(np.eye(3)),
        "projection_matrix": _matrix(np.concatenate([K, np.zeros((3, 1))], axis=1)),
    }
    return dump_yaml(data)


def _matrix(m: np.ndarray) -> dict:
    return {"rows": m.shape[0], "cols": m.shape[1], "data": m.ravel().tolist()}
