"""From predicted fields to cameras inside validation, by the fit that users get."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from anylens.camera import Camera
from anylens.errors import FitError
from anylens.field import angle_between, field_to_rays
from anylens.fitting.single import fit
from anylens.network.focal import focal_median

# Rendered views come from many models: one that is close to all of them is fitted to truth and answer alike.
# Centre and aspect are held as users have them by default; edited views (2) free both.
MODELS = {0: "simple_kb:3", 1: "simple_pinhole", 2: "kb:3"}


def calibration_errors(
    answer: dict[str, Tensor], labels: dict[str, Tensor], width: int, height: int
) -> dict[str, Tensor]:
    """Errors (B,) in degrees of the fitted cameras: `ae` (mean angle to the true rays), signed `hfov` and
    `vfov`, and `hfov_focal`, that of a pinhole with the median of the focal distribution. A failed fit
    is infinite.
    """
    count = len(labels["kind"])
    kinds, valid = labels["kind"].cpu().numpy(), labels["valid"].flatten(1).cpu().numpy()
    pixels = _cell_pixels(answer["field"].shape[-2:], width, height)
    guess, true = (field_to_rays(_vectors(t)) for t in (answer["field"], labels["field"]))  # (B, N, 3)
    errors = {key: np.full(count, np.inf) for key in ("ae", "hfov", "vfov")}
    for kind, model in MODELS.items():
        chosen = np.flatnonzero((kinds == kind) & (valid.sum(axis=1) > 6))
        if not len(chosen):
            continue
        try:
            found = _fit(pixels, guess[chosen], valid[chosen], model, width, height)
            truth = _fit(pixels, true[chosen], valid[chosen], model, width, height)
        except FitError:
            continue
        errors["hfov"][chosen] = _finite(found.hfov_deg - truth.hfov_deg)
        errors["vfov"][chosen] = _finite(found.vfov_deg - truth.vfov_deg)
        rays, _ = found.unproject(np.broadcast_to(pixels, (len(chosen), *pixels.shape)))
        angle = np.where(valid[chosen], np.rad2deg(angle_between(rays, true[chosen])), 0.0)
        errors["ae"][chosen] = _finite(angle.sum(axis=1) / valid[chosen].sum(axis=1))
    if "focal_logits" in answer:
        half = width / np.hypot(width, height)  # half the width, in half diagonals
        focal = [focal_median(answer["focal_logits"]), labels["log_focal"]]
        wide = [2 * torch.rad2deg(torch.atan(half / torch.exp(f.double().cpu()))).numpy() for f in focal]
        errors["hfov_focal"] = wide[0] - wide[1]
    return {key: torch.from_numpy(np.asarray(values, dtype=np.float64)) for key, values in errors.items()}


def _fit(pixels: np.ndarray, rays: np.ndarray, valid: np.ndarray, model: str, width: int, height: int) -> Camera:
    weights = np.asarray(valid, dtype=np.float64)
    batch = np.broadcast_to(pixels, (len(rays), *pixels.shape))
    known = {"cx": width / 2, "cy": height / 2} if model.startswith("simple_") else None
    return fit(batch, rays, model, width=width, height=height, weights=weights, known=known).camera


def _cell_pixels(shape: torch.Size, width: int, height: int) -> np.ndarray:
    """Pixels (N, 2) of the cell centres, row-major."""
    rows, cols = shape
    x, y = np.meshgrid((np.arange(cols) + 0.5) * width / cols, (np.arange(rows) + 0.5) * height / rows)
    return np.stack([x.ravel(), y.ravel()], axis=-1)


def _vectors(field: Tensor) -> np.ndarray:
    """(B, 2, h, w) -> (B, N, 2), float64."""
    return field.flatten(2).transpose(1, 2).double().cpu().numpy()


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.inf)
