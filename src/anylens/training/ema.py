"""Averaged weights: without them validation swings by a factor of two between checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Ema:
    """Exponential moving average of a network's trained parameters:  e ← d e + (1 - d) w.

    The decay starts low, d = min(decay, (1 + n) / (10 + n)) after n updates, so that fresh weights are
    forgotten quickly.
    """

    def __init__(self, net: nn.Module, decay: float):
        self.decay, self.updates = decay, 0
        self.live = {name: p for name, p in net.named_parameters() if p.requires_grad}
        self.average = {name: p.detach().clone() for name, p in self.live.items()}

    @torch.no_grad()
    def update(self) -> None:
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        self.updates += 1
        torch._foreach_lerp_(list(self.average.values()), list(self.live.values()), 1 - decay)

    @contextmanager
    @torch.no_grad()
    def applied(self) -> Iterator[None]:
        """Within the block the network carries the averaged weights."""
        kept = {name: p.detach().clone() for name, p in self.live.items()}
        for name, p in self.live.items():
            p.copy_(self.average[name])
        try:
            yield
        finally:
            for name, p in self.live.items():
                p.copy_(kept[name])

    def state(self) -> dict[str, Tensor]:
        return self.average

    def load(self, tensors: dict[str, Tensor], updates: int) -> None:
        for name, tensor in self.average.items():
            tensor.copy_(tensors[name])
        self.updates = updates
