"""Leaving out parts of the network in training, against learning photographs by heart."""

from __future__ import annotations

from torch import nn


def set_dropout(net: nn.Module, share: float) -> None:
    """Every module that can leave something out (it has a `drop`) and is trained gets the share; frozen ones none."""
    for module in net.modules():
        if hasattr(module, "drop"):
            trained = any(p.requires_grad for p in module.parameters())
            setattr(module, "drop", share if trained else 0.0)  # noqa: B010 (no attribute of every module)
