"""The distribution over log focal length: its bins, its pooling head, its soft targets."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from anylens.network.config import FOCAL_BINS, FOCAL_RANGE


def bin_centres(like: Tensor) -> Tensor:
    """(64,) centres of the bins, log focal length in half diagonals."""
    low, high = FOCAL_RANGE
    step = (high - low) / FOCAL_BINS
    return low + step * (torch.arange(FOCAL_BINS, dtype=like.dtype, device=like.device) + 0.5)


def soft_bins(log_focal: Tensor, sigma: Tensor, doubt: Tensor, usual: Tensor | None = None) -> Tensor:
    """Targets (B, 64): a Gaussian of width σ around the label, mixed with `doubt` of what is `usual` (B, 64; uniform).

    log_focal, sigma, doubt (B,). A label outside the range falls on the nearest bins.
    """
    low, high = FOCAL_RANGE
    centres = bin_centres(log_focal)
    z = (centres[None] - log_focal.clamp(low, high)[:, None]) / sigma[:, None]
    peak = torch.softmax(-0.5 * z * z, dim=1)
    return (1 - doubt)[:, None] * peak + doubt[:, None] * (1 / FOCAL_BINS if usual is None else usual)


class FocalHead(nn.Module):
    """A map (B, C, h, w) -> logits (B, 64) over log focal length, and a global vector (B, C).

    Attention pooling with a few learned queries, beside mean and maximum, since the evidence for a focal
    length sits in few places of a picture. In training, a share `drop` of what was pooled is left out.
    """

    drop = 0.0

    def __init__(self, channels: int, queries: int = 4):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(queries, channels) * channels**-0.5)
        self.keys = nn.Linear(channels, channels)
        self.norm = nn.LayerNorm((queries + 2) * channels)
        self.mix = nn.Linear((queries + 2) * channels, 2 * channels)
        self.logits = nn.Linear(2 * channels, FOCAL_BINS)
        self.bias = nn.Linear(2 * channels, channels)
        nn.init.zeros_(self.logits.weight)
        nn.init.zeros_(self.logits.bias)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        cells = x.flatten(2).transpose(1, 2)  # (B, n, C)
        attention = torch.softmax(self.queries @ self.keys(cells).transpose(1, 2), dim=-1)  # (B, q, n)
        pooled = (attention @ cells).flatten(1)  # (B, q·C)
        pooled = torch.cat([pooled, cells.mean(dim=1), cells.amax(dim=1)], dim=1)
        pooled = nn.functional.gelu(self.mix(self.norm(pooled)))
        pooled = nn.functional.dropout(pooled, self.drop, self.training)
        return self.logits(pooled), self.bias(pooled)


def focal_median(logits: Tensor) -> Tensor:
    """Median log focal length (B,) of the distribution, linear within its bin."""
    low, high = FOCAL_RANGE
    p = torch.softmax(logits.double(), dim=1)
    upper = p.cumsum(dim=1)
    index = (upper < 0.5).sum(dim=1, keepdim=True).clamp(max=FOCAL_BINS - 1)
    inside = (0.5 - (upper - p).gather(1, index)) / p.gather(1, index)
    return (low + (high - low) / FOCAL_BINS * (index + inside)).squeeze(1).to(logits.dtype)


def surprise(logits: Tensor, log_focal: Tensor) -> Tensor:
    """-log probability (B,) of the bin in which the true log focal length lies, in nats; log 64 = 4.2 knows nothing."""
    low, high = FOCAL_RANGE
    index = ((log_focal - low) / (high - low) * FOCAL_BINS).long().clamp(0, FOCAL_BINS - 1)
    return -torch.log_softmax(logits.double(), dim=1).gather(1, index[:, None]).squeeze(1)
