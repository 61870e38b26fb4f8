"""The focal lengths that a run shows its network: the network's own prior, which its user may exchange for another."""

from __future__ import annotations

import torch
from torch import Tensor

from anylens.network.config import FOCAL_BINS
from anylens.network.focal import soft_bins

WIDTH = 0.07  # of a label, in log focal length: the counts are smooth after a few thousand views
FADE = 0.9995  # per batch: a network's prior is what it was shown in its last few thousand steps


def count_focals(counts: list[float], labels: dict[str, Tensor]) -> list[float]:
    """Fading counts (64) of log focal length with a batch added: of its photographs, or of its rendered views where it
    has none, since photographs are what the network is for. Edited views are left out."""
    chosen = labels["kind"] == 1
    if not bool(chosen.any()):
        chosen = labels["edited"] == 0 if "edited" in labels else ~chosen
    focals = labels["log_focal"][chosen].double().cpu()
    width = torch.full_like(focals, WIDTH)
    new = soft_bins(focals, width, torch.zeros_like(focals)).sum(dim=0).tolist()
    return [round(FADE * a + b, 6) for a, b in zip(counts or [0.0] * FOCAL_BINS, new)]
