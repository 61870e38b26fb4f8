"""Writers for what Pillow cannot save: 16-bit colour as PNG, 16-bit and float colour as TIFF."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from PIL import Image, TiffImagePlugin

from anylens.errors import ImageError

PNG_COLOUR = {1: 0, 2: 4, 3: 2, 4: 6}  # channels -> colour type
UP = 2  # PNG filter: difference to the line above
ASCII, SHORT, LONG, UNDEFINED = 2, 3, 4, 7  # TIFF field types
ORIENTATION, EXIF_IFD = 274, 34665
WORDS = (270, 271, 272, 305, 306, 315, 33432)  # description, make, model, software, date, artist, copyright


def encode_png16(pixels: np.ndarray, exif: bytes | None = None, icc: bytes | None = None) -> bytes:
    """PNG bytes of uint16 pixels (H, W) or (H, W, C)."""
    pixels = pixels if pixels.ndim == 3 else pixels[..., None]
    height, width, channels = pixels.shape
    if channels not in PNG_COLOUR or pixels.dtype != np.uint16:
        raise ImageError(f"16-bit PNG holds 1 to 4 channels of uint16, not {channels} of {pixels.dtype}.")
    lines = pixels.astype(">u2").view(np.uint8).reshape(height, -1)
    filtered = np.full((height, lines.shape[1] + 1), UP, dtype=np.uint8)
    filtered[:, 1:] = lines
    filtered[1:, 1:] -= lines[:-1]
    head = struct.pack(">IIBBBBB", width, height, 16, PNG_COLOUR[channels], 0, 0, 0)
    out = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head)
    if icc:
        out += _chunk(b"iCCP", b"ICC\0\0" + zlib.compress(icc))
    if exif:
        out += _chunk(b"eXIf", exif.removeprefix(b"Exif\0\0"))
    return out + _chunk(b"IDAT", zlib.compress(filtered.tobytes(), 4)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def encode_tiff(pixels: np.ndarray, icc: bytes | None = None, exif: Image.Exif | None = None) -> bytes:
    """TIFF bytes (one Deflate strip) of uint8, uint16 or float32 pixels (H, W) or (H, W, C), with the EXIF tags."""
    if pixels.dtype.name not in ("uint8", "uint16", "float32"):
        raise ImageError(f"TIFF is written from uint8, uint16 or float32, not {pixels.dtype}.")
    pixels = pixels if pixels.ndim == 3 else pixels[..., None]
    height, width, channels = pixels.shape
    strip = zlib.compress(pixels.astype(pixels.dtype.newbyteorder("<")).tobytes(), 4)
    fields: list[tuple[int, int, int, bytes]] = [
        _field(256, LONG, [width]),
        _field(257, LONG, [height]),
        _field(258, SHORT, [8 * pixels.dtype.itemsize] * channels),
        _field(259, SHORT, [8]),  # Deflate
        _field(262, SHORT, [2 if channels >= 3 else 1]),
        _field(273, LONG, [8]),
        _field(277, SHORT, [channels]),
        _field(278, LONG, [height]),
        _field(279, LONG, [len(strip)]),
        _field(284, SHORT, [1]),
    ]
    if channels in (2, 4):
        fields.append(_field(338, SHORT, [2]))  # the last channel is alpha
    fields.append(_field(339, SHORT, [3 if pixels.dtype.kind == "f" else 1] * channels))
    if icc:
        fields.append((34675, UNDEFINED, len(icc), icc))
    strip += b"\0" * (len(strip) % 2)
    if exif is not None:
        inner = _inner_tags(exif, 8 + len(strip))
        fields += [*_outer_tags(exif), _field(EXIF_IFD, LONG, [8 + len(strip)])]
        strip += inner + b"\0" * (len(inner) % 2)
    fields.sort()
    at = 8 + len(strip)  # the directory follows pixels and tags
    values_at, entries, values = at + 2 + 12 * len(fields) + 4, b"", b""
    for tag, kind, count, body in fields:
        if len(body) <= 4:
            entries += struct.pack("<HHI", tag, kind, count) + body.ljust(4, b"\0")
        else:
            entries += struct.pack("<HHII", tag, kind, count, values_at + len(values))
            values += body + b"\0" * (len(body) % 2)
    directory = struct.pack("<H", len(fields)) + entries + struct.pack("<I", 0) + values
    return b"II*\0" + struct.pack("<I", at) + strip + directory


def _field(tag: int, kind: int, values: list[int]) -> tuple[int, int, int, bytes]:
    return tag, kind, len(values), struct.pack(f"<{len(values)}{'H' if kind == SHORT else 'I'}", *values)


def _outer_tags(exif: Image.Exif) -> list[tuple[int, int, int, bytes]]:
    """What a TIFF keeps beside the layout of its pixels."""
    texts = {tag: str(exif[tag]).encode() + b"\0" for tag in WORDS if tag in exif}
    return [*((tag, ASCII, len(text), text) for tag, text in texts.items()),
            _field(ORIENTATION, SHORT, [int(exif.get(ORIENTATION, 1))])]  # fmt: skip


def _inner_tags(exif: Image.Exif, at: int) -> bytes:
    """The EXIF directory, for a place `at` bytes into the file."""
    directory = TiffImagePlugin.ImageFileDirectory_v2(b"II*\0\x08\0\0\0")
    for tag, value in exif.get_ifd(EXIF_IFD).items():
        directory[tag] = value
    return directory.tobytes(at)
