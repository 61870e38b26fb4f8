"""Read a photograph for calibration: upright 8-bit RGB, whatever it was stored as."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from anylens.errors import ImageError
from anylens.images.exif import ExifTags, FocalTag, focal_from_exif, read_exif
from anylens.images.opening import MAX_PIXELS, MIN_SIDE, load_pixels, open_picture, read_bytes
from anylens.images.orientation import turn_pixels
from anylens.images.pixels import check_array, to_rgb8

ARRAY_MODES = ("I", "F", "I;16", "I;16B", "I;16L", "I;16N")


@dataclass(frozen=True)
class Photo:
    """A photo upright, as 8-bit RGB.

    `rgb` (h, w, 3) has the full upright size `width` x `height` unless it was asked for smaller.
    `opaque` (h, w) marks the pixels that are not transparent; None where all are opaque.
    """

    name: str
    rgb: np.ndarray
    width: int
    height: int
    exif: ExifTags = field(default_factory=ExifTags)
    opaque: np.ndarray | None = None

    @property
    def focal(self) -> FocalTag | None:
        """The focal length that the EXIF tags give, for the full upright photo."""
        return focal_from_exif(self.exif, self.width, self.height)


def read_photo(
    source: Any, *, name: str | None = None, max_pixels: int = MAX_PIXELS, at_least: int | None = None
) -> Photo:
    """A photo from a path, bytes, an open binary file, a Pillow image or an array (NumPy, torch, …).

    Files may be of 1 to 16 bits, grey, palette, CMYK, with alpha, animated (the first frame counts), MPO,
    with a wrong extension; the EXIF orientation is applied. `at_least`: JPEGs may be decoded at 1/2, 1/4 or
    1/8 of their size as long as the longer side keeps this many pixels, which is faster. Every failure is an
    ImageError.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return _decode(read_bytes(path), name or path.name, max_pixels, at_least)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _decode(bytes(source), name or "The picture", max_pixels, at_least)
    if isinstance(source, Image.Image):
        _check_size(*source.size, name or "The picture", max_pixels)
        return _from_pillow(source, name or "The picture", source.size)
    if hasattr(source, "read"):
        try:
            data = source.read()
        except (OSError, ValueError) as error:
            raise ImageError(f"{name or 'The stream'}: {error}.") from None
        if not isinstance(data, bytes):
            raise ImageError(f"{name or 'The stream'}: opened as text; open it in binary mode ('rb').")
        return _decode(data, name or Path(str(getattr(source, "name", "The stream"))).name, max_pixels, at_least)
    name = name or "The array"
    pixels = check_array(source, name)
    _check_size(pixels.shape[1], pixels.shape[0], name, max_pixels)
    rgb, opaque = to_rgb8(pixels, name)
    return Photo(name, rgb, rgb.shape[1], rgb.shape[0], opaque=opaque)


def _decode(data: bytes, name: str, max_pixels: int, at_least: int | None) -> Photo:
    picture = open_picture(data, name, max_pixels)
    size = picture.size
    if at_least and picture.format in ("JPEG", "MPO"):
        share = at_least / max(size)
        picture.draft("RGB" if picture.mode != "L" else "L", (round(size[0] * share), round(size[1] * share)))
    return _from_pillow(picture, name, size)


def _from_pillow(picture: Image.Image, name: str, size: tuple[int, int]) -> Photo:
    before = picture.size
    picture = load_pixels(picture, name)
    if picture.size == before[::-1] != before:  # Pillow itself has turned it (TIFF)
        size = size[::-1]
    tags = read_exif(picture)
    try:
        rgb, opaque = _rgb(picture, name)
    except (ValueError, OSError, MemoryError) as error:
        raise ImageError(f"{name}: cannot be turned into RGB from mode {picture.mode} ({error}).") from None
    rgb = np.ascontiguousarray(turn_pixels(rgb, tags.orientation))
    opaque = None if opaque is None else np.ascontiguousarray(turn_pixels(opaque, tags.orientation))
    width, height = size[::-1] if tags.orientation > 4 else size
    return Photo(name, rgb, width, height, tags, opaque)


def _rgb(picture: Image.Image, name: str) -> tuple[np.ndarray, np.ndarray | None]:
    if picture.mode in ARRAY_MODES:
        return to_rgb8(np.asarray(picture), name, scale_floats=True)
    transparent = picture.mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in picture.info
    if transparent and picture.mode in ("P", "PA", "La", "RGBa", "L", "RGB", "1"):
        picture = picture.convert("RGBA")
    elif picture.mode not in ("RGB", "L", "LA", "RGBA"):
        picture = picture.convert("RGB")
    return to_rgb8(np.asarray(picture), name)


def _check_size(width: int, height: int, name: str, max_pixels: int) -> None:
    if min(width, height) < MIN_SIDE:
        raise ImageError(f"{name}: {width}x{height} is too small; each side needs {MIN_SIDE} pixels.")
    if width * height > max_pixels:
        raise ImageError(f"{name}: {width}x{height} is more than {max_pixels / 1e6:.0f} megapixels.")
