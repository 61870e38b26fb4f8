"""The one form in which pictures meet the network, in training and in use.

    source  →  small copy  →  working picture  →  soften  →  JPEG  →  resize  →  output

Whatever a photograph's own size and history, the network sees it through the same chain as a training view:
sharpness and compression then say little about the lens.

The small copy (`side` pixels, WebP) is what photographs were collected as for training. Without it a photo in use would
be crisper than every photograph that the network knows, and be taken for a rendered view. The working picture has
`density` pixels per output pixel; below one it keeps less detail than the output could hold: small sources then look
like large ones, and longer lenses can be rendered. It means over source areas (a smaller source is enlarged and stays
softer: nothing can be done for it). The softening stands for the bilinear sampling that training views go through. The
JPEG covers most of what is left of earlier ones, which a crop shows larger than a whole.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from anylens.data.compression import compress
from anylens.data.raster import resize, soften, working_size

COPY_SIDE, COPY_QUALITY = 288, 76  # of photographs that are collected for training: longer side, WebP
SOFTENING = 0.09  # three-tap weight with the response of bilinear sampling at a random position, one pixel per pixel


def standard_form(
    image: np.ndarray, out_w: int, out_h: int, density: float, quality: int = 0, side: int = 0, webp: int = 0
) -> np.ndarray:
    """uint8 (H, W, 3) brought to (out_h, out_w, 3) by way of a working picture of `density` pixels per pixel, stored
    as a JPEG of `quality` (0: not), and before that of a copy of `side` pixels, a WebP of quality `webp` (0: none).
    """
    working = soften(resize(small_copy(image, side, webp), *working_size(out_w, out_h, density)), SOFTENING)
    return resize(compress(working, quality) if quality else working, out_w, out_h)


def small_copy(image: np.ndarray, side: int, webp: int) -> np.ndarray:
    """uint8 (h, w, 3) as a photograph is collected: `side` pixels long, WebP of quality `webp`. Pictures that are no
    larger come back as they are, and so do all where either is 0.
    """
    if not (side and webp) or max(image.shape[:2]) <= side:
        return image
    return compress(shrink_copy(image, side), webp, webp=True)


def shrink_copy(image: np.ndarray, side: int) -> np.ndarray:
    """uint8 (H, W, 3) with the longer side `side` pixels; by Pillow, so that every machine sees the same."""
    height, width = (max(1, round(n * side / max(image.shape[:2]))) for n in image.shape[:2])
    picture = Image.fromarray(np.ascontiguousarray(image))
    return np.asarray(picture.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0))
