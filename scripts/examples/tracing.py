"""A small ray tracer: axis-aligned boxes and ellipsoids, one sun with shadows, light that fades into corners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

FAR = 1e9


@dataclass
class Solid:
    """low, high (3,): the box, or the box around an ellipsoid. paint(points, normals, axis) -> colours (n, 3).

    inside: seen from within, as a room is. Metres; x right, y down, z forward.
    """

    low: np.ndarray
    high: np.ndarray
    paint: Callable
    round: bool = False
    inside: bool = False


@dataclass
class Scene:
    solids: list[Solid]
    sun: np.ndarray  # direction towards it
    sky: Callable  # rays (n, 3) -> colours
    sunlight: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.95, 0.85]))
    shade: np.ndarray = field(default_factory=lambda: np.array([0.42, 0.47, 0.55]))


def meet(solid: Solid, origin: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """Distance (n,) along rays to the solid; FAR where they miss."""
    if solid.round:
        centre, radii = (solid.low + solid.high) / 2, (solid.high - solid.low) / 2
        o, d = (origin - centre) / radii, rays / radii
        a, b, c = (d * d).sum(-1), (o * d).sum(-1), (o * o).sum(-1) - 1
        root = b * b - a * c
        t = (-b - np.sqrt(np.maximum(root, 0))) / a
        return np.where((root > 0) & (t > 1e-3), t, FAR)
    safe = np.where(np.abs(rays) < 1e-9, 1e-9, rays)
    a, b = (solid.low - origin) / safe, (solid.high - origin) / safe
    near, far = np.minimum(a, b).max(-1), np.maximum(a, b).min(-1)
    if solid.inside:
        return np.where(far > 1e-3, far, FAR)
    return np.where((far > near) & (near > 1e-3), near, FAR)


def normal(solid: Solid, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Outward normals (n, 3) and the axis (n,) that each is along most."""
    centre, half = (solid.low + solid.high) / 2, (solid.high - solid.low) / 2
    local = (points - centre) / half
    if solid.round:
        n = local / half
        n /= np.linalg.norm(n, axis=-1, keepdims=True)
        return n, np.abs(n).argmax(-1)
    axis = np.abs(local).argmax(-1)
    n = np.zeros_like(points)
    n[np.arange(len(n)), axis] = np.sign(local[np.arange(len(n)), axis])
    return (-n if solid.inside else n), axis


def trace(scene: Scene, origin: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """Colours (n, 3) in linear light."""
    best, which = np.full(len(rays), FAR), np.full(len(rays), -1)
    for i, solid in enumerate(scene.solids):
        t = meet(solid, origin, rays)
        closer = t < best
        best[closer], which[closer] = t[closer], i
    colours = scene.sky(rays)
    for i, solid in enumerate(scene.solids):
        mine = which == i
        if not mine.any():
            continue
        points = origin + rays[mine] * best[mine][:, None]
        n, axis = normal(solid, points)
        facing = np.maximum(0, n @ scene.sun)
        lit = facing > 0
        start = points + 2e-3 * n
        for other in scene.solids:
            if not other.inside and lit.any():
                lit[lit] = meet(other, start[lit], np.broadcast_to(scene.sun, (int(lit.sum()), 3))) == FAR
        open_sky = 0.55 + 0.45 * np.clip(0.5 - 0.5 * n[:, 1], 0, 1)
        light = scene.shade * (open_sky * corners(scene, points, n))[:, None] + scene.sunlight * (facing * lit)[:, None]
        haze = np.exp(-best[mine] / 400)[:, None]
        colours[mine] = haze * solid.paint(points, n, axis) * light + (1 - haze) * colours[mine]
    return colours


def corners(scene: Scene, points: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Light (n,) that reaches a point past its surroundings: three short looks around."""
    seen = np.zeros(len(points))
    tilt = np.array([[0.7, -0.6, 0.2], [-0.5, -0.5, 0.6], [-0.1, -0.7, -0.7]])
    for side in tilt:
        d = n + side
        d /= np.linalg.norm(d, axis=-1, keepdims=True)
        nearest = np.full(len(points), FAR)
        for solid in scene.solids:
            nearest = np.minimum(nearest, meet(solid, points + 2e-3 * n, d))
        seen += np.clip(nearest / 1.6, 0.25, 1) / len(tilt)
    return seen


def noise(points: np.ndarray, scale: float, seed: int = 0) -> np.ndarray:
    """Smooth value noise (n,) in [0, 1] with features of `scale` metres."""
    p = points / scale
    cell = np.floor(p).astype(np.int64)
    t = p - cell
    t = t * t * (3 - 2 * t)
    total = np.zeros(len(p))
    for corner in range(8):
        offset = np.array([(corner >> k) & 1 for k in range(3)])
        weight = np.where(offset, t, 1 - t).prod(-1)
        total += weight * scatter(cell + offset, seed)
    return total


def scatter(cell: np.ndarray, seed: int = 0) -> np.ndarray:
    """A number in [0, 1) for each integer cell (n, k)."""
    h = np.full(len(cell), 374761393 * (seed + 1), dtype=np.uint64)
    for k, prime in zip(range(cell.shape[1]), (668265263, 2246822519, 3266489917)):
        h = (h ^ (cell[:, k].astype(np.uint64) * np.uint64(prime))) * np.uint64(2654435761)
        h ^= h >> np.uint64(15)
    return (h >> np.uint64(20)).astype(np.float64) / 2.0**44
