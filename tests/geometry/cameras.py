"""Example cameras of every model, and fields to fit: what the geometry tests share."""

from __future__ import annotations

import numpy as np

import anylens
from anylens import Camera
from anylens.profiles import parse

MODELS = anylens.models()
TWO_FOCALS = [m for m in MODELS if not m.startswith("simple_")]


def examples(model: str) -> list[Camera]:
    """The published calibrations of a model; for orders without one, those of the next lower orders."""
    spec = parse(model)
    order = len(spec.profile.coefs)
    found = [(p[:4], p[4:], size) for p, size in spec.profile.examples if len(p) - 4 == order]
    if not found:
        found = [(p[:4], (*p[4:], *(0.01,) * order)[:order], size) for p, size in spec.profile.examples]
    cameras = []
    for (fx, fy, cx, cy), k, (width, height) in found:
        head = (fx, cx, cy) if spec.simple else (fx, fy, cx, cy)
        cameras.append(Camera(model, np.array([*head, *k]), width, height))
    return cameras


def grid(width: float, height: float, n: int = 24, m: int = 20) -> np.ndarray:
    """Pixels (n·m, 2) from border to border."""
    return np.stack(np.meshgrid(np.linspace(0, width, n), np.linspace(0, height, m)), axis=-1).reshape(-1, 2)


def smooth_noise(rng: np.random.Generator, n: int, degrees: float, cells: int = 5) -> np.ndarray:
    """A smooth field error (n·n, 2): bicubic between `cells` random nodes, root mean square `degrees`."""
    from scipy.ndimage import zoom

    noise = np.stack([zoom(rng.standard_normal((cells, cells)), n / cells, order=3) for _ in range(2)], axis=-1)
    return (noise * np.radians(degrees) / np.sqrt((noise**2).sum(-1).mean())).reshape(-1, 2)


def pinhole_fields(trials: int, n: int, degrees: float, seed: int, size: int = 640, fov=(25, 90), cells: int = 5):
    """Pixels (n·n, 2), true and noisy rays (trials, n·n, 3), FoV in degrees (trials,), all from a pinhole."""
    rng = np.random.default_rng(seed)
    at = (np.arange(n) + 0.5) * size / n
    pixels = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    fov_deg = rng.uniform(*fov, trials)
    f = size / 2 / np.tan(np.radians(fov_deg) / 2)
    params = np.stack([f, np.full(trials, size / 2), np.full(trials, size / 2)], axis=-1)
    rays, _ = Camera("simple_pinhole", params, size, size).unproject(pixels)
    noise = np.stack([smooth_noise(rng, n, degrees, cells) for _ in range(trials)])
    noisy = anylens.field_to_rays(anylens.rays_to_field(rays) + noise)
    return pixels, rays, noisy, fov_deg
