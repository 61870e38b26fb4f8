"""What is minimised. Every loss is averaged within a view first, so that batches may be cut anywhere."""

from __future__ import annotations

import torch
from torch import Tensor

from anylens.network.focal import soft_bins
from anylens.network.rays import angle_between, field_to_rays
from anylens.training.config import TrainConfig
from anylens.training.population import kinds


def view_mean(values: Tensor, valid: Tensor) -> Tensor:
    """Mean over the valid cells of each view: (B, h, w) -> (B,); 0 for a view without any."""
    share = valid.to(values.dtype)
    return (values * share).sum(dim=(1, 2)) / share.sum(dim=(1, 2)).clamp(min=1.0)


def saturate(loss: Tensor, scale: float) -> Tensor:
    """c log(1 + loss / c): the identity for small losses, a slow growth beyond c, so outliers pull less."""
    return scale * torch.log1p(loss / scale)


def cell_error(answer: dict[str, Tensor], field: Tensor, loss: str) -> Tensor:
    """Error per cell (B, h, w): L1 on θ (mean of both components), 1 - cos, or the angle between rays."""
    if loss == "field":
        return (answer["field"] - field).abs().mean(dim=1)
    rays = field_to_rays(field)
    if loss == "rays-cosine":
        return 1 - (answer["rays"] * rays).sum(dim=1)
    return angle_between(answer["rays"], rays)


def shape_residual(predicted: Tensor, true: Tensor, valid: Tensor) -> Tensor:
    """|s·θ_pred - θ_true| per cell (B, h, w), with the scale s of each view fitted: what is left is shape.

    s = Σ θ_pred·θ_true / Σ θ_pred·θ_pred over the valid cells.
    """
    share = valid[:, None].to(predicted.dtype)
    both = (predicted * true * share).sum(dim=(1, 2, 3), keepdim=True)
    scale = both / (predicted * predicted * share).sum(dim=(1, 2, 3), keepdim=True).clamp(min=1e-9)
    return (scale * predicted - true).abs().mean(dim=1)


def total_loss(
    answer: dict[str, Tensor],
    batch: dict[str, Tensor],
    config: TrainConfig,
    population: tuple[Tensor, Tensor] | None = None,
) -> dict[str, Tensor]:
    """The weighted sum under `loss`, and its parts (detached) under `field`, `focal`, `variance`.

    Photographs (kind 1) have pinhole labels good to about 5 %, some plainly wrong: their field error
    saturates, their focal bins are wider and mixed with a little doubt, and they teach no shape.
    With a `population` (see `training.population`), the distribution is not to tell kinds of views apart.
    The log-variance is a Laplace likelihood, |e| exp(-s) + s, of the detached shape residual.
    """
    field, valid, weight = batch["field"], batch["valid"], batch["weight"]
    photo = batch["kind"] == 1
    per_view = view_mean(cell_error(answer, field, config.loss), valid)
    robust = config.photo_field_weight * saturate(per_view, config.photo_saturation)
    loss = parts_field = (weight * torch.where(photo, robust, per_view)).mean()
    parts = {"field": parts_field.detach()}

    if config.focal_weight > 0 and "focal_logits" in answer:
        sigma = torch.where(photo, config.photo_sigma, config.focal_sigma).to(field.dtype)
        doubt = torch.where(photo, config.photo_doubt, 0.0).to(field.dtype)
        logits, usual = answer["focal_logits"].float(), None
        if population is not None:
            each, common = (t.to(logits.device) for t in population)
            usual = each[kinds(batch)]
            logits = logits + torch.log(usual / common)
        target = soft_bins(batch["log_focal"], sigma, doubt, usual)
        entropy = -(target * torch.log_softmax(logits, dim=1)).sum(dim=1)
        focal = (weight * entropy).mean()
        loss = loss + config.focal_weight * focal
        parts["focal"] = focal.detach()

    if config.variance_weight > 0 and "log_var" in answer:
        spread = answer["log_var"]
        error = shape_residual(answer["field"].detach(), field, valid).clamp(min=1e-4)
        likelihood = view_mean(error * torch.exp(-spread) + spread, valid)
        variance = (weight * likelihood * (~photo)).mean()
        loss = loss + config.variance_weight * variance
        parts["variance"] = variance.detach()

    return {"loss": loss, **parts}
