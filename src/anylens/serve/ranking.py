"""The models that `auto` looks at, for one photo: how far each is off the field, and which was taken."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anylens.calibration.choice import LEVELS, whole
from anylens.calibration.observation import Observation
from anylens.calibration.options import Options
from anylens.calibration.shape import fit_shape
from anylens.errors import FitError
from anylens.profiles import parse


def rank(seen: Observation, options: Options) -> list[dict[str, Any]]:
    """The chosen model first, then those that do not fold over, by the angle they are off."""
    chosen = fit_shape(seen, replace(options, model="auto")).camera
    rows = []
    for model in (m for level in LEVELS for m in level):
        name = f"simple_{model}" if chosen.simple else model
        coefficients = len(parse(name).profile.coefs)
        try:
            fit = fit_shape(seen, replace(options, model=name)).fit
        except FitError as error:
            rows.append({"model": name, "coefficients": coefficients, "error": str(error)})
            continue
        rows.append({"model": name, "coefficients": coefficients, "rms_deg": float(f"{float(fit.rms_deg):.4g}"),
                     "folds": not whole(fit.camera), "chosen": name == chosen.model})  # fmt: skip
    return sorted(rows, key=lambda row: (not row.get("chosen"), row.get("folds", True), row.get("rms_deg", 0.0)))
