"""Roots: a bracketed Newton method for monotone functions, and the first root of a polynomial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from array_api_compat import is_torch_array

from anylens.arrays import Array, detach

GRID, STEP = 160, 1.07  # the search grid of `first_root` spans a factor of 50,000


def solve_monotone(fun: Callable[[Array], tuple[Array, Array]], y: Array, low: Array, high: Array,
                   start: Array, xp: Any, steps: int = 60) -> Array:
    """x with fun(x) = y for an increasing `fun` that returns value and slope.

    Newton, replaced by bisection whenever a step leaves the bracket [low, high] (high may be inf).
    Quadratic convergence makes a step below 1e-8 the last one. The derivative of the result follows from
    one more Newton step taken outside the loop (implicit function theorem).
    """
    target, x = detach(y), detach(start)
    low, high = detach(low) + xp.zeros_like(x), detach(high) + xp.zeros_like(x)
    x = xp.minimum(xp.maximum(x, low), high)
    for _ in range(steps):
        value, slope = (detach(v) for v in fun(x))
        above = value > target
        high = xp.where(above, x, high)
        low = xp.where(above, low, x)
        new = x - (value - target) / xp.where(slope > 1e-300, slope, xp.full_like(slope, 1e-300))
        middle = xp.where(xp.isfinite(high), 0.5 * (low + high), 2 * x + 1)
        new = xp.where((new >= low) & (new <= high), new, middle)
        # A NaN (an invalid pixel) compares false and never holds the others up.
        moved = xp.abs(new - x) > 1e-8 * (1 + xp.abs(x))
        x = new
        if not bool(xp.any(moved)):
            break
    if is_torch_array(y):
        value, slope = fun(x)
        x = x - (value - y) / xp.where(slope > 1e-12, slope, xp.ones_like(slope))
    return x


def first_root(c: Array, upper: float, xp: Any) -> Array:
    """Smallest s in (0, upper) with  1 + Σ_d c_d s^d = 0  (d = 1..D), else `upper`.  c (..., D) -> (..., 1).

    No root is smaller than S/2 with S = min |c_d|^(-1/d) (Fujiwara's bound for the reversed polynomial), so a
    geometric grid from there finds the first sign change and Newton sharpens it.
    """
    c = detach(c)
    degree = c.shape[-1]
    scale = xp.stack([xp.abs(c[..., d]) ** (1.0 / (d + 1)) for d in range(degree)], axis=-1)
    start = 0.5 / xp.maximum(xp.max(scale, axis=-1, keepdims=True), xp.full_like(c[..., :1], 1e-12))
    steps = xp.arange(GRID, dtype=c.dtype, device=c.device)
    negative = horner(c, start * STEP**steps, xp)[0] < 0
    found = xp.any(negative, axis=-1, keepdims=True)
    index = xp.argmax(xp.astype(negative, xp.int64), axis=-1, keepdims=True)
    top = start * STEP ** xp.astype(index, c.dtype)
    bottom = top / STEP
    root = 0.5 * (top + bottom)
    for _ in range(6):
        value, slope = horner(c, root, xp)
        new = root - value / xp.where(slope < 0, slope, xp.full_like(slope, -1e-300))
        root = xp.where((new > bottom) & (new < top), new, root)
    limit = xp.full_like(root, upper)
    return xp.where(found & (root < limit), root, limit)


def horner(c: Array, s: Array, xp: Any) -> tuple[Array, Array]:
    """1 + Σ_d c_d s^d (d = 1..D) and its derivative; c (..., D), s (..., N)."""
    degree = c.shape[-1]
    value = c[..., degree - 1 : degree] * s
    slope = degree * c[..., degree - 1 : degree] + xp.zeros_like(s)
    for d in range(degree - 1, 0, -1):
        slope = d * c[..., d - 1 : d] + s * slope
        value = s * (c[..., d - 1 : d] + value)
    return 1 + value, slope
