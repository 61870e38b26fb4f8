"""DINOv2's vision transformer (ViT-S, B, L with 14-pixel patches), registers and depth being options.

Parameter names are the official ones, so that published weights load as they are.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anylens.network.config import ENCODERS, PATCH
from anylens.network.positions import resize_positions

TABLE = 37  # the positional table was trained at 518 pixels: 37 × 37 patches


class LayerScale(nn.Module):
    """One learned factor per channel."""

    def __init__(self, width: int):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((width,), 1e-5))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma


class Attention(nn.Module):
    """Multi-head self-attention; q, k and v come from one projection."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        if x.device.type == "cpu" and torch.is_grad_enabled():  # the fused kernel's backward is slow there
            weights = torch.softmax((q @ k.transpose(-1, -2)).float() * (c // self.heads) ** -0.5, dim=-1)
            x = weights.to(v.dtype) @ v
        else:
            x = F.scaled_dot_product_attention(q, k, v)  # (b, heads, n, c / heads)
        return self.proj(x.transpose(1, 2).reshape(b, n, c))


class Mlp(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.fc1 = nn.Linear(width, 4 * width)
        self.fc2 = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(F.gelu(self.fc1(x)))


class Block(nn.Module):
    """Pre-norm transformer block: x + γ₁ attention(norm x), then x + γ₂ mlp(norm x).

    In training each of the two is left out with the probability `drop`, for every picture on its own.
    """

    drop = 0.0

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.attn = Attention(width, heads)
        self.ls1 = LayerScale(width)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = Mlp(width)
        self.ls2 = LayerScale(width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.leave_out(self.ls1(self.attn(self.norm1(x))))
        return x + self.leave_out(self.ls2(self.mlp(self.norm2(x))))

    def leave_out(self, branch: Tensor) -> Tensor:
        if not (self.training and self.drop):
            return branch
        kept = torch.rand(branch.shape[0], 1, 1, device=branch.device) >= self.drop
        return branch * (kept / (1 - self.drop)).to(branch.dtype)


class PatchEmbed(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.proj = nn.Conv2d(3, width, PATCH, stride=PATCH)

    def forward(self, image: Tensor) -> Tensor:
        return self.proj(image).flatten(2).transpose(1, 2)  # (b, rows·cols, width)


class Vit(nn.Module):
    """Images (b, 3, 14·rows, 14·cols), normalised -> one map (b, width, rows, cols) per tap.

    `taps` counts blocks passed. `depth` blocks exist; with `complete`, the tensors that published weights
    carry but the maps never use (final norm, mask token) exist too, untrained, so that they load strictly.
    """

    def __init__(self, encoder: str, *, registers: int, depth: int, taps: tuple[int, ...], complete: bool):
        super().__init__()
        width, heads, _ = ENCODERS[encoder]
        self.taps, self.width, self.registers = tuple(taps), width, registers
        self.cls_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embed = nn.Parameter(torch.zeros(1, 1 + TABLE * TABLE, width))
        if registers:
            self.register_tokens = nn.Parameter(torch.zeros(1, registers, width))
        self.patch_embed = PatchEmbed(width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        if complete:
            self.mask_token = nn.Parameter(torch.zeros(1, width), requires_grad=False)
            self.norm = nn.LayerNorm(width, eps=1e-6).requires_grad_(False)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.trunc_normal_(module.weight, std=0.02)
                nn.init.zeros_(module.bias)
        nn.init.trunc_normal_(self.pos_embed, std=0.02)

    def freeze(self, blocks: int) -> None:
        """Fix everything up to and including `blocks` blocks: no gradient is kept or computed there."""
        if blocks < 0:
            return
        for parameter in self.parameters(recurse=False):
            parameter.requires_grad_(False)  # the tokens and the table
        self.patch_embed.requires_grad_(False)
        for block in self.blocks[:blocks]:
            block.requires_grad_(False)

    def embed(self, image: Tensor) -> Tensor:
        """Class token, registers and patches as one sequence (b, 1 + registers + rows·cols, width)."""
        rows, cols = image.shape[-2] // PATCH, image.shape[-1] // PATCH
        x = self.patch_embed(image)
        # The official models with registers were trained with the antialiased resize, those without
        # with a step of 37 / (size + 0.1): to an explicit size, outputs differ by 8e-3.
        plain = self.registers == 0
        positions = resize_positions(
            self.pos_embed[:, 1:], rows, cols, offset=0.1 if plain else 0.0, antialias=not plain
        )
        first = (self.cls_token + self.pos_embed[:, :1]).expand(x.shape[0], -1, -1)
        extra = [self.register_tokens.expand(x.shape[0], -1, -1)] if self.registers else []
        return torch.cat([first, *extra, x + positions], dim=1)

    def forward(self, image: Tensor) -> list[Tensor]:
        b, rows, cols = image.shape[0], image.shape[-2] // PATCH, image.shape[-1] // PATCH
        x = self.embed(image)
        maps = []
        for passed, block in enumerate(self.blocks, start=1):
            x = block(x)
            if passed in self.taps:
                patches = x[:, 1 + self.registers :].transpose(1, 2)
                # contiguous: torch's CPU backward of a group norm crashes on a strided view
                maps.append(patches.reshape(b, self.width, rows, cols).contiguous())
            if passed == max(self.taps):
                break
        return maps
