"""What the user knows of the camera: exact or approximate focal length, field of view, centre, aspect, distortion.

A plain number is exact and comes back unchanged; a pair (value, standard deviation) is one more piece of evidence.
Focal lengths and centres are in pixels of the upright photo.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.errors import ModelError
from anylens.evidence import HALF_DIAGONAL_MM, EvidenceError, log_focal, normal, normalise, with_log_focal
from anylens.profiles import parse

ALIASES = {"focal": "f", "hfov": "hfov_deg", "vfov": "vfov_deg", "dfov": "dfov_deg", "fov": "hfov_deg"}
ALIASES |= {"35mm": "focal_35mm", "f35": "focal_35mm", "k": "k1"}
SCALES = ("f", "fx", "fy", "focal_35mm", "hfov_deg", "vfov_deg", "dfov_deg")
SHAPES = ("cx", "cy", "aspect")
SURE = 0.005  # of an exact focal length, as evidence beside others


@dataclass(frozen=True)
class Knowledge:
    """exact, vague: values and (value, std) by name, those about the scale apart from those about the shape."""

    exact_scale: dict[str, float] = field(default_factory=dict)
    vague_scale: dict[str, tuple[float, float]] = field(default_factory=dict)
    exact_shape: dict[str, float] = field(default_factory=dict)
    vague_shape: dict[str, tuple[float, float]] = field(default_factory=dict)

    @staticmethod
    def of(known: dict[str, Any] | None, model: str = "auto") -> Knowledge:
        """Sorted and checked. Raises ModelError for unknown names, wrong values and contradictions."""
        coefs = () if model == "auto" else tuple(parse(model).profile.coefs)
        sorted_: tuple[dict, dict, dict, dict] = ({}, {}, {}, {})
        for given, value in (known or {}).items():
            name = ALIASES.get(given, given) if given not in coefs else given
            if name not in (*SCALES, *SHAPES, *coefs):
                extra = "" if coefs else " (distortion coefficients need a named model)"
                allowed = ", ".join((*SCALES, *SHAPES, *coefs))
                raise ModelError(f"'{given}' cannot be known. Allowed: {allowed}{extra}.")
            mean, std = _pair(value, given)
            if name in (*SCALES, "aspect") and mean <= 0:
                raise ModelError(f"The known value of '{given}' must be positive, not {mean:g}.")
            if name == "aspect" and std is not None:
                raise ModelError("A known aspect is exact; leave out its deviation.")
            row = (0 if name in SCALES else 2) + (std is not None)
            sorted_[row][name] = mean if std is None else (mean, std)
        known_scale = set(sorted_[0])
        if len(known_scale) > 1 and known_scale != {"fx", "fy"}:
            raise ModelError(f"{' and '.join(sorted(known_scale))} are both exact: give one, or a deviation each.")
        if known_scale == {"fx", "fy"}:
            sorted_[2]["aspect"] = sorted_[0]["fy"] / sorted_[0]["fx"]
        return Knowledge(*sorted_)

    def __bool__(self) -> bool:
        return bool(self.exact_scale or self.vague_scale or self.exact_shape or self.vague_shape)

    def set_scale(self, shape: Camera) -> Camera:
        """The camera with the focal length that is known exactly; unchanged without one."""
        if not self.exact_scale:
            return shape
        name, value = next(iter(self.exact_scale.items()))
        if name in ("f", "fx", "fy"):
            return _with_focal(shape, self.exact_scale)
        if name == "focal_35mm":
            return with_log_focal(shape, math.log(value / HALF_DIAGONAL_MM))
        return with_log_focal(shape, _solve_fov(shape, name, value))

    def scale_evidence(self, shape: Camera) -> np.ndarray | None:
        """Log-probabilities (64,) of log focal length; None where nothing about the scale is known."""
        if self.exact_scale:
            return normal(log_focal(self.set_scale(shape)), SURE)
        total: np.ndarray | None = None
        for name, (mean, std) in self.vague_scale.items():
            if name in ("hfov_deg", "vfov_deg", "dfov_deg"):
                ends = (_solve_fov(shape, name, d) for d in (max(mean - std, mean / 2), min(mean + std, 2 * mean)))
                term = normal(_solve_fov(shape, name, mean), 0.5 * abs(next(ends) - next(ends)))
            elif name == "focal_35mm":
                term = normal(math.log(mean / HALF_DIAGONAL_MM), std / mean)
            else:
                term = normal(log_focal(_with_focal(shape, {name: mean})), std / mean)
            total = term if total is None else normalise(total + term)
        return total


def parse_known(texts: Any) -> dict[str, Any]:
    """`name=value` and `name=value±std` (also `+-` or `~`) as a dictionary. Raises ModelError."""
    known: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            parts = [float(v) for v in re.split(r"±|\+-|\+/-|~", value)]
            if not equals or len(parts) > 2:
                raise ValueError
        except ValueError:
            raise ModelError(f"'{text}' should read name=value or name=value±deviation, as in hfov=65±3.") from None
        known[name.strip()] = parts[0] if len(parts) == 1 else tuple(parts)
    return known


def _pair(value: Any, name: str) -> tuple[float, float | None]:
    parts = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    try:
        numbers = [float(v) for v in parts]
    except (TypeError, ValueError):
        numbers = [math.nan]
    if len(numbers) not in (1, 2) or not all(map(math.isfinite, numbers)) or (len(numbers) == 2 and numbers[1] <= 0):
        raise ModelError(f"'{name}' takes a number, or a number and a positive deviation, not {value!r}.")
    return numbers[0], numbers[1] if len(numbers) == 2 else None


def _with_focal(shape: Camera, focals: dict[str, float]) -> Camera:
    """Focal lengths set to the last bit; one alone scales the other with it."""
    p = np.array(shape.params, dtype=np.float64)
    fx, fy = (float(v) for v in np.asarray(shape.full)[:2])
    if shape.simple:
        p[0] = next(iter(focals.values()))
    else:
        by = focals.get("f", focals.get("fx", 0.0)) / fx or focals["fy"] / fy
        p[0], p[1] = fx * by, fy * by
        p[0] = focals.get("fx", focals.get("f", p[0]) if fx == fy else p[0])
        p[1] = focals.get("fy", focals.get("f", p[1]) if fx == fy else p[1])
    return Camera(shape.model, p, shape.width, shape.height)


def _solve_fov(shape: Camera, name: str, degrees: float) -> float:
    """Log focal length at which the field of view is `degrees`, by bisection: it falls with the focal length."""
    low, high = -5.0, 6.0
    widest = float(getattr(with_log_focal(shape, low), name))
    if not 0 < degrees < widest:
        raise EvidenceError(f"'{shape.model}' of this shape sees at most {widest:.1f}°, not {degrees:g}°.")
    for _ in range(60):
        middle = 0.5 * (low + high)
        wider = float(getattr(with_log_focal(shape, middle), name)) > degrees
        low, high = (middle, high) if wider else (low, middle)
    return 0.5 * (low + high)
