"""The profile of the edge evidence over the focal length: the best frames at each, and what they score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anylens.camera import Camera
from anylens.edges.circles import Circles, circles
from anylens.edges.frames import Polished, candidates, polish, seed_pairs
from anylens.edges.likelihood import Noise
from anylens.edges.segments import Segments
from anylens.evidence import CENTRES, with_log_focal

STRIDE = 4  # bins between the focal lengths that are searched from scratch
KEPT = 3  # frames carried from each of them to its neighbours
WIDE_TO_FINE = (0.05, 0.035, 0.021, 0.0175)  # radians, tolerance of the polishing steps
FINE = (0.0175, 0.0175)


@dataclass(frozen=True)
class Search:
    """Per searched bin (G) and kept frame (B): score (G, B), frames (G, B, 3, 3), information (G, B, 3, 3) about a
    turn, odds (G, B, 3, n) of each segment to follow each direction; and the segments' circles at each bin."""

    bins: np.ndarray
    found: Polished
    circles: Circles


def search(
    segments: Segments, weight: np.ndarray, shape: Camera, bins: np.ndarray, noise: Noise, rng: np.random.Generator
) -> Search:
    """Best Manhattan frames at each of the given bins (G,), for segments seen through cameras like `shape`.

    Every STRIDE-th focal length is searched; their best frames then start the polish at the others on both sides,
    where they first keep the segments that they had.
    """
    full = circles(with_log_focal(shape, CENTRES[bins]), segments.points[:, 1], segments.chord)
    c = Circles(full.across.astype(np.float32), full.along.astype(np.float32), full.valid)
    weight = weight.astype(np.float32)
    coarse = np.unique(np.append(np.arange(0, len(bins), STRIDE), len(bins) - 1))
    pairs = seed_pairs(c[coarse[len(coarse) // 2]], weight, noise, rng)
    start = candidates(c[coarse], pairs, weight, noise, KEPT)  # (C, KEPT, 3, 3)
    rough = polish(c[coarse], start, weight, noise, WIDE_TO_FINE)
    below = np.searchsorted(coarse, np.arange(len(bins)), side="right") - 1
    above = np.minimum(below + 1, len(coarse) - 1)
    start, given = (np.concatenate([v[below], v[above]], axis=1) for v in (rough.frames, rough.odds))
    return Search(bins, polish(c, start, weight, noise, FINE, given), full)
