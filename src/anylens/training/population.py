"""The focal lengths that a run shows its network: its own prior, one and the same whatever a picture looks like.

Photographs have longer lenses than rendered views, and look different. A network that is only asked for the right
answer learns both, and tells a new photograph's lens from the kind that it resembles. So the loss takes out what the
kind k of a view tells by itself: it compares the label with  softmax(logits + log p_k - log p),  p_k the focal lengths
of that kind and p those of all; the network is left to answer what the *picture* tells, on top of p.
"""

from __future__ import annotations

import torch
from torch import Tensor

from anylens.network.config import FOCAL_BINS
from anylens.network.focal import soft_bins

RENDERED, PHOTOGRAPH, EDITED = range(3)  # edited: rendered, and cropped, stretched or shifted
WIDTH = 0.07  # of a label, in log focal length: the counts are smooth after a few thousand views
FADE = 0.9995  # per batch: a network's prior is what it was shown in its last few thousand steps
FEW = 100.0  # views of a kind below which it counts as like the others
RARE = 0.02  # share of the common focal lengths that every kind is taken to have, so that none is impossible


def kinds(labels: dict[str, Tensor]) -> Tensor:
    """The kind (B,) of every view."""
    kind = labels["kind"]
    return torch.where(labels["edited"] > 0, EDITED, kind) if "edited" in labels else kind


def count_focals(labels: dict[str, Tensor]) -> Tensor:
    """Counts (3, 64) of log focal length in a batch, by kind; on the CPU."""
    focals, kind = labels["log_focal"].double().cpu(), kinds(labels).cpu()
    bins = soft_bins(focals, torch.full_like(focals, WIDTH), torch.zeros_like(focals))
    return torch.zeros(3, FOCAL_BINS, dtype=torch.float64).index_add_(0, kind, bins)


def add_counts(counts: list[list[float]], new: Tensor) -> list[list[float]]:
    """Fading counts with those of one more step; lists of numbers, for the record."""
    old = torch.tensor(counts, dtype=torch.float64) if counts else torch.zeros_like(new)
    return [[round(value, 6) for value in row] for row in (FADE * old + new).tolist()]


def own_prior(counts: list[list[float]]) -> list[float]:
    """The network's own prior (64), as counts: photographs and rendered views alike; edited ones where there is
    nothing else."""
    rows = [row for row in (counts[:EDITED] if counts else []) if sum(row) > 0] or counts[EDITED:]
    size = max((sum(row) for row in rows), default=0.0)
    return [sum(column) for column in zip(*([v * size / sum(row) / len(rows) for v in row] for row in rows if size))]


def shares(counts: list[list[float]]) -> tuple[Tensor, Tensor]:
    """p_k (3, 64) of every kind, and p (64) of all, float32."""
    found = torch.tensor(counts or [[0.0] * FOCAL_BINS] * 3, dtype=torch.float64)
    common = torch.tensor(own_prior(counts) or [1.0] * FOCAL_BINS, dtype=torch.float64) + 1e-3
    common = common / common.sum()
    total = found.sum(dim=1, keepdim=True)
    like_others = FEW + RARE * total
    each = (found + like_others * common) / (total + like_others)
    return each.float(), common.float()
