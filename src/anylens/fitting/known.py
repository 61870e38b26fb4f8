"""What the caller knows: values that a fit must respect exactly, as ties between the full parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.arrays import Array, as_float64
from anylens.errors import FitError
from anylens.profiles import Model
from anylens.profiles.base import Profile


@dataclass(frozen=True)
class Known:
    """Known values by internal name (fx fy aspect cx cy and coefficients), normalised, each (..., 1)."""

    values: dict[str, Array]
    raw: dict[str, Any]  # as the caller gave them, by parameter name of the model
    ties: np.ndarray  # (4 + K, F): free directions of (log fx, log fy, cx, cy, k)

    def get(self, name: str) -> Array | None:
        return self.values.get(name)


def make_known(known: dict[str, Any] | None, model: Model, problem) -> Known:
    """Check names and values, normalise, and lay out the free directions. Raises FitError."""
    given = dict(known or {})
    profile: Profile = model.profile
    allowed = (*model.param_names, "f", "aspect")
    wrong = [n for n in given if n not in allowed]
    if wrong:
        raise FitError(
            f"'{model.id}' has no parameter '{wrong[0]}' that could be known. Allowed: {', '.join(allowed)}."
        )
    xp, half = problem.xp, problem.half
    arrays = {}
    for name, value in given.items():
        x = as_float64(value, xp, problem.w.device)
        if not bool(xp.all(xp.isfinite(x))):
            raise FitError(f"The known value of '{name}' is not finite.")
        arrays[name] = problem.full(0.0) + (x[..., None] if x.ndim else x)
    if model.simple and "aspect" in arrays and bool(xp.any(arrays["aspect"] != 1)):
        raise FitError(f"'{model.id}' has square pixels; use '{model.id.removeprefix('simple_')}' for an aspect.")
    if "f" in arrays:
        if "fx" in arrays or "fy" in arrays:
            raise FitError("Give either f or fx and fy, not both.")
        arrays["fx"] = arrays.pop("f")
        arrays["fy"] = arrays["fx"]
    if model.simple:
        arrays["aspect"] = problem.full(1.0)
    values = {n: v for n, v in arrays.items() if n in ("aspect", *profile.coefs)}
    for n in ("fx", "fy"):
        if n in arrays:
            if bool(xp.any(arrays[n] <= 0)):
                raise FitError(f"The known focal length '{n}' must be positive.")
            values[n] = arrays[n] / half
    for n, size in (("cx", problem.width), ("cy", problem.height)):
        if n in arrays:
            values[n] = (arrays[n] - 0.5 * size) / half
    if "fx" in values and "fy" in values:
        values["aspect"] = values["fy"] / values["fx"]
    elif "aspect" in values and "fx" in values:
        values["fy"] = values["fx"] * values["aspect"]
    elif "aspect" in values and "fy" in values:
        values["fx"] = values["fy"] / values["aspect"]
    for name, (low, high) in zip(profile.coefs, profile.coef_bounds()):
        if name in values and bool(xp.any((values[name] < low) | (values[name] > high))):
            raise FitError(f"The known value of '{name}' must lie in [{low:g}, {high:g}].")
    return Known(values, given, _ties(values, profile))


def _ties(values: dict[str, Array], profile: Profile) -> np.ndarray:
    size = 4 + len(profile.coefs)
    columns: list[tuple[int, ...]] = []
    if "aspect" in values and "fx" not in values:
        columns.append((0, 1))  # fy follows fx
    elif "aspect" not in values:
        columns += [(i,) for i, n in enumerate(("fx", "fy")) if n not in values]
    names = ("cx", "cy", *profile.coefs)
    columns += [(2 + i,) for i, n in enumerate(names) if n not in values]
    ties = np.zeros((size, len(columns)))
    for j, rows in enumerate(columns):
        ties[list(rows), j] = 1.0
    return ties
