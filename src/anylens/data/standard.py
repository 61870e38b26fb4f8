"""The one form in which pictures meet the network, in training and in use.

    source  →  working picture, `density` pixels per output pixel  →  soften  →  JPEG  →  shrink by area  →  output

Whatever a photograph's own size and history, the network sees it through the same chain as a training view:
sharpness and compression then say little about the lens. The first step means over source areas (a
smaller source is enlarged bilinearly and stays softer: nothing can be done for it); the softening stands for
the bilinear sampling that training views go through; the JPEG covers most of what is left of earlier ones, which a crop
shows larger than a whole.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from anylens.data.compression import compress
from anylens.data.raster import shrink_area, soften

SOFTENING = 0.09  # three-tap weight with the response of bilinear sampling at a random position, one pixel per pixel


def standard_form(image: np.ndarray, out_w: int, out_h: int, density: float, quality: int = 0) -> np.ndarray:
    """uint8 (H, W, 3) brought to (out_h, out_w, 3) by way of a working picture of `density` pixels per pixel, stored
    as a JPEG of `quality` (0: not).
    """
    width, height = max(out_w, round(out_w * density)), max(out_h, round(out_h * density))
    working = soften(to_working(image, width, height), SOFTENING)
    return shrink_area(compress(working, quality) if quality else working, out_w, out_h)


def to_working(image: np.ndarray, width: int, height: int) -> np.ndarray:
    """The picture at working size: area means where it shrinks, bilinear where it must grow."""
    h, w = image.shape[:2]
    if w >= width and h >= height:
        return shrink_area(image, width, height)
    image = shrink_area(image, min(w, width), min(h, height))
    return np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR))
