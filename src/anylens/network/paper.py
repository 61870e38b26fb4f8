"""The paper-scale network: DINOv2 → DPT → FoV field → full size."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anylens.network.backbone import Backbone
from anylens.network.config import NetworkConfig
from anylens.network.dpt import WIDTH, LightDpt, OriginalDpt, conv3
from anylens.network.rays import rays_to_field

FACTOR = 7


def convex_upsample(x: Tensor, logits: Tensor, factor: int = FACTOR) -> Tensor:
    """x (B, C, h, w) -> (B, C, factor·h, factor·w): each output a convex mixture of 3×3 neighbours.

    logits (B, 9·factor², h, w), the nine neighbours slowest (row by row), then the rows and columns inside a
    cell; softmax over the nine. Beyond the border the neighbours are zero.
    """
    b, c, h, w = x.shape
    weights = torch.softmax(logits.view(b, 1, 9, factor, factor, h, w), dim=2)
    neighbours = F.unfold(x, 3, padding=1).view(b, c, 9, 1, 1, h, w)
    fine = (weights * neighbours).sum(dim=2)  # (b, c, factor, factor, h, w)
    return fine.permute(0, 1, 4, 2, 5, 3).reshape(b, c, h * factor, w * factor)


class ConvexHead(nn.Module):
    """Field (or ray) at 1/7 of the image, and the weights that bring it to full size."""

    def __init__(self, channels: int):
        super().__init__()
        half = WIDTH // 2
        self.tangent_head = nn.Sequential(conv3(WIDTH, half), nn.ReLU(), nn.Conv2d(half, channels, 1))
        self.upsampling_weights_head = nn.Sequential(
            conv3(WIDTH, half), nn.ReLU(), nn.Conv2d(half, 9 * FACTOR * FACTOR, 1)
        )

    def forward(self, x: Tensor, height: int, width: int) -> Tensor:
        return convex_upsample(self.tangent_head(x), self.upsampling_weights_head(x))


class BilinearHead(nn.Module):
    """For the original decoder: its map brought to full size, then the field (or ray) of every pixel."""

    def __init__(self, channels: int):
        super().__init__()
        half = WIDTH // 2
        self.tangent_head = nn.Sequential(conv3(WIDTH, half), nn.ReLU(), nn.Conv2d(half, channels, 1))

    def forward(self, x: Tensor, height: int, width: int) -> Tensor:
        return self.tangent_head(F.interpolate(x, (height, width), mode="bilinear", align_corners=False))


class PaperNet(nn.Module):
    """Images (B, 3, H, W) in [0, 1], sides multiples of 14 -> `field` (B, 2, H, W), and `rays` if learned.

    `edited` is taken and not used: the paper trains a network of its own for edited pictures.
    """

    def __init__(self, config: NetworkConfig):
        super().__init__()
        self.config = config
        self.backbone = Backbone(config)
        channels = 2 if config.representation == "field" else 3
        light = config.decoder == "light"
        self.decoder = (LightDpt if light else OriginalDpt)(self.backbone.model.width)
        self.head = (ConvexHead if light else BilinearHead)(channels)

    def forward(self, image: Tensor, edited: Tensor | None = None) -> dict[str, Tensor]:
        out = self.head(self.decoder(self.backbone(image)), image.shape[-2], image.shape[-1])
        if self.config.representation == "field":
            return {"field": out}
        rays = F.normalize(out, dim=1)
        return {"rays": rays, "field": rays_to_field(rays)}
