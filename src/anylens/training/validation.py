"""Validation: the averaged network on a fixed set of held-out views, measured as the product is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn

from anylens.network.focal import focal_median, surprise
from anylens.network.rays import angle_between, field_to_rays
from anylens.training.batches import Batch, Source, to_device
from anylens.training.calibration import calibration_errors
from anylens.training.config import TrainConfig
from anylens.training.losses import view_mean
from anylens.training.picture import draw_validation

EDITED = 2  # beside the kinds of `TrainingViews`, rendered (0) and photograph (1)
SEED = 20_000  # of the held-out views, whatever the run's own seed


class Validation:
    """Holds the views, rendered once; `run` gives the figures and saves a picture.

    The views are at the size of the last part of the run, so that figures compare over the whole run.
    """

    def __init__(self, config: TrainConfig, out: Path, source: Source):
        self.config, self.out, self.source = config, out, source
        self.batches: list[Batch] = []

    def load(self) -> list[Batch]:
        if not self.batches:
            size = max(1, min(16, self.config.validation_views))
            fixed = replace(self.config, seed=SEED, batch=size, accumulate=1)
            views = self.source(fixed, "val", self.config.late_area, 0, 0, 1)
            self.batches = [next(views) for _ in range(-(-self.config.validation_views // size))]
        return self.batches

    @torch.no_grad()
    def run(self, net: nn.Module, step: int) -> dict[str, float]:
        """Figures of `net`: `rendered_…`, `photo_…` and `edited_…`, medians over views, angles in degrees."""
        net.eval()
        device = next(net.parameters()).device
        rows: dict[str, list[Tensor]] = {}
        calibrations: list[dict[str, Tensor]] = []
        answers = []
        for batch in self.load():
            image, labels = to_device(dict(batch), device)
            if "edited" in labels:
                labels["kind"] = torch.where(labels["edited"] > 0, EDITED, labels["kind"])
            answer = net(image, labels.get("edited"))
            answers.append(answer["field"].cpu())
            rays = field_to_rays(answer["field"]), field_to_rays(labels["field"])
            row = {
                "kind": labels["kind"],
                "l1": view_mean((answer["field"] - labels["field"]).abs().mean(dim=1), labels["valid"]),
                "ae_field": torch.rad2deg(view_mean(angle_between(*rays), labels["valid"])),
            }
            if "focal_logits" in answer:
                row["log_focal"] = focal_median(answer["focal_logits"]) - labels["log_focal"]
                row["nats"] = surprise(answer["focal_logits"], labels["log_focal"])
            for key, value in row.items():
                rows.setdefault(key, []).append(value.cpu())
            calibrations.append(calibration_errors(answer, labels, image.shape[-1], image.shape[-2]))
        table = {k: torch.cat(v) for k, v in rows.items()}
        table |= {k: torch.cat([c[k] for c in calibrations]) for k in calibrations[0]}
        draw_validation(self.out / "pictures" / f"{step:07d}.png", self.batches[0], answers[0])
        return summarise(table)


def summarise(table: dict[str, Tensor]) -> dict[str, float]:
    """Medians (for log focal the signed median too) per kind; AUC of the FoV errors up to 1, 5 and 10°; and the mean of
    `nats`, which grows when a network that learns its photographs by heart becomes surer than it is right."""
    figures: dict[str, float] = {}
    for kind, prefix in ((0, "rendered"), (1, "photo"), (EDITED, "edited")):
        chosen = table["kind"] == kind
        if not chosen.any():
            continue
        for key, values in table.items():
            if key == "kind":
                continue
            values = values[chosen].double()
            if key == "nats":
                figures[f"{prefix}_nats"] = float(values.mean())
                continue
            figures[f"{prefix}_{key}"] = float(values.abs().median())
            if key == "log_focal" or key.startswith("hfov"):
                figures[f"{prefix}_{key}_bias"] = float(values.median())
            if key in ("hfov", "vfov"):
                for limit in (1, 5, 10):
                    figures[f"{prefix}_{key}_auc{limit}"] = recall_area(values.abs(), limit)
    return figures


def recall_area(errors: Tensor, limit: float) -> float:
    """Area under the recall curve up to `limit`: mean of max(0, 1 - error / limit)."""
    return float((1 - errors / limit).clamp(min=0).mean())
