"""A stand-in for the data engine: tiny textured spheres seen by pinhole and fisheye cameras, made in code."""

from __future__ import annotations

import numpy as np
import torch


def make_batch(batch: int, rows: int, cols: int, seed: int, number: int, stride: int = 14) -> dict:
    """Batch `number` of `seed`: views of a wavy texture on the sphere; every second one a 'photograph'."""
    rng = np.random.default_rng([seed, number])
    height, width = 14 * rows, 14 * cols
    log_focal = rng.uniform(-0.5, 0.8, batch)
    equidistant = rng.random(batch) < 0.5
    phase = rng.uniform(0, 6.28, (batch, 3))

    def angles(h, w):
        half = 0.5 * np.hypot(h, w)
        y, x = np.meshgrid((np.arange(h) + 0.5 - h / 2) / half, (np.arange(w) + 0.5 - w / 2) / half, indexing="ij")
        r = np.hypot(x, y)[None] / np.exp(log_focal)[:, None, None]
        polar = np.where(equidistant[:, None, None], r, np.arctan(r))
        return np.stack([x[None] * polar, y[None] * polar], 1) / np.maximum(np.hypot(x, y), 1e-9)

    theta = angles(height, width)
    waves = [np.sin(20 * theta[:, k % 2] * (1 + k) + phase[:, k, None, None]) for k in range(3)]
    image = np.clip(127 + 100 * np.stack(waves, 1), 0, 255).astype(np.uint8)
    cells = 14 * rows // stride, 14 * cols // stride
    return {
        "image": torch.from_numpy(image),
        "field": torch.from_numpy(angles(*cells).astype(np.float32)),
        "valid": torch.ones(batch, *cells, dtype=torch.bool),
        "log_focal": torch.from_numpy(log_focal.astype(np.float32)),
        "kind": torch.from_numpy((np.arange(batch) % 2).astype(np.int64)),
        "edited": torch.from_numpy((np.arange(batch) % 4 == 2).astype(np.float32)),
        "weight": torch.ones(batch),
    }


def toy_views(config, split, area, first, rank, processes):
    """The `Source` of the training loop, on the stand-in; its n-th batch is number n·processes + rank."""
    side = max(2, round(area**0.5 / 14))
    size = config.batch // (config.accumulate * processes)
    number = first
    while True:
        yield make_batch(size, side, side, config.seed + (split == "val"), number * processes + rank)
        number += 1
