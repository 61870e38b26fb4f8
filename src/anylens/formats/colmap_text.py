"""COLMAP's cameras.txt: one line `CAMERA_ID MODEL WIDTH HEIGHT PARAMS…` per camera."""

from __future__ import annotations

from anylens.errors import FormatError
from anylens.formats.colmap_models import BY_NAME, camera_id, from_colmap, to_colmap
from anylens.formats.named import NamedCamera
from anylens.formats.numbers import number

HEAD = """# Camera list with one line of data per camera:
#   CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]
# Number of cameras: {count}
"""


def parse(content: bytes, size: tuple[int, int] | None = None) -> list:
    out = []
    for at, line in enumerate(content.decode("utf-8-sig").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        where = f"Line {at}"
        if len(words) < 5 or words[1] not in BY_NAME:
            raise FormatError(
                f"{where} is not 'CAMERA_ID MODEL WIDTH HEIGHT PARAMS…' with a COLMAP model: {line[:60]!r}."
            )
        values = [number(w, where) for w in words[2:]]
        width, height, *params = values
        out.append((words[0], from_colmap(BY_NAME[words[1]], params, width, height, where)))
    return out


def render(cameras: list[NamedCamera]) -> str:
    taken: set[int] = set()
    lines = []
    for named in cameras:
        model, params = to_colmap(named.camera, f"Camera '{named.name}'")
        size = f"{named.camera.width} {named.camera.height}"
        lines.append(f"{camera_id(named.name, taken)} {model.name} {size} {' '.join(repr(p) for p in params)}\n")
    return HEAD.format(count=len(lines)) + "".join(lines)
