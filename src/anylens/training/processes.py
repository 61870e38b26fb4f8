"""One process, or several under torchrun: the same command, gloo on CPUs and nccl on GPUs."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import distributed, nn


@dataclass(frozen=True)
class Processes:
    """This process among those of the run."""

    rank: int
    count: int
    device: torch.device

    @property
    def first(self) -> bool:
        return self.rank == 0

    def wrap(self, net: nn.Module) -> nn.Module:
        """The network whose backward pass averages gradients over all processes."""
        if self.count == 1:
            return net
        ids = [self.device.index] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(net, device_ids=ids)

    def local_only(self, net: nn.Module, local: bool) -> Any:
        """A context in which gradients are not averaged yet: all but the last part of a batch."""
        return net.no_sync() if local and self.count > 1 else nullcontext()  # type: ignore[operator]

    def any(self, flag: bool) -> bool:
        """True if the flag is set in any process, so that all stop at the same step."""
        if self.count == 1:
            return flag
        value = torch.tensor(float(flag), device=self.device)
        distributed.all_reduce(value, op=distributed.ReduceOp.MAX)
        return bool(value.item() > 0)

    def sum(self, values: torch.Tensor) -> torch.Tensor:
        """The values (on the CPU) added up over all processes."""
        if self.count == 1:
            return values
        total = values.to(self.device)
        distributed.all_reduce(total)
        return total.cpu()

    def wait(self) -> None:
        if self.count > 1:
            distributed.barrier()

    def close(self) -> None:
        if self.count > 1 and distributed.is_initialized():
            distributed.destroy_process_group()


def join_processes() -> Processes:
    """Read torchrun's variables, join the group, choose the device."""
    rank, count = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        torch.cuda.set_device(device)
    else:
        device = torch.device("cpu")
    if count > 1:
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return Processes(rank, count, device)
