"""Save pictures by their extension; EXIF and colour profile are kept, depth is never cut."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image

from anylens.errors import ImageError
from anylens.images.deep import encode_png16, encode_tiff
from anylens.images.exr import encode_exr
from anylens.whole_file import write_whole

PILLOW = {".jpg": "JPEG", ".jpeg": "JPEG", ".png": "PNG", ".tif": "TIFF", ".tiff": "TIFF", ".webp": "WEBP",
          ".bmp": "BMP", ".avif": "AVIF", ".jp2": "JPEG2000"}  # fmt: skip
DEEP = (".png", ".tif", ".tiff", ".exr")
ICC_MODES = ("L", "LA", "RGB", "RGBA", "CMYK", "LAB")


def encode_picture(
    pixels: np.ndarray,
    suffix: str,
    *,
    mode: str | None = None,
    exif: Image.Exif | None = None,
    icc: bytes | None = None,
    quality: int = 95,
) -> bytes:
    """File bytes of pixels (H, W[, C]) for an extension. Raises ImageError where depth would be lost."""
    suffix = suffix.lower()
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    if suffix == ".exr":
        planes = pixels.reshape(*pixels.shape[:2], channels).astype(np.float32)
        return encode_exr({n: planes[..., i] for i, n in enumerate("Y" if channels == 1 else "RGBA"[:channels])})
    if suffix not in PILLOW:
        raise ImageError(f"Cannot write '{suffix}' pictures. Known: {', '.join(PILLOW)}, .exr.")
    if pixels.dtype != np.uint8:
        if suffix not in DEEP:
            raise ImageError(f"'{suffix}' holds 8 bits, the picture is {pixels.dtype}. Use {', '.join(DEEP)}.")
        if suffix == ".png":
            if pixels.dtype != np.uint16:
                raise ImageError(f"PNG holds 8 or 16 bits, the picture is {pixels.dtype}. Use .tif or .exr.")
            return encode_png16(pixels, exif.tobytes() if exif else None, icc)
        return encode_tiff(pixels if pixels.dtype == np.uint16 else pixels.astype(np.float32), icc, exif)
    picture = Image.fromarray(pixels) if mode is None else _with_mode(pixels, mode)
    kind = PILLOW[suffix]
    if kind in ("JPEG", "BMP", "JPEG2000") and picture.mode not in ("L", "RGB", "CMYK"):
        picture = picture.convert("L" if picture.mode in ("1", "LA") else "RGB")
    options: dict = {"quality": quality} if kind in ("JPEG", "WEBP", "AVIF") else {}
    if kind == "JPEG":
        options["subsampling"] = 0
    if icc and picture.mode in ICC_MODES:
        options["icc_profile"] = icc
    if exif is not None and kind != "BMP":
        options["exif"] = exif.tobytes()
    stream = io.BytesIO()
    try:
        picture.save(stream, kind, **options)
    except (OSError, ValueError, KeyError) as error:
        raise ImageError(f"Cannot encode a {picture.mode} picture as {kind}: {error}.") from None
    return stream.getvalue()


def _with_mode(pixels: np.ndarray, mode: str) -> Image.Image:
    size = pixels.shape[1], pixels.shape[0]
    return Image.frombytes(mode, size, np.ascontiguousarray(pixels).tobytes())


def save_bytes(path: str | Path, content: bytes) -> None:
    """Write a picture whole or not at all. Raises ImageError."""
    write_whole(path, content, ImageError)
