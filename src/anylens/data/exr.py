"""OpenEXR pictures: scan lines of half, float or uint channels, uncompressed, RLE, ZIPS or ZIP.

Layout: magic number, version, attributes up to an empty name, a table of chunk offsets, then chunks of 1 or
16 lines; in a line the channels follow one another in alphabetical order. Compressed chunks hold the bytes
split into even and odd ones, each stored as the difference to the last.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from anylens.errors import ImageError

MAGIC = b"\x76\x2f\x31\x01"
LINES = {0: 1, 1: 1, 2: 1, 3: 16}  # compression: none, RLE, ZIPS, ZIP
OTHERS = {4: "PIZ", 5: "PXR24", 6: "B44", 7: "B44A", 8: "DWAA", 9: "DWAB"}
TYPES: dict[int, np.dtype] = {0: np.dtype("<u4"), 1: np.dtype("<f2"), 2: np.dtype("<f4")}


def read_exr(path: str | Path) -> np.ndarray:
    """Linear light (H, W, 3) float32 of the R, G, B channels (or Y alone). Raises ImageError."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ImageError(f"{path.name}: {error.strerror}.") from None
    try:
        header, at = _header(data)
        return _pixels(data, at, header)
    except (struct.error, IndexError, KeyError, ValueError, zlib.error) as error:
        raise ImageError(f"{path.name}: truncated or unsupported EXR ({error}). Save it as ZIP scan lines.") from None


def _header(data: bytes) -> tuple[dict[str, tuple[str, bytes]], int]:
    if data[:4] != MAGIC:
        raise ValueError("not an EXR file")
    if struct.unpack_from("<I", data, 4)[0] & 0x1A00:
        raise ValueError("tiles, deep data or several parts")
    attributes, at = {}, 8
    while data[at]:
        name, at = _text(data, at)
        kind, at = _text(data, at)
        size = struct.unpack_from("<i", data, at)[0]
        attributes[name] = (kind, data[at + 4 : at + 4 + size])
        at += 4 + size
    return attributes, at + 1


def _text(data: bytes, at: int) -> tuple[str, int]:
    end = data.index(b"\0", at)
    return data[at:end].decode("latin-1"), end + 1


def _channels(raw: bytes) -> list[tuple[str, np.dtype]]:
    channels, at = [], 0
    while raw[at]:
        name, at = _text(raw, at)
        kind, _, x, y = struct.unpack_from("<iIii", raw, at)
        if (x, y) != (1, 1):
            raise ValueError("subsampled channels")
        channels.append((name, TYPES[kind]))
        at += 16
    return channels


def _pixels(data: bytes, at: int, header: dict[str, Any]) -> np.ndarray:
    compression = header["compression"][1][0]
    if compression not in LINES:
        raise ValueError(f"{OTHERS.get(compression, compression)} compression")
    x0, y0, x1, y1 = struct.unpack("<4i", header["dataWindow"][1])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    channels = _channels(header["channels"][1])
    line_bytes = width * sum(kind.itemsize for _, kind in channels)
    planes = {name: np.zeros((height, width), np.float32) for name, _ in channels}
    lines = LINES[compression]
    count = -(-height // lines)
    for offset in struct.unpack_from(f"<{count}Q", data, at):
        y, size = struct.unpack_from("<ii", data, offset)
        rows = min(lines, height - (y - y0))
        raw = data[offset + 8 : offset + 8 + size]
        if len(raw) != size or not 0 <= y - y0 < height:
            raise ValueError("missing lines")
        raw = _unpack(raw, compression, rows * line_bytes)
        start = 0
        for row in range(y - y0, y - y0 + rows):
            for name, kind in channels:
                planes[name][row] = np.frombuffer(raw, kind, width, start)
                start += width * kind.itemsize
    short = {name.rpartition(".")[2]: plane for name, plane in planes.items()}
    names = "RGB" if all(c in short for c in "RGB") else "YYY"
    return np.stack([short[c] for c in names], axis=-1)


def _unpack(raw: bytes, compression: int, size: int) -> bytes:
    """Undo a chunk's compression; one that did not get smaller is stored as it is."""
    if compression == 0 or len(raw) == size:
        return raw
    coded = np.frombuffer(_run_lengths(raw) if compression == 1 else zlib.decompress(raw), np.uint8)
    if len(coded) != size:
        raise ValueError("chunk length")
    steps = coded.astype(np.int64)
    steps[1:] -= 128
    summed = (np.cumsum(steps) & 0xFF).astype(np.uint8)
    out = np.empty_like(summed)
    half = (size + 1) // 2
    out[0::2], out[1::2] = summed[:half], summed[half:]
    return out.tobytes()


def _run_lengths(raw: bytes) -> bytes:
    """A signed count n < 0: -n bytes follow as they are; n ≥ 0: the next byte n + 1 times."""
    out, at = bytearray(), 0
    while at < len(raw):
        count = raw[at] - 256 if raw[at] > 127 else raw[at]
        if count < 0:
            out += raw[at + 1 : at + 1 - count]
            at += 1 - count
        else:
            out += raw[at + 1 : at + 2] * (count + 1)
            at += 2
    return bytes(out)
