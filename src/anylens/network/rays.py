"""Field and rays as channel planes, with gradients that stay finite at the axis.

The same formulas as `anylens.field`, for (B, C, h, w) tensors in a training graph.
"""

from __future__ import annotations

import torch
from torch import Tensor


def field_to_rays(field: Tensor) -> Tensor:
    """θ (B, 2, h, w) -> unit rays (B, 3, h, w):  (sin ϑ / ϑ · θ, cos ϑ)."""
    polar = torch.sqrt((field * field).sum(dim=1, keepdim=True) + 1e-12)
    return torch.cat([field * torch.sin(polar) / polar, torch.cos(polar)], dim=1)


def rays_to_field(rays: Tensor) -> Tensor:
    """Unit rays (B, 3, h, w) -> θ (B, 2, h, w):  ϑ / sin ϑ · (X, Y), ϑ = atan2(√(X² + Y²), Z)."""
    sine = torch.sqrt((rays[:, :2] ** 2).sum(dim=1, keepdim=True) + 1e-12)
    return rays[:, :2] * torch.atan2(sine, rays[:, 2:]) / sine


def angle_between(a: Tensor, b: Tensor) -> Tensor:
    """Angle (B, h, w) between unit rays:  atan2(‖a × b‖, a · b), exact for small angles too."""
    cross = torch.linalg.cross(a, b, dim=1)
    return torch.atan2(torch.sqrt((cross * cross).sum(dim=1) + 1e-12), (a * b).sum(dim=1))
