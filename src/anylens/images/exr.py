"""A small OpenEXR writer: scanlines, half or float channels, ZIP compression in blocks of 16 lines.

Each block's bytes are split into even and odd positions and stored as differences (mod 256, offset 128)
before zlib, as the format demands; a block that does not shrink is stored as it is.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from anylens.errors import ImageError

MAGIC, VERSION, ZIP, LINES = 20000630, 2, 3, 16
KINDS = {"float16": 1, "float32": 2}


def encode_exr(channels: dict[str, np.ndarray], *, half: bool = False) -> bytes:
    """EXR bytes of named channels ("R", "G", …), each (H, W), as float32 or, with `half`, float16."""
    if not channels or any(c.ndim != 2 or c.shape != next(iter(channels.values())).shape for c in channels.values()):
        raise ImageError("EXR channels are arrays (H, W) of one size.")
    dtype = np.dtype("<f2" if half else "<f4")
    names = sorted(channels)  # the format wants them in alphabetical order
    planes = np.stack([channels[n].astype(dtype) for n in names], axis=1)  # (H, C, W): a line is channel by channel
    height, _, width = planes.shape
    header = _header(names, KINDS["float16" if half else "float32"], width, height)
    blocks = []
    for top in range(0, height, LINES):
        raw = planes[top : top + LINES].tobytes()
        packed = zlib.compress(_predict(raw), 6)
        body = packed if len(packed) < len(raw) else raw
        blocks.append(struct.pack("<ii", top, len(body)) + body)
    start = len(header) + 8 * len(blocks)
    offsets = np.cumsum([start, *(len(b) for b in blocks[:-1])], dtype=np.uint64)
    return header + offsets.astype("<u8").tobytes() + b"".join(blocks)


def _predict(raw: bytes) -> bytes:
    data = np.frombuffer(raw, dtype=np.uint8)
    split = np.concatenate([data[::2], data[1::2]])
    out = split.copy()
    out[1:] = split[1:] - split[:-1] + np.uint8(128)
    return out.tobytes()


def _header(names: list[str], kind: int, width: int, height: int) -> bytes:
    channels = b"".join(n.encode() + b"\0" + struct.pack("<iB3xii", kind, 0, 1, 1) for n in names) + b"\0"
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    attributes = (
        ("channels", "chlist", channels),
        ("compression", "compression", bytes([ZIP])),
        ("dataWindow", "box2i", window),
        ("displayWindow", "box2i", window),
        ("lineOrder", "lineOrder", b"\0"),
        ("pixelAspectRatio", "float", struct.pack("<f", 1.0)),
        ("screenWindowCenter", "v2f", struct.pack("<2f", 0.0, 0.0)),
        ("screenWindowWidth", "float", struct.pack("<f", 1.0)),
    )
    out = struct.pack("<ii", MAGIC, VERSION)
    for name, kind_name, value in attributes:
        out += name.encode() + b"\0" + kind_name.encode() + b"\0" + struct.pack("<i", len(value)) + value
    return out + b"\0"
