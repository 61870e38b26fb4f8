"""From predicted fields to cameras, inside validation: fields of view as a user would get them."""

from __future__ import annotations

import torch
from torch import Tensor

from anylens.network.coordinates import cell_coordinates
from anylens.network.focal import focal_median


def calibration_metrics(
    answer: dict[str, Tensor], labels: dict[str, Tensor], width: int, height: int
) -> dict[str, Tensor]:
    """Signed errors (B,) in degrees: `hfov`, `vfov` of the field, `hfov_focal` of the focal distribution.

    The field of view is read off an odd polynomial ϑ(r) = Σ c_n r^{2n+1}, n ≤ 2, about the centre.
    """
    field, true = answer["field"].double().cpu(), labels["field"].double().cpu()
    valid = labels["valid"].cpu()
    half = 0.5 * (width**2 + height**2) ** 0.5
    reach = torch.tensor([0.5 * width / half, 0.5 * height / half], dtype=torch.float64)
    fov, truth = polynomial_fov(field, valid, reach), polynomial_fov(true, valid, reach)
    errors = {"hfov": fov[:, 0] - truth[:, 0], "vfov": fov[:, 1] - truth[:, 1]}
    if "focal_logits" in answer:
        focal = torch.exp(focal_median(answer["focal_logits"])).double().cpu()
        pinhole = torch.rad2deg(2 * torch.atan(reach[0] / focal))
        exact = torch.rad2deg(2 * torch.atan(reach[0] / torch.exp(labels["log_focal"].double().cpu())))
        errors["hfov_focal"] = pinhole - exact
    return errors


def polynomial_fov(field: Tensor, valid: Tensor, reach: Tensor) -> Tensor:
    """Full angles (B, 2) in degrees across width and height: least squares of ϑ against r, r³, r⁵."""
    xy = cell_coordinates(field.shape[-2], field.shape[-1], field)
    r = torch.sqrt((xy * xy).sum(dim=0)).flatten()  # (n,)
    # radial part of θ: its projection on the direction of the pixel
    polar = (field * xy).sum(dim=1).flatten(1) / r.clamp(min=1e-6)
    share = valid.flatten(1).double()
    powers = torch.stack([r, r**3, r**5], dim=-1)  # (n, 3)
    rows = powers[None] * share[..., None]
    coefficients = torch.linalg.lstsq(rows, (polar * share)[..., None]).solution  # (B, 3, 1)
    ends = torch.stack([reach, reach**3, reach**5], dim=-1)  # (2, 3)
    return torch.rad2deg(2 * (ends[None] @ coefficients)[..., 0])
