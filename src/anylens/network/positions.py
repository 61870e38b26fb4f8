"""Resizing DINOv2's positional table to any grid, as two small matrix products."""

from __future__ import annotations

import torch
from torch import Tensor


def cubic(x: Tensor, a: float) -> Tensor:
    """Keys' cubic kernel: (a+2)|x|³-(a+3)x²+1 up to 1, a(|x|³-5x²+8|x|-4) up to 2, then 0."""
    x = x.abs()
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = a * (((x - 5) * x + 8) * x - 4)
    return torch.where(x <= 1, near, torch.where(x < 2, far, torch.zeros_like(x)))


def cubic_rows(size: int, table: int, *, offset: float | Tensor, antialias: bool) -> Tensor:
    """(size, table) weights that resample `table` cells to `size` along one axis.

    The step is table / (size + offset): DINOv2 without registers was trained with offset 0.1 and the plain
    kernel (a = -0.75, edge cells repeated), with registers with offset 0 and the antialiased one (a = -0.5,
    stretched by the step when shrinking, renormalised at the edges). Equals torch's bicubic interpolation.
    """
    # Sizes enter as tensors, so that an exported graph keeps them free.
    out = torch.arange(size, dtype=torch.float32)
    count = torch.ones_like(out).sum()
    step = table / (count + offset)
    centre = (out + 0.5) * step - 0.5
    if antialias:
        wide = torch.clamp(step, min=1.0)
        cells = torch.arange(table, dtype=torch.float32)
        rows = cubic((cells[None] - centre[:, None]) / wide, a=-0.5)
        return rows / rows.sum(dim=1, keepdim=True)
    edge = 4  # cells beyond the border that the kernel can reach, folded back onto the border
    cells = torch.arange(-edge, table + edge, dtype=torch.float32)
    rows = cubic(cells[None] - centre[:, None], a=-0.75)
    fold = torch.nn.functional.one_hot(cells.long().clamp(0, table - 1), table).to(rows.dtype)
    return rows @ fold


def resize_positions(table: Tensor, rows: int, cols: int, *, offset: float, antialias: bool) -> Tensor:
    """Positional table (1, n·n, C) -> (1, rows·cols, C), row-major; the table itself for n×n patches."""
    n, channels = round(table.shape[1] ** 0.5), table.shape[2]
    same = (torch.ones(rows).sum() == n) & (torch.ones(cols).sum() == n)  # a tensor: free in an exported graph
    step_offset = torch.where(same, 0.0, offset)
    grid = table.reshape(n, n, channels)
    vertical = cubic_rows(rows, n, offset=step_offset, antialias=antialias).to(table)
    horizontal = cubic_rows(cols, n, offset=step_offset, antialias=antialias).to(table)
    grid = torch.einsum("yi,ijc->yjc", vertical, grid)
    grid = torch.einsum("xj,yjc->yxc", horizontal, grid)
    return grid.reshape(1, rows * cols, channels)
