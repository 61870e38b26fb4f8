"""The encoder with its image normalisation: images in [0, 1] in, feature maps out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from anylens.network.config import IMAGE_MEAN, IMAGE_STD, NetworkConfig
from anylens.network.vit import Vit


class Backbone(nn.Module):
    """(B, 3, 14h, 14w) RGB in [0, 1] -> one map (B, C, h, w) per tap."""

    image_mean: Tensor
    image_std: Tensor

    def __init__(self, config: NetworkConfig):
        super().__init__()
        self.register_buffer("image_mean", torch.tensor(IMAGE_MEAN).view(1, 3, 1, 1))
        self.register_buffer("image_std", torch.tensor(IMAGE_STD).view(1, 3, 1, 1))
        self.model = Vit(
            config.encoder,
            registers=config.registers,
            depth=config.depth,
            taps=config.taps,
            complete=config.name == "paper",
        )
        self.model.freeze(config.frozen)

    def forward(self, image: Tensor) -> list[Tensor]:
        return self.model((image - self.image_mean) / self.image_std)
