"""From scene light to an 8-bit picture as a camera would take it."""

from __future__ import annotations

import numpy as np

MIDDLE_GREY = 0.18
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def tone_map(linear: np.ndarray) -> np.ndarray:
    """uint8 sRGB (H, W, 3) of linear light (H, W, 3), whatever its unit.

    Exposure puts the geometric mean luminance, rows weighted by their area on the sphere, on middle grey;
    highlights are compressed by  L (1 + L / w²) / (1 + L)  (Reinhard et al. 2002) with w at the 99.8th
    percentile, colour kept; then the sRGB curve. Not-a-number and negative values count as black, infinite
    ones as the brightest finite one.
    """
    linear = np.nan_to_num(np.asarray(linear, np.float64), nan=0.0, posinf=np.inf, neginf=0.0)
    finite = linear[np.isfinite(linear)]
    linear = np.clip(linear, 0, finite.max() if finite.size else 1.0)
    light = linear @ LUMINANCE
    rows = np.sin((np.arange(len(light)) + 0.5) / len(light) * np.pi)[:, None]
    top = float(light.max())
    if top <= 0:
        return np.zeros(linear.shape, np.uint8)
    mean = np.exp((np.log(np.maximum(light, top * 1e-6)) * rows).sum() / (rows.sum() * light.shape[1]))
    light = light * (MIDDLE_GREY / mean)
    white = max(float(np.percentile(light, 99.8)), 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = np.where(light > 0, (1 + light / white**2) / (1 + light), 1.0)
    return encode_srgb(linear * (MIDDLE_GREY / mean) * gain[..., None])


def encode_srgb(linear: np.ndarray) -> np.ndarray:
    """sRGB bytes of linear values, clipped to [0, 1]."""
    x = np.clip(linear, 0, 1)
    curve = np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 1e-9) ** (1 / 2.4) - 0.055)
    return np.rint(255 * curve).astype(np.uint8)
