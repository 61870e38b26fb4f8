"""Segments of random straight lines along given directions in space, seen exactly through a camera."""

import numpy as np

from anylens.edges import Segments


def wires(camera, directions, count, seed=0, noise_deg=0.0, clutter=0):
    """`count` segments for each of the directions (k, 3), image angles off by noise_deg, and `clutter` random ones."""
    rng = np.random.default_rng(seed)
    size = np.array([camera.width, camera.height])
    points = []
    for direction in directions:
        kept = 0
        while kept < count:
            ray, _ = camera.unproject(rng.uniform(0.05, 0.95, 2) * size)
            depth = rng.uniform(2, 6)
            ends = [ray * depth - direction * 0.4, ray * depth, ray * depth + direction * 0.4]
            pixels, valid = camera.project(np.array(ends))
            inside = (pixels > 0).all() and (pixels < size).all()
            if valid.all() and inside and np.linalg.norm(pixels[2] - pixels[0]) > 30:
                points.append(_turn(pixels, np.radians(noise_deg) * rng.normal()))
                kept += 1
    for _ in range(clutter):
        middle, a = rng.uniform(0.1, 0.9, 2) * size, rng.uniform(0, np.pi)
        half = rng.uniform(15, 40) * np.array([np.cos(a), np.sin(a)])
        points.append(np.stack([middle - half, middle, middle + half]))
    return Segments(np.array(points).reshape(-1, 3, 2), np.full(len(points), 0.1)).longest(len(points))


def _turn(pixels, angle):
    c, s = np.cos(angle), np.sin(angle)
    return pixels[1] + (pixels - pixels[1]) @ np.array([[c, s], [-s, c]])
