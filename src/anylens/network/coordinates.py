"""Where a cell lies in its view: the coordinates against which gain and offset are learned."""

from __future__ import annotations

import torch
from torch import Tensor


def cell_coordinates(rows: int, cols: int, like: Tensor) -> Tensor:
    """(2, rows, cols): x̂, ŷ of the centres of square cells, from the centre of the view, in half diagonals.

    x̂ = (i + ½ - cols/2) / (½ √(rows² + cols²)), ŷ likewise; the corners of the view lie at radius 1.
    """
    x = torch.arange(cols, dtype=torch.float32, device=like.device) + 0.5
    y = torch.arange(rows, dtype=torch.float32, device=like.device) + 0.5
    # counts as tensors, so that an exported graph keeps the size free
    w, h = torch.ones_like(x).sum(), torch.ones_like(y).sum()
    half = 0.5 * torch.sqrt(w * w + h * h)
    x, y = (x - 0.5 * w) / half, (y - 0.5 * h) / half
    return torch.stack([x[None, :].expand(rows, cols), y[:, None].expand(rows, cols)]).to(like.dtype)


def coordinate_planes(rows: int, cols: int, like: Tensor) -> Tensor:
    """(4, rows, cols): x̂, ŷ, their radius, and the log aspect log(rows / cols) of the view."""
    xy = cell_coordinates(rows, cols, like)
    radius = torch.sqrt((xy * xy).sum(dim=0, keepdim=True))
    h, w = torch.ones_like(xy[0, :, 0]).sum(), torch.ones_like(xy[0, 0]).sum()
    return torch.cat([xy, radius, torch.log(h / w).expand(1, rows, cols)])
