"""Exposure, gamma, contrast, white balance as one look-up table per channel; grey, sepia, vignette."""

from __future__ import annotations

import functools

import numpy as np

from anylens.data.augment.settings import Augment
from anylens.data.raster import opencv, round_to_bytes

GREY = np.array([0.299, 0.587, 0.114], np.float32)
SEPIA = np.array([1.08, 0.95, 0.72], np.float32)


def change_tone(image: np.ndarray, settings: Augment, rng: np.random.Generator) -> np.ndarray:
    """y = 0.5 + c ((g_i 2^e x)^γ - 0.5) per channel i, with exposure e, gains g, gamma γ and contrast c
    drawn.
    """
    level = np.arange(256, dtype=np.float64) / 255
    exposure = 2 ** rng.uniform(-settings.exposure_stops, settings.exposure_stops)
    gamma = np.exp(rng.uniform(-settings.gamma, settings.gamma))
    contrast = 1 + rng.uniform(-settings.contrast, settings.contrast)
    warmth, tint = rng.normal(0, settings.white_balance, 2)
    gains = np.exp(np.array([warmth, 0.3 * tint, -warmth]))
    bright = np.clip(level[:, None] * gains * exposure ** (1 / 2.2), 0, None) ** gamma
    return look_up(image, round_to_bytes(255 * (0.5 + contrast * (bright - 0.5))))


def look_up(image: np.ndarray, table: np.ndarray) -> np.ndarray:
    """table (256, 3) applied to each channel of uint8 (H, W, 3)."""
    cv2 = opencv()
    if cv2 is not None:
        return cv2.LUT(image, np.ascontiguousarray(table)[None])
    return np.stack([table[image[..., i], i] for i in range(3)], axis=-1)


def to_grey(image: np.ndarray, tint: np.ndarray | None = None) -> np.ndarray:
    """Luminance in all channels, tinted by gains (3,) if given."""
    luminance = (image @ GREY)[..., None]
    return round_to_bytes(luminance * (np.ones(3, np.float32) if tint is None else tint))


def vignette(image: np.ndarray, depth: float) -> np.ndarray:
    """Darker towards the corners by  (1 + depth r²)^-2,  r = 1 at the corner."""
    squared = corner_distance(image.shape[1], image.shape[0])
    return round_to_bytes(image * (1 / (1 + depth * squared) ** 2)[..., None])


@functools.lru_cache(maxsize=64)
def corner_distance(width: int, height: int) -> np.ndarray:
    """Squared distance (H, W) of pixel centres from the image centre, 1 at the corners, float32."""
    x = (np.arange(width) + 0.5) / width * 2 - 1
    y = (np.arange(height) + 0.5) / height * 2 - 1
    a, b = (side * side / (width * width + height * height) for side in (width, height))
    return np.add.outer(b * y * y, a * x * x).astype(np.float32)
