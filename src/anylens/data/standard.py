"""The one form in which pictures meet the network, in training and in use.

    source  →  working picture, `density` pixels per output pixel  →  soften  →  JPEG  →  resize  →  output

Whatever a photograph's own size and history, the network sees it through the same chain as a training view:
sharpness and compression then say little about the lens. A density below one keeps less detail than the output could
hold: small sources then look like large ones, and longer lenses can be rendered. The first step means over source areas
(a smaller source is enlarged and stays softer: nothing can be done for it); the softening stands for
the bilinear sampling that training views go through; the JPEG covers most of what is left of earlier ones, which a crop
shows larger than a whole.
"""

from __future__ import annotations

import numpy as np

from anylens.data.compression import compress
from anylens.data.raster import resize, soften, working_size

SOFTENING = 0.09  # three-tap weight with the response of bilinear sampling at a random position, one pixel per pixel


def standard_form(image: np.ndarray, out_w: int, out_h: int, density: float, quality: int = 0) -> np.ndarray:
    """uint8 (H, W, 3) brought to (out_h, out_w, 3) by way of a working picture of `density` pixels per pixel, stored
    as a JPEG of `quality` (0: not).
    """
    working = soften(resize(image, *working_size(out_w, out_h, density)), SOFTENING)
    return resize(compress(working, quality) if quality else working, out_w, out_h)
