"""Photographs in, fields in the photographs' own pixels out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anylens.data.standard import standard_form
from anylens.errors import ImageError
from anylens.field import field_to_rays
from anylens.predict.mirror import add_mirrored, join_mirrored, log_softmax
from anylens.predict.plan import SizePlan, plan_size
from anylens.predict.session import NetworkSession


@dataclass(frozen=True)
class Prediction:
    """What the network saw in one photograph.

    pixels (N, 2) in the photograph, corner convention; field (N, 2) in radians; rays (N, 3), unit length;
    log_var (N,) log of the expected size of the shape error, or None; focal_log_prob (64,) over the log focal
    length in half diagonals of the *photograph*, or None; focal_seen (64,) the same of what the network was trained on,
    or None; grid (rows, cols), N = rows·cols.
    """

    plan: SizePlan
    grid: tuple[int, int]
    pixels: np.ndarray
    field: np.ndarray
    log_var: np.ndarray | None
    focal_log_prob: np.ndarray | None
    focal_seen: np.ndarray | None = None

    @property
    def rays(self) -> np.ndarray:
        return field_to_rays(self.field)


class Predictor:
    """A network with its size rules. `mirror` averages each photograph with its mirror image; `edited` tells the
    network that photographs may be cropped or stretched."""

    def __init__(
        self,
        source: str | Path | bytes | NetworkSession,
        *,
        threads: int = 0,
        mirror: bool = False,
        batch: int = 8,
        edited: bool = False,
    ):
        self.session = source if isinstance(source, NetworkSession) else NetworkSession(source, threads=threads)
        self.mirror, self.batch, self.edited = mirror, batch, edited

    def plan(self, width: int, height: int) -> SizePlan:
        """The plan that this network follows for a photograph of that size."""
        info = self.session.info
        return plan_size(width, height, area=info.area, multiple=info.patch, aspect_range=info.aspect_range)

    def prepare(self, photo: np.ndarray) -> tuple[SizePlan, np.ndarray]:
        """A uint8 RGB photograph (H, W, 3) -> its plan and the network's picture (h, w, 3)."""
        if photo.ndim != 3 or photo.shape[2] != 3 or photo.dtype != np.uint8:
            raise ImageError(f"expected a uint8 picture (H, W, 3), got {photo.dtype} {photo.shape}.")
        plan = self.plan(photo.shape[1], photo.shape[0])
        info = self.session.info
        size = plan.out_width, plan.out_height
        return plan, standard_form(plan.crop(photo), *size, info.density, info.quality, info.side, info.webp)

    def __call__(self, photo: np.ndarray) -> Prediction:
        return self.many([photo])[0]

    def many(self, photos: Sequence[np.ndarray]) -> list[Prediction]:
        """Predictions in the order given; photographs of one network size share a run."""
        prepared = [self.prepare(photo) for photo in photos]
        groups: dict[tuple[int, ...], list[int]] = {}
        for index, (_, picture) in enumerate(prepared):
            groups.setdefault(picture.shape, []).append(index)
        found: dict[int, Prediction] = {}
        for members in groups.values():
            for start in range(0, len(members), self.batch):
                part = members[start : start + self.batch]
                answer = self.answer(np.stack([prepared[i][1] for i in part]))
                for row, i in enumerate(part):
                    answered = {k: v[row] for k, v in answer.items()}
                    found[i] = undo_plan(prepared[i][0], answered, self.session.info.focal_seen)
        return [found[i] for i in range(len(photos))]

    def answer(self, pictures: np.ndarray) -> dict[str, np.ndarray]:
        """The network's own outputs for pictures (B, h, w, 3) of its size."""
        if not self.mirror:
            return self.session.run(pictures, self.edited)
        return join_mirrored(self.session.run(add_mirrored(pictures), self.edited))


def undo_plan(plan: SizePlan, answer: dict[str, np.ndarray], focal_seen: Sequence[float] | None = None) -> Prediction:
    """One picture's outputs, `field` (2, h, w) and the rest, brought into the photograph's pixels."""
    rows, cols = answer["field"].shape[-2:]
    logits = answer.get("focal_logits")
    return Prediction(
        plan=plan,
        grid=(rows, cols),
        pixels=plan.cell_centres(rows, cols),
        field=answer["field"].reshape(2, -1).T.astype(np.float64),
        log_var=answer["log_var"].reshape(-1).astype(np.float64) if "log_var" in answer else None,
        focal_log_prob=None if logits is None else shift_bins(logits.astype(np.float64), plan.focal_shift),
        focal_seen=None if not focal_seen else shift_bins(np.log(np.asarray(focal_seen) + 1e-3), plan.focal_shift),
    )


def shift_bins(logits: np.ndarray, shift: float, low: float = -1.6, high: float = 2.0) -> np.ndarray:
    """Log-probabilities (64,) of log f + shift, given those of log f: read between bins, ends held."""
    centres = low + (high - low) / len(logits) * (np.arange(len(logits)) + 0.5)
    return log_softmax(np.interp(centres - shift, centres, log_softmax(logits)))
