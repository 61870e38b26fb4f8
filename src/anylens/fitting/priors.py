"""Gaussian priors on parameters and on the field of view, as extra terms of the refinement."""

from __future__ import annotations

import math
from typing import Any

from anylens.arrays import Array, as_float64, safe_norm
from anylens.errors import FitError
from anylens.fitting.problem import Problem
from anylens.profiles import Model
from anylens.profiles.base import INSIDE, Profile


def fov_gradient(problem: Problem, profile: Profile, q: Array, axis: int) -> tuple[Array, Array]:
    """Horizontal (axis 0) or vertical (1) FoV in radians (...) and its gradient (..., P) at q.

    The sum of the polar angles at the two borders through the principal point, signed by the side of it.
    """
    xp = problem.xp
    k, c, g = q[..., 4:], q[..., 2 + axis : 3 + axis], xp.exp(-q[..., axis : axis + 1])
    size = (problem.width, problem.height)[axis]
    zero = xp.zeros_like(c)
    angle, gradient = zero[..., 0], 0.0
    for side in (-1.0, 1.0):
        offset = (side * 0.5 * size / problem.half - c) * g
        sign = xp.sign(offset)
        r = safe_norm(offset, zero, xp)
        _, top = profile.limits(k)
        r = xp.minimum(r, INSIDE * top)
        theta = profile.angle(r, k)
        by_r, by_k = profile.angle_grad(theta, r, k)
        columns = [zero, zero, zero, zero, *(sign * d for d in by_k)]
        columns[axis] = -by_r * offset
        columns[2 + axis] = -by_r * g
        angle = angle + side * (sign * theta)[..., 0]
        gradient = gradient + side * xp.concat(columns, axis=-1)
    return angle, gradient


class Priors:
    """Priors {name: (mean, standard deviation)} for parameters, `hfov_deg` and `vfov_deg`.

    The data term of the refinement is a mean of squared angles; `strength`, the variance of one angle over the
    effective number of rays, brings squared deviations to the same unit.
    """

    def __init__(self, priors: dict[str, tuple[Any, Any]] | None, model: Model, problem: Problem, strength: Array):
        self.items = []
        self.problem, self.profile, self.strength = problem, model.profile, strength
        names = ("fx", "fy", "cx", "cy", *model.profile.coefs)
        xp = problem.xp
        for name, (mean, std) in (priors or {}).items():
            mean, std = (as_float64(x, xp, problem.w.device) for x in (mean, std))
            if not bool(xp.all(std > 0)):
                raise FitError(f"The prior on '{name}' needs a positive standard deviation.")
            index = names.index("fx" if name == "f" else name) if name in (*names, "f") else None
            if index is None and name not in ("hfov_deg", "vfov_deg"):
                raise FitError(f"No prior can be set on '{name}'. Allowed: {', '.join(names)}, hfov_deg, vfov_deg.")
            self.items.append((name, index, mean, std))

    def __bool__(self) -> bool:
        return bool(self.items)

    def normal(self, q: Array) -> Array:
        """Normal equations (..., P + 1, P + 1) at q: products of the deviations' derivatives and, last, themselves."""
        xp, half = self.problem.xp, self.problem.half
        total: Array = 0.0
        eye = xp.eye(q.shape[-1], dtype=q.dtype, device=q.device)
        for name, index, mean, std in self.items:
            if index is None:
                value, slope = fov_gradient(self.problem, self.profile, q, 0 if name == "hfov_deg" else 1)
                value, slope = value * (180 / math.pi), slope * (180 / math.pi)
            elif index < 2:
                value = xp.exp(q[..., index]) * half
                slope = eye[index, :] * value[..., None]
            else:
                size = (0.0, 0.0, self.problem.width, self.problem.height)[index] if index < 4 else 0.0
                unit = half if index < 4 else 1.0
                value, slope = q[..., index] * unit + 0.5 * size, eye[index, :] * unit + 0 * q
            row = xp.concat([slope, (mean - value)[..., None]], axis=-1) / std[..., None]
            total = total + self.strength[..., None, None] * row[..., :, None] * row[..., None, :]
        return total
