"""COLMAP's cameras.bin: uint64 count; per camera int32 id, int32 model, uint64 w, h, doubles."""

from __future__ import annotations

import struct

from anylens.errors import FormatError
from anylens.formats.colmap_models import BY_ID, camera_id, from_colmap, to_colmap
from anylens.formats.named import NamedCamera
from anylens.formats.numbers import numbers

HEAD = struct.Struct("<iiQQ")
TOO_MANY = 10_000_000


def parse(content: bytes, size: tuple[int, int] | None = None) -> list:
    if len(content) < 8:
        raise FormatError("Too short for a COLMAP binary file.")
    (count,), at, out = struct.unpack_from("<Q", content), 8, []
    if count > TOO_MANY:
        raise FormatError(f"Not a COLMAP cameras.bin: it would hold {count} cameras.")
    for i in range(count):
        where = f"Camera {i + 1} of {count}"
        if at + HEAD.size > len(content):
            raise FormatError(f"{where} is cut off.")
        number, model_id, width, height = HEAD.unpack_from(content, at)
        at += HEAD.size
        if model_id not in BY_ID:
            raise FormatError(f"{where} has the model number {model_id}, which COLMAP does not define.")
        model = BY_ID[model_id]
        if at + 8 * model.size > len(content):
            raise FormatError(f"{where} is cut off.")
        params = numbers(struct.unpack_from(f"<{model.size}d", content, at), where)
        at += 8 * model.size
        out.append((str(number), from_colmap(model, params, width, height, where)))
    return out


def render(cameras: list[NamedCamera]) -> bytes:
    taken: set[int] = set()
    out = struct.pack("<Q", len(cameras))
    for named in cameras:
        model, params = to_colmap(named.camera, f"Camera '{named.name}'")
        size = int(named.camera.width), int(named.camera.height)
        out += HEAD.pack(camera_id(named.name, taken), model.id, *size) + struct.pack(f"<{len(params)}d", *params)
    return out
