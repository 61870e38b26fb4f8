"""Kalibr's camchain YAML. The order of `intrinsics` differs per camera_model:

pinhole [fu fv pu pv] with radtan, equidistant, fov or none;  omni [ξ fu fv pu pv];  eucm [α β fu fv pu pv];
ds [ξ α fu fv pu pv].  omni, eucm and ds may carry radtan on top, which no model here holds unless it is zero.
"""

from __future__ import annotations

from typing import Any

from anylens.errors import FormatError
from anylens.formats.brown import from_fisheye, from_opencv
from anylens.formats.named import NamedCamera
from anylens.formats.numbers import field, image_size, make_camera, numbers
from anylens.formats.plain_yaml import dump_yaml, parse_yaml

LEADING = {"pinhole": 0, "omni": 1, "eucm": 2, "ds": 2}  # coefficients in front of fu fv pu pv
OURS = {"pinhole": "pinhole", "omni": "ucm", "eucm": "eucm", "ds": "ds"}
DISTORTION = {"pinhole": "none", "radial:2": "radtan", "kb:4": "equidistant", "fov": "fov"}


def parse(content: bytes, size: tuple[int, int] | None = None) -> list:
    data = parse_yaml(content.decode("utf-8-sig"))
    if not isinstance(data, dict):
        raise FormatError("Not a Kalibr camchain: no cam0, cam1, … in it.")
    nodes = {name: node for name, node in data.items() if isinstance(node, dict) and "intrinsics" in node}
    return [(name, _camera(node, size, f"Camera '{name}'")) for name, node in nodes.items()]


def _camera(node: dict[str, Any], size: tuple[int, int] | None, where: str):
    model, distortion = str(node.get("camera_model")), str(node.get("distortion_model") or "none").lower()
    if model not in LEADING:
        raise FormatError(f"{where}: unknown camera_model '{model}'. Known: {', '.join(LEADING)}.")
    lead = LEADING[model]
    values = numbers(node["intrinsics"], f"{where}, intrinsics", lead + 4)
    k, (focal, centre) = values[:lead], (values[lead : lead + 2], values[lead + 2 :])
    vector = numbers(node.get("distortion_coeffs"), f"{where}, distortion_coeffs")
    if size is None:
        width, height = numbers(field(node, "resolution", where=where), f"{where}, resolution", 2)
        size = image_size(width, height, where)
    title = f"Kalibr {model}-{distortion}"
    if model == "pinhole":
        if distortion in ("radtan", "none"):
            return from_opencv(vector, focal, centre, size, title)
        if distortion in ("equidistant", "equi"):
            return from_fisheye(vector, focal, centre, size, title)
        if distortion == "fov":
            return make_camera("fov", [*focal, *centre, *numbers(vector, title, 1)], size, where)
    elif not any(vector):
        return make_camera(OURS[model], [*focal, *centre, *k], size, where)
    elif distortion == "radtan":
        return from_opencv(vector, focal, centre, size, title, OURS[model], tuple(k))
    raise FormatError(
        f"{where}: {title} is not supported. Known for pinhole: radtan, equidistant, fov, none; "
        f"for {', '.join(OURS)[9:]}: none, radtan."
    )


def render(cameras: list[NamedCamera]) -> str:
    return dump_yaml({_cam(named.name, i): _node(named) for i, named in enumerate(cameras)})


def _cam(name: str, index: int) -> str:
    return name if name.startswith("cam") and name[3:].isdecimal() else f"cam{index}"


def _node(named: NamedCamera) -> dict[str, Any]:
    camera = named.camera
    full = [float(v) for v in camera.full]
    head, k = full[:4], full[4:]
    kind = next((theirs for theirs, ours in OURS.items() if ours == camera.model), "pinhole")
    vector = [] if kind != "pinhole" else [k[0], k[1], 0.0, 0.0] if camera.model == "radial:2" else k
    return {
        "camera_model": kind,
        "intrinsics": [*([] if kind == "pinhole" else k), *head],
        "distortion_model": DISTORTION.get(camera.model, "none"),
        "distortion_coeffs": vector,
        "resolution": [int(camera.width), int(camera.height)],
    }
