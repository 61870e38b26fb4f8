"""Batches of training views, in the order of the steps, with the time spent waiting for them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from anylens.network.config import PATCH
from anylens.training.config import TrainConfig

Batch = dict[str, Tensor]
# (config, split, area, first batch, rank, processes) -> batches without end
Source = Callable[[TrainConfig, str, int, int, int, int], Iterator[Batch]]

FIELD_STRIDE = {"laptop": PATCH, "paper": 1}  # the grid on which each network is compared with the truth


def rendered_views(
    config: TrainConfig, split: str, area: int, first: int, rank: int, processes: int
) -> Iterator[Batch]:
    """Views of the data engine, rendered by `config.workers` processes beside the training one.

    Batch number n is a pure function of the seed and n, so a resumed run sees what an unbroken one sees. Of
    R processes each takes every R-th: two processes see what one sees that accumulates over two parts.
    """
    from anylens.data.augment import augment_level
    from anylens.data.views import TrainingViews, ViewConfig

    appearance = replace(augment_level(config.augment), crop=config.crops) if split == "train" else "none"
    views = TrainingViews(
        ViewConfig(
            panoramas=config.data or None,
            photos=config.photos or None,
            recipe=config.recipe,
            photo_ratio=config.photo_ratio,
            area=area,
            multiple=PATCH,
            aspect_range=config.aspect_range,
            size_range=config.size_range if split == "train" else (1.0, 1.0),
            field_stride=FIELD_STRIDE[config.network],
            batch=config.batch // (config.accumulate * processes),
            seed=config.seed,
            min_source_pixels=config.min_source_pixels,
            quality=config.quality,
            photo_quality=config.photo_quality,
            augment=appearance,
            split=split,
            rank=rank,
            world_size=processes,
            start_step=first,
            cache=config.cache or None,
        )
    )
    workers = config.workers if split == "train" else 0
    options: dict[str, Any] = {"prefetch_factor": 4} if workers else {}
    loader = torch.utils.data.DataLoader(
        views, batch_size=None, num_workers=workers, worker_init_fn=_quiet_worker, **options
    )
    yield from loader


def _quiet_worker(_: int) -> None:
    """One thread per renderer; a signal to the whole group is left to the training process to act on."""
    torch.set_num_threads(1)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


class Waiting:
    """Counts the seconds that a loop spends waiting for its next batch."""

    def __init__(self, batches: Iterator[Batch]):
        self.batches, self.seconds = batches, 0.0

    def next(self) -> Batch:
        start = time.perf_counter()
        batch = next(self.batches)
        self.seconds += time.perf_counter() - start
        return batch


def to_device(batch: Batch, device: torch.device) -> tuple[Tensor, Batch]:
    """Image as float32 in [0, 1], and the labels, on the device."""
    batch = {k: v.to(device, non_blocking=True) for k, v in batch.items() if isinstance(v, Tensor)}
    return batch.pop("image").float() / 255, batch
