"""Arrays of any common kind as 8-bit RGB: what a network is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import is_array_api_obj

from anylens.arrays import as_numpy
from anylens.errors import ImageError

CHANNELS = (1, 2, 3, 4)  # grey, grey + alpha, RGB, RGBA
GREY = 128  # shown where a picture is transparent
DEPTHS = (10, 12, 14, 16)  # bits that cameras store in 16


def check_array(array: Any, name: str) -> np.ndarray:
    """A NumPy picture (H, W) or (H, W, C); channels first, torch's habit, is turned. Raises ImageError."""
    if not is_array_api_obj(array):
        raise ImageError(f"{name}: expected a path, bytes, a Pillow image or an array, not {type(array).__name__}.")
    pixels = as_numpy(array)
    if pixels.ndim == 3 and pixels.shape[2] not in CHANNELS and pixels.shape[0] in CHANNELS:
        pixels = np.moveaxis(pixels, 0, 2)
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] not in CHANNELS):
        raise ImageError(f"{name}: an array of shape {pixels.shape} is no picture. Use (H, W), (H, W, 3) or (3, H, W).")
    if pixels.dtype.kind not in "uif" and pixels.dtype != bool:
        raise ImageError(f"{name}: an array of {pixels.dtype} is no picture. Use uint8, uint16 or floats in [0, 1].")
    return pixels


def to_rgb8(pixels: np.ndarray, name: str, *, scale_floats: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
    """RGB (H, W, 3) uint8 and, where there is transparency, which pixels are opaque (H, W).

    uint16 is scaled by the smallest camera depth (10 to 16 bits) that holds its values. Floats must lie in
    [0, 1] unless `scale_floats`, which divides by the largest value. Raises ImageError for NaN, infinity and
    wild ranges.
    """
    values = to_8_bits(pixels, name, scale_floats)
    if values.ndim == 2:
        values = values[..., None]
    alpha = values[..., -1] if values.shape[2] in (2, 4) else None
    colour = values[..., :1] if values.shape[2] < 3 else values[..., :3]
    rgb = np.ascontiguousarray(np.broadcast_to(colour, (*values.shape[:2], 3)))
    if alpha is None or alpha.min() == 255:
        return rgb, None
    share = alpha[..., None].astype(np.float32) / 255
    blended = np.rint(rgb * share + GREY * (1 - share)).astype(np.uint8)
    return blended, alpha >= 128


def to_8_bits(pixels: np.ndarray, name: str, scale_floats: bool) -> np.ndarray:
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype == bool:
        return pixels.astype(np.uint8) * 255
    if pixels.dtype.kind in "ui":
        low, high = int(pixels.min()), int(pixels.max())
        if low < 0:
            raise ImageError(f"{name}: negative pixel values (down to {low}).")
        if pixels.dtype.itemsize > 1 and high <= 255 and pixels.dtype != np.uint16:
            return pixels.astype(np.uint8)  # int64 arrays of 8-bit values
        top = next((2**bits - 1 for bits in DEPTHS if high < 2**bits), high)
        return np.rint(pixels * np.float32(255 / top)).astype(np.uint8)
    if not np.all(np.isfinite(pixels)):
        raise ImageError(f"{name}: NaN or infinite pixel values.")
    darkest, brightest = float(pixels.min()), float(pixels.max())
    if scale_floats and brightest > 1:
        pixels, darkest, brightest = pixels / brightest, darkest / brightest, 1.0
    if darkest < -0.01 or brightest > 1.01:
        raise ImageError(
            f"{name}: float pictures lie in [0, 1], this one in [{darkest:.3g}, {brightest:.3g}]. "
            "Divide by its white level, or pass uint8."
        )
    return np.rint(np.clip(pixels, 0, 1) * 255).astype(np.uint8)
