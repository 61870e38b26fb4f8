"""Lossy compression of a picture there and back, by Pillow, so that every machine loses the same."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image


def compress(image: np.ndarray, quality: int, webp: bool = False) -> np.ndarray:
    """uint8 (H, W, 3) after JPEG (4:2:0) or WebP at `quality`."""
    buffer = io.BytesIO()
    picture = Image.fromarray(np.ascontiguousarray(image))
    if webp:
        picture.save(buffer, "WEBP", quality=quality, method=0)
    else:
        picture.save(buffer, "JPEG", quality=quality)
    buffer.seek(0)
    with Image.open(buffer) as file:
        return np.asarray(file.convert("RGB"))
