"""One picture per validation: iso-angle lines of truth (green) and prediction (red) over the views."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional as F

ZOOM, STEP_DEG, COLUMNS = 2, 10.0, 6


def contour(field: Tensor, height: int, width: int) -> np.ndarray:
    """(H, W) mask of the lines at which the polar angle of θ (2, h, w) passes a multiple of 10°."""
    dense = F.interpolate(field[None].float(), (height, width), mode="bilinear", align_corners=False)[0]
    level = torch.floor(torch.rad2deg(dense.norm(dim=0)) / STEP_DEG)
    line = torch.zeros_like(level, dtype=torch.bool)
    line[:, 1:] |= level[:, 1:] != level[:, :-1]
    line[1:] |= level[1:] != level[:-1]
    return line.numpy()


def draw_validation(path: Path, batch: dict[str, Tensor], predicted: Tensor, views: int = 12) -> None:
    """Write a PNG with the first views of a batch, enlarged, with both sets of lines."""
    images, true = batch["image"][:views].cpu(), batch["field"][:views].cpu()
    height, width = images.shape[-2] * ZOOM, images.shape[-1] * ZOOM
    tiles = []
    for image, truth, guess in zip(images, true, predicted):
        tile = Image.fromarray(image.permute(1, 2, 0).numpy()).resize((width, height), Image.Resampling.BILINEAR)
        pixels = np.array(tile)
        pixels[contour(truth, height, width)] = (60, 230, 90)
        pixels[contour(guess, height, width)] = (255, 70, 60)
        tiles.append(pixels)
    columns = min(COLUMNS, len(tiles))
    while len(tiles) % columns:
        tiles.append(np.zeros_like(tiles[0]))
    rows = [np.concatenate(tiles[i : i + columns], axis=1) for i in range(0, len(tiles), columns)]
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.concatenate(rows)).save(path)
