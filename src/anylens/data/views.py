"""Training batches for torch: an IterableDataset over worker processes and ranks, the same batches for any
of them.

Step t on rank r of R is batch number t·R + r; of W workers, worker w makes the steps t ≡ w (mod W) counted
from the first, which is the order in which the DataLoader asks for them. Resuming at `start_step` therefore
continues with the very same batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from anylens.data.batches import BatchMaker
from anylens.data.config import ViewConfig


class TrainingViews(IterableDataset):
    """Endless stream of whole batches, dicts of tensors:

    image (B, 3, H, W) uint8 RGB; field (B, 2, h, w) float32, radians, at the centres of stride x stride
    cells; valid (B, h, w) bool; log_focal (B,) float32, log of the paraxial focal length in half diagonals;
    kind (B,) int64, 0 rendered, 1 photograph; edited (B,) float32, 1 for a cropped or stretched view; weight (B,)
    float32, trust in the label.
    """

    def __init__(self, config: ViewConfig, prepare: bool = True):
        super().__init__()
        self.config = config
        self._maker: BatchMaker | None = None
        if prepare:  # fill the caches once, in the parent, with a progress bar
            self._maker = BatchMaker(config, progress=True)

    def __getstate__(self) -> dict:
        return self.__dict__ | {"_maker": None}  # a worker opens its own memory maps

    def batch(self, step: int) -> dict[str, torch.Tensor]:
        """The batch of this rank at `step`."""
        if self._maker is None:
            self._maker = BatchMaker(self.config)
        arrays = self._maker.batch(step * self.config.world_size + self.config.rank)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = get_worker_info()
        first, stride = (0, 1) if worker is None else (worker.id, worker.num_workers)
        step = self.config.start_step + first
        while True:
            yield self.batch(step)
            step += stride

    def loader(self, num_workers: int = 1, prefetch: int = 4) -> DataLoader:
        """A DataLoader that yields the batches in order; 0 workers draws them in this process."""
        more: dict[str, Any] = {"prefetch_factor": prefetch, "persistent_workers": True} if num_workers else {}
        return DataLoader(self, batch_size=None, num_workers=num_workers, worker_init_fn=_one_thread, **more)


def _one_thread(_: int) -> None:
    torch.set_num_threads(1)
