"""Read a picture as it is, for resampling: native depth, upright, with EXIF and colour profile."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, TiffImagePlugin

from anylens.errors import ImageError
from anylens.images.exif import ExifTags, read_exif
from anylens.images.opening import MAX_PIXELS, load_pixels, open_picture, read_bytes
from anylens.images.orientation import turn_pixels

ICC = 34675  # a TIFF's tag for the colour profile
KEPT_MODES = ("L", "LA", "RGB", "RGBA", "CMYK", "I;16", "I", "F", "YCbCr", "LAB", "HSV")


@dataclass(frozen=True)
class Raster:
    """`pixels` (H, W) or (H, W, C), upright; `mode` is Pillow's name for the channels."""

    pixels: np.ndarray
    mode: str
    tags: ExifTags
    exif: Image.Exif | None = None
    icc: bytes | None = None


def read_raster(source: str | Path | bytes, max_pixels: int = MAX_PIXELS, *, name: str | None = None) -> Raster:
    """The picture of a file or of its bytes. 16-bit and float colour need OpenCV: Pillow cuts or refuses them."""
    data = source if isinstance(source, bytes) else read_bytes(source)
    name = name or ("The picture" if isinstance(source, bytes) else Path(source).name)
    if data[:4] in (b"II*\0", b"MM\0*") and _is_float_colour(data, name, max_pixels):
        pixels, mode = _read_deep(data, name)
        exif = Image.Exif()
        exif.load(data)  # a TIFF is laid out like an EXIF block
        tags = read_exif(exif)
        return Raster(turned_upright(pixels, tags), mode, tags, exif, exif.get(ICC))
    picture = open_picture(data, name, max_pixels)
    deep = _is_deep(picture, data)
    before = picture.size
    load_pixels(picture, name)
    tags, icc = read_exif(picture), picture.info.get("icc_profile")
    turned = picture.size == before[::-1] != before
    if deep:
        pixels, mode = _read_deep(data, name)
        if turned:
            raise ImageError(f"{name}: 16-bit TIFFs with an orientation tag are not supported. Turn it first.")
    else:
        # Pillow before 11 opens 16-bit grey PNGs in 32 bits
        if picture.mode.startswith("I;16") or (picture.mode == "I" and picture.format == "PNG"):
            mode, pixels = "I;16", np.asarray(picture).astype(np.uint16)
        else:
            if picture.mode not in KEPT_MODES:
                picture = picture.convert("RGBA" if "transparency" in picture.info or "A" in picture.mode else "RGB")
            mode, pixels = picture.mode, np.asarray(picture)
    return Raster(turned_upright(pixels, tags), mode, tags, _exif_of(picture), icc)


def turned_upright(pixels: np.ndarray, tags: ExifTags) -> np.ndarray:
    return np.ascontiguousarray(turn_pixels(pixels, tags.orientation))


def _is_deep(picture: Image.Image, data: bytes) -> bool:
    """Colour with more than 8 bits, which Pillow would cut to 8."""
    if picture.format == "PNG":
        return data[24] == 16 and picture.mode in ("RGB", "RGBA", "LA")
    bits = getattr(picture, "tag_v2", {}).get(258, (8,)) if picture.format == "TIFF" else (8,)
    return len(bits) > 1 and max(bits) > 8


def _is_float_colour(data: bytes, name: str, max_pixels: int) -> bool:
    """A TIFF of float colour, which Pillow does not open at all; its size is checked from the header."""
    try:
        fields = TiffImagePlugin.ImageFileDirectory_v2(data[:8])
        stream = io.BytesIO(data)
        stream.seek(fields.next)
        fields.load(stream)
        is_float = 3 in tuple(fields.get(339, (1,))) and int(fields.get(277, 1)) > 1
        size = int(fields[256]) * int(fields[257])
    except Exception:  # damaged: the ordinary way reports it
        return False
    if is_float and size > max_pixels:
        raise ImageError(f"{name}: {size / 1e6:.0f} megapixels are more than {max_pixels / 1e6:.0f}. Shrink it first.")
    return is_float


def _read_deep(data: bytes, name: str) -> tuple[np.ndarray, str]:
    try:
        import cv2
    except ImportError:
        raise ImageError(f"{name}: 16-bit colour is read with OpenCV: pip install anylens[opencv].") from None
    pixels = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_UNCHANGED)
    if pixels is None:
        raise ImageError(f"{name}: OpenCV cannot decode it either.")
    order = {3: [2, 1, 0], 4: [2, 1, 0, 3]}
    if pixels.ndim == 3:
        pixels = pixels[..., order[pixels.shape[2]]]
    return pixels, {2: "L", 3: "RGB", 4: "RGBA"}[pixels.ndim if pixels.ndim == 2 else pixels.shape[2]]


def _exif_of(picture: Image.Image) -> Image.Exif | None:
    try:
        exif = picture.getexif()
        return exif if len(exif) else None
    except Exception:  # a damaged block is not worth losing the picture for
        return None
