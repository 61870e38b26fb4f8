"""Radiance .hdr pictures: eight bits of mantissa per channel and a shared exponent, flat or run-length coded.

value = mantissa · 2^(exponent - 136)    (0 where the exponent is 0)
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from anylens.errors import ImageError


def read_rgbe(path: str | Path) -> np.ndarray:
    """Linear light (H, W, 3) float32. Raises ImageError for damaged or truncated files."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ImageError(f"{path.name}: {error.strerror}.") from None
    if not data.startswith((b"#?RADIANCE", b"#?RGBE")):
        raise ImageError(f"{path.name}: not a Radiance picture (it should start with #?RADIANCE).")
    found = re.search(rb"\n\n(-Y|\+Y) (\d+) (\+X|-X) (\d+)\n", data)
    if not found or b"32-bit_rle_xyze" in data[: found.start()]:
        raise ImageError(f"{path.name}: no size line of the form '-Y height +X width', or XYZE colours.")
    height, width = int(found[2]), int(found[4])
    if not (0 < width < 1 << 20 and 0 < height < 1 << 20):
        raise ImageError(f"{path.name}: impossible size {width}x{height}.")
    try:
        pixels = _decode(memoryview(data)[found.end() :], width, height)
    except (IndexError, ValueError):
        raise ImageError(f"{path.name}: truncated or damaged picture data.") from None
    pixels = pixels[::-1] if found[1] == b"+Y" else pixels
    pixels = pixels[:, ::-1] if found[3] == b"-X" else pixels
    scale = np.where(pixels[..., 3:] > 0, np.ldexp(np.float32(1), pixels[..., 3:].astype(np.int32) - 136), 0)
    return (pixels[..., :3] * scale).astype(np.float32)


def _decode(data: memoryview, width: int, height: int) -> np.ndarray:
    """RGBE bytes (H, W, 4). Every line says itself whether it is run-length coded. Raises on missing data."""
    out = np.empty((height, width, 4), np.uint8)
    at = 0
    for row in range(height):
        coded = 8 <= width < 32768 and data[at] == 2 and data[at + 1] == 2 and data[at + 2] < 128
        if coded:
            if (data[at + 2] << 8 | data[at + 3]) != width:
                raise ValueError("line width")
            at = _coded_line(data, at + 4, out[row], width)
        else:
            line = np.frombuffer(data[at : at + 4 * width], np.uint8)
            out[row] = line.reshape(width, 4)
            at += 4 * width
    return out


def _coded_line(data: memoryview, at: int, line: np.ndarray, width: int) -> int:
    """Four channels one after the other, each of runs (count > 128) and literal stretches."""
    for channel in range(4):
        x = 0
        while x < width:
            count = data[at]
            if count > 128:
                count -= 128
                line[x : x + count, channel] = data[at + 1]
                at += 2
            else:
                line[x : x + count, channel] = np.frombuffer(data[at + 1 : at + 1 + count], np.uint8)
                at += 1 + count
            x += count
            if count == 0 or x > width:
                raise ValueError("run length")
    return at
