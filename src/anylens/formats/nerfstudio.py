"""nerfstudio's transforms.json: one camera at the top, or one per frame; OPENCV and OPENCV_FISHEYE.

fl_x fl_y cx cy w h and k1 k2 k3 k4 p1 p2; k4 of OPENCV is a fourth radial term. Poses (`transform_matrix`)
are no part of a camera: a written file holds intrinsics only.
"""

from __future__ import annotations

import json
import math
from typing import Any

from anylens.camera import Camera
from anylens.errors import FormatError
from anylens.formats.foreign import ForeignCamera
from anylens.formats.named import NamedCamera
from anylens.formats.numbers import field, image_size, number

PERSPECTIVE = ("OPENCV", "PINHOLE", "SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL")
FISHEYE = ("OPENCV_FISHEYE",)


def parse(content: bytes, size: tuple[int, int] | None = None) -> list:
    data = json.loads(content.decode("utf-8-sig"))
    frames = data.get("frames") or []
    own = [f for f in frames if "fl_x" in f or "camera_angle_x" in f]
    if own and len(own) == len(frames):
        return [(str(f.get("file_path", i + 1)), _camera({**data, **f}, size, f"Frame {i + 1}"))
                for i, f in enumerate(own)]  # fmt: skip
    return [("camera", _camera(data, size, "The file"))]


def _camera(data: dict[str, Any], size: tuple[int, int] | None, where: str) -> Camera | ForeignCamera:
    model = str(data.get("camera_model") or ("OPENCV_FISHEYE" if data.get("is_fisheye") else "OPENCV"))
    if model not in (*PERSPECTIVE, *FISHEYE):
        raise FormatError(f"{where}: camera_model {model} is not supported. Known: OPENCV, OPENCV_FISHEYE.")
    size = size or image_size(field(data, "w", where=where), field(data, "h", where=where), where)
    fl_x = data["fl_x"] if "fl_x" in data else _from_angle(field(data, "fl_x", "camera_angle_x", where=where), size[0])
    fl_y = data.get("fl_y", fl_x)
    value = {n: number(data.get(n, 0.0), f"{where}, {n}") for n in ("k1", "k2", "k3", "k4", "p1", "p2")}
    centre = (number(data.get("cx", size[0] / 2), where), number(data.get("cy", size[1] / 2), where))
    focal = (number(fl_x, where), number(fl_y, where))
    if min(focal) <= 0:
        raise FormatError(f"{where}: the focal length must be positive.")
    radial = (value["k1"], value["k2"], value["k3"], value["k4"])
    fisheye = model in FISHEYE
    foreign = ForeignCamera(
        f"nerfstudio {model}",
        focal,
        centre,
        *size,
        "equidistant" if fisheye else "pinhole",
        radial=radial,
        tangential=(value["p1"], value["p2"]),
    )
    return foreign.plain(4 if fisheye else 2 if any(radial) else 0) or foreign


def _from_angle(angle: Any, width: int) -> float:
    return 0.5 * width / math.tan(0.5 * number(angle, "camera_angle_x"))


def render(cameras: list[NamedCamera]) -> str:
    if len(cameras) == 1:
        return json.dumps({**_node(cameras[0].camera), "frames": []}, indent=2) + "\n"
    fisheye = {n.camera.model == "kb:4" for n in cameras}
    if len(fisheye) > 1:
        raise FormatError(
            "A transforms.json has one camera_model for all frames: write fisheyes to a file of their own."
        )
    frames = [{"file_path": n.name, **_node(n.camera)} for n in cameras]
    model = frames[0]["camera_model"]
    return json.dumps({"camera_model": model, "frames": frames}, indent=2) + "\n"


def _node(camera: Camera) -> dict[str, Any]:
    fx, fy, cx, cy, *k = (float(v) for v in camera.full)
    k += [0.0] * (4 - len(k))
    return {"camera_model": "OPENCV_FISHEYE" if camera.model == "kb:4" else "OPENCV",
            "fl_x": fx, "fl_y": fy, "cx": cx, "cy": cy, "w": int(camera.width), "h": int(camera.height),
            "k1": k[0], "k2": k[1], "k3": k[2], "k4": k[3], "p1": 0.0, "p2": 0.0}  # fmt: skip
