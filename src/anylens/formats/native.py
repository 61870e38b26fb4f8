"""Our own JSON: one camera as `Camera.to_dict` gives it, or several as {"cameras": {name: camera}}.

Results of `anylens calibrate --json` (one object per line, the camera under "camera") are read too.
"""

from __future__ import annotations

import json
from typing import Any

from anylens.camera import Camera
from anylens.errors import FormatError
from anylens.formats.named import NamedCamera
from anylens.formats.numbers import field, image_size, make_camera, number
from anylens.profiles import parse as parse_model


def parse(content: bytes, size: tuple[int, int] | None = None) -> list[tuple[str, Camera]]:
    text = content.decode("utf-8-sig")
    try:
        documents = [json.loads(text)]
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise FormatError(f"Not JSON: {error}.") from None
        documents = [json.loads(line) for line in lines]
    out: list[tuple[str, Camera]] = []
    for document in documents:
        out += _cameras(document, str(len(out) + 1))
    return out


def _cameras(data: Any, name: str) -> list[tuple[str, Camera]]:
    if isinstance(data, list):
        return [pair for i, item in enumerate(data) for pair in _cameras(item, str(i + 1))]
    if isinstance(data, dict) and "cameras" in data:
        return [pair for n, item in dict(data["cameras"]).items() for pair in _cameras(item, n)]
    if isinstance(data, dict) and "ok" in data and not data.get("camera"):
        return []
    if isinstance(data, dict) and isinstance(data.get("camera"), dict):
        return _cameras(data["camera"], str(data.get("file", name)))
    return [(name, _camera(data, f"Camera '{name}'"))]


def _camera(data: Any, where: str) -> Camera:
    model = field(data, "model", where=where)
    size = image_size(field(data, "width", where=where), field(data, "height", where=where), where)
    params = field(data, "params", where=where)
    names = parse_model(model).param_names
    if isinstance(params, dict):
        if set(params) != set(names):
            raise FormatError(f"{where}: '{model}' has the parameters {' '.join(names)}, not {' '.join(params)}.")
        params = [params[n] for n in names]
    return make_camera(model, [number(v, where) for v in params], size, where)


def render(cameras: list[NamedCamera]) -> str:
    if len(cameras) == 1:
        return json.dumps(cameras[0].camera.to_dict(), indent=2) + "\n"
    return json.dumps({"cameras": {n.name: n.camera.to_dict() for n in cameras}}, indent=2) + "\n"
