"""More horizontal directions than a frame's two: streets that do not cross at right angles.

They are found below the frame, perpendicular to its vertical. They did not sharpen the focal length in trials (a
further direction explains clutter as willingly as structure), so the evidence does without them; gravity, drawings
and those who look for streets have them.
"""

from __future__ import annotations

import numpy as np

from anylens.camera import Camera
from anylens.edges.circles import circles
from anylens.edges.gravity import down_of
from anylens.edges.likelihood import NOISE, Noise, odds, sine_squared
from anylens.edges.rotations import complete
from anylens.edges.segments import Segments

TURNS = 180
LEAST_GAIN = 20.0  # nats of weighted log-likelihood that a further direction must add


def horizontals(
    camera: Camera, segments: Segments, frame: np.ndarray, *, most: int = 3, noise: Noise = NOISE
) -> np.ndarray:
    """Further horizontal directions (k, 3), k ≤ most, strongest first, beside the two of a frame (3, 3).

    Each is the angle around the vertical that adds most to what the directions before it explain.
    """
    if not len(segments):
        return np.zeros((0, 3))
    weight = np.sqrt(segments.length / segments.length.mean())
    c = circles(camera, segments.points[:, 1], segments.chord)
    weight = weight * c.valid
    down, _ = down_of(frame)
    e1, e2 = complete(down)
    phi = np.arange(TURNS)[:, None] * (np.pi / TURNS)
    ring = np.cos(phi) * e1 + np.sin(phi) * e2
    around = odds(sine_squared(c, ring), noise, 3, noise.sigma)  # (TURNS, n)
    known = odds(sine_squared(c, frame), noise, 3, noise.sigma).max(axis=0)
    found: list[np.ndarray] = []
    for _ in range(most):
        gain = np.log1p(np.maximum(around, known)) @ weight - np.log1p(known) @ weight
        best = int(np.argmax(gain))
        if gain[best] < LEAST_GAIN:
            break
        found.append(ring[best])
        known = np.maximum(known, around[best])
    return np.array(found).reshape(-1, 3)
