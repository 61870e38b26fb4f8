"""DPT decoders: four encoder maps, fused from deep to shallow into one map of 256 channels.

`LightDpt` works at twice the encoder's resolution throughout (1/7 of the image); `OriginalDpt` spreads the
maps over four resolutions, doubles at every fusion and ends at 8/14 (Ranftl et al. 2021). Parameter names of
the light one follow the released checkpoints.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

WIDTH = 256


def enlarge(x: Tensor, factor: int = 2) -> Tensor:
    return F.interpolate(x, scale_factor=factor, mode="bilinear", align_corners=False)


def conv3(inputs: int, outputs: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1)


def rising_channels(encoder_width: int) -> list[int]:
    """Channels of the four levels, shallow to deep: 128, 256, 512, 1024 for ViT-L."""
    return [encoder_width >> 3, encoder_width >> 2, encoder_width >> 1, encoder_width]


class ResidualUnit(nn.Module):
    """x + relu(conv(relu(conv x))), 3×3."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(conv3(WIDTH, WIDTH), nn.ReLU(), conv3(WIDTH, WIDTH), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv(x)


class Fusion(nn.Module):
    """Unit 2 of (unit 1 of this level + what came from the deeper one); the deepest level has no unit 1."""

    def __init__(self, deepest: bool, doubling: bool = False):
        super().__init__()
        if not deepest:
            self.res_conv_unit1 = ResidualUnit()
        self.res_conv_unit2 = ResidualUnit()
        self.doubling = doubling
        if doubling:
            self.out_conv = nn.Conv2d(WIDTH, WIDTH, 1)

    def forward(self, x: Tensor, deeper: Tensor | None = None) -> Tensor:
        if deeper is not None:
            x = self.res_conv_unit1(x) + deeper
        x = self.res_conv_unit2(x)
        return self.out_conv(enlarge(x)) if self.doubling else x


class Reassemble(nn.Module):
    """1×1 projections of the four maps to a rising number of channels."""

    def __init__(self, encoder_width: int, channels: list[int]):
        super().__init__()
        self.projects = nn.ModuleList(nn.Conv2d(encoder_width, c, 1) for c in channels)

    def forward(self, maps: list[Tensor]) -> list[Tensor]:
        return [project(x) for project, x in zip(self.projects, maps)]


class LightDpt(nn.Module):
    """Maps (B, C, h, w) after four depths -> (B, 256, 2h, 2w)."""

    def __init__(self, encoder_width: int):
        super().__init__()
        channels = rising_channels(encoder_width)
        self.reassemble_blocks = Reassemble(encoder_width, channels)
        self.convs = nn.ModuleList(conv3(c, WIDTH) for c in channels)
        self.fusion_blocks = nn.ModuleList(Fusion(deepest=i == 0) for i in range(4))
        self.project = nn.Sequential(conv3(WIDTH, WIDTH), nn.ReLU())

    def resample(self, levels: list[Tensor]) -> list[Tensor]:
        return [enlarge(x) for x in levels]

    def forward(self, maps: list[Tensor]) -> Tensor:
        levels = self.resample(self.reassemble_blocks(maps))
        levels = [conv(x) for conv, x in zip(self.convs, levels)]
        x = None
        for fuse, level in zip(self.fusion_blocks, reversed(levels)):
            x = fuse(level, x)
        return self.project(x)


class OriginalDpt(LightDpt):
    """The same parts at four resolutions, 4h to h/2, doubling at every fusion -> (B, 256, 8h, 8w)."""

    def __init__(self, encoder_width: int):
        super().__init__(encoder_width)
        c = rising_channels(encoder_width)
        self.resize_layers = nn.ModuleList(
            [
                nn.ConvTranspose2d(c[0], c[0], 4, stride=4),
                nn.ConvTranspose2d(c[1], c[1], 2, stride=2),
                nn.Identity(),
                conv3(c[3], c[3], stride=2),
            ]
        )
        self.fusion_blocks = nn.ModuleList(Fusion(deepest=i == 0, doubling=True) for i in range(4))

    def resample(self, levels: list[Tensor]) -> list[Tensor]:
        return [resize(x) for resize, x in zip(self.resize_layers, levels)]

    def forward(self, maps: list[Tensor]) -> Tensor:
        levels = self.resample(self.reassemble_blocks(maps))
        levels = [conv(x) for conv, x in zip(self.convs, levels)]
        x = None
        for fuse, level in zip(self.fusion_blocks, reversed(levels)):
            if x is not None:  # odd sizes: halving rounds up, doubling overshoots by one row or column
                x = x[..., : level.shape[-2], : level.shape[-1]]
            x = fuse(level, x)
        return self.project(x)
