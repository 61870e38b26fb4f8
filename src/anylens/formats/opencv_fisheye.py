"""OpenCV YAML of its fisheye module: four coefficients k1 to k4 of Kannala-Brandt, marked `fisheye_model:
1`.
"""

from __future__ import annotations

from anylens.formats.named import NamedCamera
from anylens.formats.opencv import parse_opencv, render_opencv


def parse(content: bytes, size: tuple[int, int] | None = None) -> list:
    return [("camera", parse_opencv(content, size, fisheye=True))]


def render(cameras: list[NamedCamera]) -> str:
    camera = cameras[0].camera
    return render_opencv(camera, [float(k) for k in camera.coefs], fisheye_model=1)
