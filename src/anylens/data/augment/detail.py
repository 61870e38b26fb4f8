"""Blur, sharpening, loss of resolution, sensor noise and chromatic aberration."""

from __future__ import annotations

import functools

import numpy as np

from anylens.data.raster import resize, round_to_bytes, sample_bilinear, shrink_area

NOISE_LENGTH = 1 << 21


def lose_resolution(image: np.ndarray, factor: float) -> np.ndarray:
    """Shrunk by `factor` < 1 and enlarged again."""
    height, width = image.shape[:2]
    small = shrink_area(image, max(8, round(width * factor)), max(8, round(height * factor)))
    return resize(small, width, height)


def add_noise(image: np.ndarray, deviation: float, rng: np.random.Generator) -> np.ndarray:
    """Sensor noise: half of the variance constant, half growing with brightness; partly the same in all
    channels.
    """
    noise = _noise_field()
    start = int(rng.integers(0, NOISE_LENGTH - image.size))
    colour = noise[start : start + image.size].reshape(image.shape)
    start = int(rng.integers(0, NOISE_LENGTH - image[..., 0].size))
    grey = noise[start : start + image[..., 0].size].reshape(image.shape[:2])[..., None]
    growing = np.sqrt(0.5 + np.arange(256, dtype=np.float32) / 255)[image]
    return round_to_bytes(image + np.float32(deviation) * growing * (0.6 * colour + 0.8 * grey))


@functools.cache
def _noise_field() -> np.ndarray:
    """Fixed standard normal numbers, of which every view takes a stretch of its own: drawing them anew is
    slower.
    """
    return np.random.default_rng(20250101).standard_normal(NOISE_LENGTH, dtype=np.float32)


def shift_colours(image: np.ndarray, pixels: float) -> np.ndarray:
    """Lateral chromatic aberration: red enlarged, blue shrunk by `pixels` at the corner."""
    height, width = image.shape[:2]
    half = np.hypot(width, height) / 2
    out = image.copy()
    for channel, sign in ((0, 1), (2, -1)):
        scale = 1 - sign * pixels / half
        x = (np.arange(width, dtype=np.float32) + 0.5 - width / 2) * scale + (width / 2 - 0.5)
        y = (np.arange(height, dtype=np.float32) + 0.5 - height / 2) * scale + (height / 2 - 0.5)
        plane = np.ascontiguousarray(image[..., channel : channel + 1])
        grid = np.meshgrid(x.astype(np.float32), y.astype(np.float32))
        out[..., channel] = sample_bilinear(plane, *grid).reshape(height, width)
    return out
