"""Counting multiply-accumulate operations, the way the published figures were counted."""

from __future__ import annotations

from collections import Counter
from math import prod

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

NORM_COST = 5  # operations per value of an affine layer norm


class _Counter(TorchDispatchMode):
    """Adds up costs of the operators that pass by, from their shapes alone."""

    def __init__(self) -> None:
        super().__init__()
        self.macs: Counter[str] = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func.__name__.split(".")[0]
        if name in ("addmm", "mm"):
            left, right = args[-2:]
            self.macs["linear"] += left.shape[0] * left.shape[1] * right.shape[1]
        elif name == "convolution":
            weight, transposed = args[1], args[6]
            place = args[0] if transposed else out
            cost = prod(weight.shape) * prod(place.shape[2:]) * place.shape[0]
            self.macs["transposed convolution" if transposed else "convolution"] += cost
        elif name == "native_layer_norm":
            self.macs["norm"] += NORM_COST * args[0].numel()
        elif name.startswith("upsample_bilinear2d"):
            self.macs["upsampling"] += out.numel()
        elif name == "bmm":  # one matrix per head; the positional table is resized by single ones
            kind = "attention" if args[0].shape[0] > 1 else "positions"
            self.macs[kind] += prod(args[0].shape) * args[1].shape[-1]
        elif name.startswith("_scaled_dot_product"):
            self.macs["attention"] += 2 * prod(args[0].shape) * args[1].shape[-2]
        return out


def count_macs(net: nn.Module, height: int, width: int) -> dict[str, int]:
    """Operations by kind for one image, without computing it (shapes on the meta device).

    The published 187.8 G (light decoder) and 243.2 G (original) at 280×364 are `published_macs` of this:
    linear and convolution layers, norms and bilinear upsampling, one operation per value; attention products
    and the original decoder's two transposed convolutions (0.27 G) are not in them.
    """
    with torch.device("meta"):
        image = torch.empty(1, 3, height, width)
    with torch.no_grad(), _Counter() as counter:
        net.to("meta").eval()(image)
    return dict(counter.macs)


def published_macs(macs: dict[str, int]) -> int:
    return sum(macs.get(kind, 0) for kind in ("linear", "convolution", "norm", "upsampling"))
