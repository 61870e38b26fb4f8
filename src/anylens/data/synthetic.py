"""Panoramas made in code: a furnished room with known axes, white noise, and colours that spell the
direction.
"""

from __future__ import annotations

import math

import numpy as np


def panorama_rays(width: int, height: int) -> np.ndarray:
    """Unit rays (H, W, 3) of the pixel centres of an equirectangular picture, in the panorama's frame."""
    lon = ((np.arange(width) + 0.5) / width - 0.5) * 2 * math.pi
    lat = ((np.arange(height) + 0.5) / height - 0.5) * math.pi  # positive downwards
    lon, lat = np.meshgrid(lon, lat)
    return np.stack([np.cos(lat) * np.sin(lon), np.sin(lat), np.cos(lat) * np.cos(lon)], axis=-1)


def direction_panorama(width: int) -> np.ndarray:
    """A panorama whose colour is its direction: channel i holds 127.5 (1 + ray_i), rounded."""
    return np.rint(127.5 * (1 + panorama_rays(width, width // 2))).astype(np.uint8)


def noise_panorama(width: int, rng: np.random.Generator) -> np.ndarray:
    """Independent grey noise in every pixel, mean 128, deviation 40."""
    noise = np.clip(128 + 40 * rng.standard_normal((width // 2, width)), 0, 255)
    return np.repeat(np.rint(noise).astype(np.uint8)[..., None], 3, axis=2)


def box_world(width: int = 2048, seed: int = 0) -> np.ndarray:
    """A panorama (width/2, width, 3) of a box-shaped room, its walls along the panorama's axes.

    Windows, shelves, pictures, doors, floor tiles and ceiling panels all have edges along x, y or z only:
    every straight edge points at one of the three vanishing points ±x, ±y, ±z. The camera stands off the
    middle.
    """
    rng = np.random.default_rng(seed)
    rays = panorama_rays(width, width // 2)
    size = np.array([rng.uniform(2.2, 4.0), rng.uniform(1.2, 1.6), rng.uniform(2.2, 4.0)])  # half extents, metres
    shift = size * np.array([rng.uniform(-0.4, 0.4), rng.uniform(-0.15, 0.15), rng.uniform(-0.4, 0.4)])
    with np.errstate(divide="ignore"):
        reach = (np.sign(rays) * size - shift) / np.where(np.abs(rays) < 1e-12, 1e-12, rays)
    axis = np.argmin(reach, axis=-1)
    distance = np.take_along_axis(reach, axis[..., None], axis=-1)
    points = rays * distance + shift
    image = np.zeros((*axis.shape, 3))
    for a in range(3):
        for side in (-1, 1):
            wall = (axis == a) & (np.take_along_axis(rays, axis[..., None], -1)[..., 0] * side > 0)
            across = points[wall][:, [b for b in (2, 0, 1) if b != a]]
            floor = a == 1
            image[wall] = _tiles(across, rng, side) if floor else _wall(across, size[1], rng)
    light = 0.55 + 0.45 / (1 + 0.06 * distance**2)
    grain = rng.normal(0, 2.0, (*axis.shape, 1))
    return np.clip(image * light * 255 + grain, 0, 255).astype(np.uint8)


def _tiles(p: np.ndarray, rng: np.random.Generator, side: int) -> np.ndarray:
    """Floor tiles with joints (below) or ceiling panels (above) at points (N, 2)."""
    pitch = rng.uniform(0.3, 0.7)
    cell = np.floor(p / pitch).astype(np.int64)
    shade = np.sin(cell[:, 0] * 12.9898 + cell[:, 1] * 78.233) * 43758.5453 % 1.0
    joint = np.any((p / pitch) % 1.0 < 0.04, axis=1)
    base = rng.uniform(0.35, 0.8, 3) if side > 0 else np.array([0.9, 0.9, 0.87])
    colour = base * (0.75 + 0.35 * shade[:, None])
    return np.where(joint[:, None], 0.25 * base, colour)


def _wall(p: np.ndarray, half_height: float, rng: np.random.Generator) -> np.ndarray:
    """A wall with a skirting board and a dozen rectangles (windows, shelves, pictures); p (N, 2), second is
    down.
    """
    along, down = (p[:, 0], p[:, 1])
    colour = np.broadcast_to(rng.uniform(0.45, 0.95, 3), (len(p), 3)).copy()
    colour[down > half_height - 0.12] = rng.uniform(0.2, 0.6, 3)
    for _ in range(12):
        x, y = rng.uniform(-3.4, 3.0), rng.uniform(-half_height, half_height - 0.5)
        w, h = rng.uniform(0.3, 1.4), rng.uniform(0.2, 1.2)
        inside = (along > x) & (along < x + w) & (down > y) & (down < min(y + h, half_height - 0.12))
        frame = 0.04
        core = inside & (along > x + frame) & (along < x + w - frame) & (down > y + frame) & (down < y + h - frame)
        colour[inside] = rng.uniform(0.1, 0.9, 3)
        rows, columns = rng.integers(1, 6, 2)
        cell = np.floor((along - x) / w * columns) + 7 * np.floor((down - y) / h * rows)
        tint = 0.5 + 0.5 * (np.sin(cell * 91.7) * 43758.5453 % 1.0)
        colour[core] = rng.uniform(0.2, 1.0, 3) * np.asarray(tint)[core][:, None]
    return colour
