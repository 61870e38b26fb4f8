"""A camera's view of a panorama, equally sharp whatever its field of view.

The view is first made `density` times larger than the result (the working picture), then resized. Each
working pixel blends two neighbouring pyramid levels so that the blur it has seen, measured in working
pixels, is the same everywhere. A level with m pixels per working pixel is sampled with the variance V/m²
(its own pixel and the bilinear triangle), the next coarser one with 4V/m²; with

    w V/m² + (1 - w) 4V/m² = V      w = (4 - m²) / 3,   1 ≤ m ≤ 2

the blend always has the variance V of a level sampled at m = 1.
"""

from __future__ import annotations

import math

import numpy as np

from anylens.camera import Camera
from anylens.data.lookup import inner_entry, ray_table, view_rays
from anylens.data.pyramid import BORDER, Pyramid
from anylens.data.raster import opencv, resize, round_to_bytes, sample_bilinear, working_size

FAINT = 1 / 32  # a pyramid level of less weight than this everywhere is left out


def render_view(pyramid: Pyramid, camera: Camera, rotation: np.ndarray, density: float = 1.0) -> np.ndarray:
    """The view as uint8 (H, W, 3);  ray_panorama = rotation @ ray_camera."""
    width, height = int(camera.width), int(camera.height)
    working = render_working(pyramid, camera.resize(*working_size(width, height, density)), rotation)
    return resize(working, width, height)


def render_working(pyramid: Pyramid, camera: Camera, rotation: np.ndarray) -> np.ndarray:
    """The working picture: blended pyramid levels sampled at every pixel of `camera`, uint8 (h, w, 3)."""
    table = ray_table(camera)
    weights = level_weights(np.log2(table.pixel_size * pyramid.pixels_per_radian), len(pyramid.levels))
    first = inner_entry(camera, table)
    used = [level for level, weight in enumerate(weights) if weight[first:].max() >= FAINT]
    rays, shares = view_rays(camera, table, [weights[level] for level in used] if len(used) > 1 else [])
    X, Y, Z = np.matmul(rotation.astype(np.float32), rays.reshape(3, -1)).reshape(rays.shape)
    u = np.arctan2(X, Z) * np.float32(0.5 / math.pi) + np.float32(0.5)  # [0, 1] across the panorama
    v = np.arcsin(np.clip(Y, -1, 1)) * np.float32(1 / math.pi) + np.float32(0.5)
    layers = [_sample_level(pyramid.levels[level], u, v) for level in used]
    return blend(layers, shares) if len(used) > 1 else layers[0]


def _sample_level(picture: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    h, w = picture.shape[0] - 2 * BORDER, picture.shape[1] - 2 * BORDER
    return sample_bilinear(picture, u * w + np.float32(BORDER - 0.5), v * h + np.float32(BORDER - 0.5))


def level_weights(log2_m: np.ndarray, levels: int) -> list[np.ndarray]:
    """Weight of every level where the finest has 2^log2_m pixels per working pixel; they add up to 1."""
    t = np.clip(log2_m, 0, levels - 1)
    low = np.minimum(np.floor(t), max(levels - 2, 0))
    finer = (4 - 4.0 ** (t - low)) / 3
    return [np.where(low == level, finer, 0) + np.where(low == level - 1, 1 - finer, 0) for level in range(levels)]


def blend(layers: list[np.ndarray], shares: list[np.ndarray]) -> np.ndarray:
    """Σ share · layer for shares (h, w), scaled to add up to 1 at every pixel."""
    cv2 = opencv()
    if cv2 is None:
        mixed = np.add.reduce([layer * share[..., None] for layer, share in zip(layers, shares)])
        return round_to_bytes(mixed / np.add.reduce(shares)[..., None])
    mixed, total = layers[0], shares[0]
    for layer, share in zip(layers[1:], shares[1:]):
        mixed = cv2.blendLinear(mixed, layer, total, share)
        total = total + share
    return mixed
