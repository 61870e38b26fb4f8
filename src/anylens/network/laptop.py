"""The laptop-scale network: the first blocks of a ViT-S and a small head, made for two CPU cores."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anylens.network.backbone import Backbone
from anylens.network.config import NetworkConfig
from anylens.network.coordinates import cell_coordinates, coordinate_planes
from anylens.network.focal import FocalHead, bin_centres
from anylens.network.rays import field_to_rays, rays_to_field

OFFSET_SCALE = 0.1  # radians per unit of the offset channels


def zero(layer: nn.Module) -> None:
    """Start a layer at zero, so that what it adds is learned from nothing."""
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)


class Residual(nn.Module):
    """x + conv(gelu(conv(norm x))), 3×3."""

    def __init__(self, channels: int):
        super().__init__()
        self.norm = nn.GroupNorm(1, channels)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        zero(self.conv2)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv2(F.gelu(self.conv1(self.norm(x))))


class LaptopHead(nn.Module):
    """Encoder maps -> gain and offset of the field, log-variance, focal distribution.

    The field is  θ = x̂ · exp(a - E[log f]) + 0.1 b  with the cell's own coordinates x̂ in half diagonals: the
    head starts from a sensible camera whose focal length is what the focal distribution says, and learns
    what differs from it. Whether a picture was cropped or stretched cannot be left to the picture: its user knows,
    and says so by a flag that adds a learned vector to every cell. In training, a share `drop` of the channels of
    the encoder's maps is left out.
    """

    drop = 0.0

    def __init__(self, encoder_width: int, taps: int, width: int, representation: str, flag: bool = False):
        super().__init__()
        self.edited = nn.Parameter(torch.zeros(width)) if flag else None
        self.representation = representation
        self.norms = nn.ModuleList(nn.GroupNorm(1, encoder_width) for _ in range(taps))
        self.inputs = nn.ModuleList(nn.Conv2d(encoder_width, width, 3, padding=1) for _ in range(taps))
        self.place = nn.Conv2d(4, width, 1)
        self.before = nn.Sequential(Residual(width), Residual(width))
        self.focal = FocalHead(width)
        self.after = Residual(width)
        # gain and offset (3 channels), or a correction to the ray (3 channels); then the log-variance
        self.out = nn.Conv2d(width, 4, 1)
        zero(self.out)

    def forward(self, maps: list[Tensor], edited: Tensor | None = None, upscale: int = 1) -> dict[str, Tensor]:
        rows, cols = maps[0].shape[-2:]
        x = self.place(coordinate_planes(rows, cols, maps[0])[None])
        for norm, project, level in zip(self.norms, self.inputs, maps):
            x = x + project(F.dropout2d(norm(level), self.drop, self.training))
        if self.edited is not None and edited is not None:
            x = x + (edited[:, None] * self.edited)[:, :, None, None]
        x = self.before(x)
        logits, bias = self.focal(x)
        out = self.out(self.after(x + bias[:, :, None, None])).float()  # (B, 4, rows, cols); angles are never bfloat16
        if upscale > 1:  # gain and offset are smooth; the coordinates below stay exact
            out = F.interpolate(out, scale_factor=upscale, mode="bilinear", align_corners=False)
        xy = cell_coordinates(rows * upscale, cols * upscale, out)[None]
        logits = logits.float()
        answer = {"log_var": out[:, 3].clamp(-12.0, 4.0), "focal_logits": logits}
        expected = (torch.softmax(logits.detach(), dim=1) * bin_centres(logits)).sum(dim=1)
        gain = torch.exp(-expected)[:, None, None, None]
        if self.representation == "field":
            answer["field"] = xy * gain * torch.exp(out[:, :1].clamp(-4.0, 4.0)) + OFFSET_SCALE * out[:, 1:3]
        else:  # the ray of the sensible camera, plus a correction in its own three coordinates
            answer["rays"] = F.normalize(field_to_rays(xy * gain) + out[:, :3], dim=1)
            answer["field"] = rays_to_field(answer["rays"])
        return answer


class LaptopNet(nn.Module):
    """Images (B, 3, 14h, 14w) in [0, 1] -> `field` (B, 2, h, w) in radians, `log_var` (B, h, w),
    `focal_logits` (B, 64), and `rays` (B, 3, h, w) when that is what is learned.

    `edited` (B,) is 1 where a picture may be cropped or stretched, 0 (or None) where its centre and aspect are the
    usual ones. `upscale` gives the field on a finer grid: 2 at a stride of 7 pixels, 14 at every pixel.
    """

    def __init__(self, config: NetworkConfig):
        super().__init__()
        self.config = config
        self.backbone = Backbone(config)
        self.head = LaptopHead(
            self.backbone.model.width, len(config.taps), config.width, config.representation, config.edited_flag
        )

    def forward(self, image: Tensor, edited: Tensor | None = None, upscale: int = 1) -> dict[str, Tensor]:
        return self.head(self.backbone(image), edited, upscale)
