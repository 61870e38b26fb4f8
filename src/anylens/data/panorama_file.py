"""Reading an equirectangular panorama from any common format, checked and as 8-bit sRGB."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from anylens.data.raster import shrink_area
from anylens.errors import ImageError

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp")
RADIANCE = (".hdr", ".pic", ".exr")
SUFFIXES = PICTURES + RADIANCE


def read_panorama(path: str | Path, max_width: int = 4096) -> np.ndarray:
    """Panorama as uint8 (W/2, W, 3), W at most `max_width`. HDR and EXR are tone-mapped.

    Raises ImageError for files that cannot be read and for shapes that are not 2:1.
    """
    path = Path(path)
    if path.suffix.lower() in RADIANCE:
        from anylens.data.exr import read_exr
        from anylens.data.rgbe import read_rgbe
        from anylens.data.tonemap import tone_map

        linear = read_exr(path) if path.suffix.lower() == ".exr" else read_rgbe(path)
        check_shape(linear.shape[1], linear.shape[0], path)
        image = tone_map(linear)
    else:
        image = _read_picture(path)
    height, width = image.shape[:2]
    if width > max_width:
        width, height = max_width, max_width // 2
    return np.ascontiguousarray(shrink_area(image, width, height))


def _read_picture(path: Path) -> np.ndarray:
    limit = Image.MAX_IMAGE_PIXELS
    try:
        with Image.open(path) as file:
            check_shape(file.width, file.height, path)
            if file.mode.startswith("I;16") or file.mode == "I":
                return np.repeat((np.asarray(file, np.float64) / 257).astype(np.uint8)[..., None], 3, axis=2)
            return np.asarray(file.convert("RGB"))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise ImageError(f"{path.name}: cannot be read as a picture ({error}).") from None
    except Image.DecompressionBombError:
        raise ImageError(f"{path.name}: more than {limit} pixels; shrink it first.") from None


def check_shape(width: int, height: int, path: Path) -> None:
    """Raise ImageError unless the picture is twice as wide as high (within two pixels)."""
    if abs(width - 2 * height) <= 2 and height >= 16:
        return
    ratio = width / max(height, 1)
    guess = ""
    if any(abs(ratio - r) < 0.01 for r in (6, 1 / 6, 4 / 3, 3 / 4)):
        guess = " It may be a cubemap: convert it to equirectangular first."
    elif abs(ratio - 1) < 0.01:
        guess = " It may be a fisheye, a cube face or a stereo pair (top and bottom)."
    raise ImageError(f"{path.name}: {width}x{height} is not an equirectangular panorama (2:1).{guess}")


def black_caps(image: np.ndarray, threshold: int = 6) -> tuple[float, float]:
    """Radii in degrees (nadir, zenith) of black caps: rows with 99 % of pixels at most `threshold`."""
    dark = (image.max(axis=2) <= threshold).mean(axis=1) > 0.99
    height = len(dark)
    nadir = int(np.argmin(dark[::-1])) if not dark.all() else height
    zenith = int(np.argmin(dark)) if not dark.all() else height
    return nadir * 180 / height, zenith * 180 / height
