"""The map between two radial cameras with the same axis, from a table of one variable.

A target pixel at radius r on its normalised plane shows the angle ϑ = h_t⁻¹(r), which the source has at
radius h_s(ϑ) in the same direction. So  u = cx_s + fx_s x s(q),  v = cy_s + fy_s y s(q),  q = x² + y²,  with

    s(q) = h_s(h_t⁻¹(√q)) / √q,   s(0) = h_s'(0) / h_t'(0),

smooth in q. It is tabulated finely enough that linear interpolation is exact to 1e-3 px, which is checked
half-way between the nodes; where no table is that good (next to a fold) there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anylens.camera import Camera
from anylens.profiles import parse

NODES, MOST_NODES = 2048, 2**17
ACCURACY = 1e-3  # pixels of the source


@dataclass(frozen=True)
class RadialTable:
    """`value` and `step` (N,) float32: s at the nodes and its increments; `limit`: the largest valid q."""

    source: tuple[float, float, float, float]
    target: tuple[float, float, float, float]
    value: np.ndarray
    step: np.ndarray
    scale: float
    limit: float
    bounded: bool  # True where some target pixels lie beyond the limit

    def rows(self, top: int, bottom: int, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Source pixels u, v (rows, W) float32 of some target rows, and where they are valid (None: all)."""
        fx, fy, cx, cy = self.target
        x = ((np.arange(width) + 0.5 - cx) / fx).astype(np.float32)
        y = ((np.arange(top, bottom) + 0.5 - cy) / fy).astype(np.float32)[:, None]
        t = (x * x) * np.float32(self.scale) + (y * y) * np.float32(self.scale)
        valid = t <= np.float32(self.limit * self.scale) if self.bounded else None
        np.minimum(t, np.float32(len(self.value) - 1e-2), out=t)
        index = t.astype(np.int32)
        t -= index
        t *= self.step.take(index)
        t += self.value.take(index)
        fx, fy, cx, cy = self.source
        u = t * (x * np.float32(fx))
        u += np.float32(cx)
        t *= y * np.float32(fy)
        t += np.float32(cy)
        return u, t, valid


def make_table(source: Camera, target: Camera) -> RadialTable | None:
    """The table, or None where interpolation would not reach the accuracy."""
    src, dst = _numbers(source), _numbers(target)
    fx, fy, cx, cy = dst
    corner = max(abs(cx), abs(target.width - cx)) / fx, max(abs(cy), abs(target.height - cy)) / fy
    q_max = corner[0] ** 2 + corner[1] ** 2
    limit = min(q_max, _limit(source, target))
    if not (np.isfinite(limit) and limit > 0):
        return None
    size = NODES
    while size <= MOST_NODES:
        q = np.linspace(0.0, limit, 2 * size + 1)
        s = _ratio(q, source, target)
        wrong = np.abs(0.5 * (s[:-2:2] + s[2::2]) - s[1::2]) * np.sqrt(q[1::2]) * max(src[:2])
        if np.all(np.isfinite(s)) and wrong.max() < ACCURACY:
            value, step = s[:-1:2], np.diff(s[::2])
            return RadialTable(
                src,
                dst,
                value.astype(np.float32),
                step.astype(np.float32),
                size / limit,
                limit,
                limit < q_max,
            )
        size *= 4
    return None


def _numbers(camera: Camera) -> tuple[float, float, float, float]:
    fx, fy, cx, cy = (float(v) for v in camera.full[:4])
    return fx, fy, cx, cy


def _limit(source: Camera, target: Camera) -> float:
    """q at the end of the target's domain, or where the source's angle ends."""
    s, t = parse(source.model).profile, parse(target.model).profile
    angle, radius = s.limits(source.coefs)[0], t.limits(target.coefs)
    end = float(radius[1][0])
    if float(angle[0]) < float(radius[0][0]):
        end = min(end, float(t.radius(angle * (1 - 1e-9), target.coefs)[0]))
    return end * end * (1 - 1e-9)


def _ratio(q: np.ndarray, source: Camera, target: Camera) -> np.ndarray:
    s, t = parse(source.model).profile, parse(target.model).profile
    r = np.sqrt(q)
    radius = s.radius(t.angle(r, target.coefs), source.coefs)
    slope = float(s.slope0(source.coefs)[0] / t.slope0(target.coefs)[0])
    axis = r == 0
    return np.where(axis, slope, radius / np.where(axis, 1.0, r))
