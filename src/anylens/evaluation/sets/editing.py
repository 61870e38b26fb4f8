"""Random crops and stretches, seeded: photographs whose principal point and pixel aspect are no longer the usual.

crop     each side keeps a share U(0.5, 1), at a uniform position
stretch  fy/fx times 2^U(-1, 1), the area kept
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anylens.data.splits import stable_number
from anylens.evaluation.sample import Sample
from anylens.evaluation.sets.sizes import cropped, resized
from anylens.evaluation.truth import fields_of_view

LEAST_KEPT = 0.5
MOST_STRETCHED = 2.0


@dataclass(frozen=True)
class EditedPicture:
    """A picture cropped to (left, top, width, height) pixels and resized to `size` (width, height)."""

    source: Any
    box: tuple[int, int, int, int]
    size: tuple[int, int]

    def load(self) -> np.ndarray:
        from PIL import Image

        from anylens.images import read_photo

        rgb = read_photo(self.source.load() if hasattr(self.source, "load") else self.source).rgb
        left, top, width, height = self.box
        part = Image.fromarray(np.ascontiguousarray(rgb[top : top + height, left : left + width]))
        return np.asarray(part.resize(self.size, Image.Resampling.LANCZOS) if part.size != self.size else part)


def edit(samples: Sequence[Sample], how: str, seed: int = 0) -> list[Sample]:
    """Every sample edited: how = crop, stretch or both. What is drawn depends on the file's name and the seed only."""
    return [_edit(s, how, np.random.default_rng((seed, stable_number(s.file)))) for s in samples]


def _edit(sample: Sample, how: str, rng: np.random.Generator) -> Sample:
    kept, at, turn = rng.uniform(LEAST_KEPT, 1, 2), rng.random(2), rng.uniform(-1, 1)
    size = np.array([sample.width, sample.height])
    part = np.maximum(1, np.rint(size * (kept if how in ("crop", "both") else 1))).astype(int)
    corner = np.rint((size - part) * at).astype(int)
    aspect = MOST_STRETCHED**turn if how in ("stretch", "both") else 1.0
    out = (max(1, round(part[0] / math.sqrt(aspect))), max(1, round(part[1] * math.sqrt(aspect))))
    box = (int(corner[0]), int(corner[1]), int(part[0]), int(part[1]))
    truth = sample.truth
    if truth is None:
        return replace(sample, note="edited without a camera: not scored", hfov_deg=math.nan, vfov_deg=math.nan)
    truth = resized(cropped(truth, *box), *out)
    angles = fields_of_view(truth)
    return replace(sample, source=EditedPicture(sample.source, box, out), width=out[0], height=out[1], truth=truth,
                   hfov_deg=angles[0], vfov_deg=angles[1])  # fmt: skip
