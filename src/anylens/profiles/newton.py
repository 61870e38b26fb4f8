"""Roots: a bracketed Newton method for monotone functions, and the first root of a polynomial."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from array_api_compat import is_torch_array

from anylens.arrays import Array, detach

GRID, STEP = 80, 1.14  # the search grid of `first_root` spans a factor of 30,000
CLOSE = 1e-7  # quadratic convergence makes a Newton step below this the last one


def solve_monotone(fun: Callable[[Array], tuple[Array, Array]], y: Array, top: Array, start: Array, xp: Any) -> Array:
    """x in [0, top] with fun(x) = y, for an increasing `fun` that returns value and slope; top may be inf.

    A few plain Newton steps suffice from a good start; what has not settled then is bracketed and bisected
    wherever Newton leaves the bracket. The derivative of the result follows from one more step taken outside
    the loop (implicit function theorem).
    """
    target, top = detach(y), detach(top)
    x = xp.minimum(detach(start), top)
    for _ in range(4):
        value, slope = fun(x)
        miss = detach(value) - target
        new = xp.minimum(xp.abs(x - miss / xp.maximum(detach(slope), 1e-300)), top)
        # Small step and small miss: at a fold, where the slope vanishes, a step pressed against `top` says nothing.
        settled = (xp.abs(new - x) <= CLOSE * (1 + x)) & (xp.abs(miss) <= 1e-6 * (1 + target))
        x = new
        if bool(xp.all(settled)):
            break
    else:
        x = _bracketed(fun, target, top, detach(start), xp)
    if is_torch_array(y):
        value, slope = fun(x)
        x = x - (value - y) / xp.where(slope > 1e-12, slope, 1.0)
    return x


def _bracketed(fun, y, top, start, xp, steps: int = 100) -> Array:
    """Newton inside a shrinking bracket; every third step bisects, so that no cycle survives."""
    x = xp.minimum(start, top)
    low, high = xp.zeros_like(x), top + xp.zeros_like(x)
    for i in range(steps):
        value, slope = (detach(v) for v in fun(x))
        above = value > y
        high = xp.where(above, x, high)
        low = xp.where(above, low, x)
        miss = value - y
        newton = x - miss / xp.maximum(slope, 1e-300)
        # A NaN (an invalid pixel) compares false in `unsettled` and never holds the others up.
        unsettled = (xp.abs(newton - x) > CLOSE * (1 + x)) | (xp.abs(miss) > 1e-6 * (1 + y))
        unsettled = unsettled & (high - low > 1e-15 * (1 + x))
        middle = xp.where(xp.isfinite(high), 0.5 * (low + high), 2 * x + 1)
        inside = (newton >= low) & (newton <= high)
        x = xp.where(unsettled & ~(inside & (i % 3 < 2)), middle, xp.minimum(xp.maximum(newton, low), high))
        if not bool(xp.any(unsettled)):
            break
    return x


def first_root(c: Array, upper: float, xp: Any) -> Array:
    """Smallest s in (0, upper) with  1 + Σ_d c_d s^d = 0  (d = 1..D), else `upper`.  c (..., D) -> (..., 1).

    No root is smaller than S/2 with S = min |c_d|^(-1/d) (Fujiwara's bound for the reversed polynomial), so a
    geometric grid from there finds the first sign change and Newton sharpens it.
    """
    c = detach(c)
    degree = c.shape[-1]
    size = xp.abs(c) ** (1 / xp.arange(1, degree + 1, dtype=c.dtype, device=c.device))
    start = 0.5 / xp.maximum(xp.max(size, axis=-1, keepdims=True), 1e-12)
    powers = STEP ** xp.arange(GRID, dtype=c.dtype, device=c.device)
    negative = polynomial(c, start * powers) < 0
    found = xp.any(negative, axis=-1, keepdims=True)
    limit = xp.full_like(start, upper)
    if not bool(xp.any(found)):
        return limit
    index = xp.argmax(xp.astype(negative, xp.int64), axis=-1, keepdims=True)
    top = start * STEP ** xp.astype(index, c.dtype)
    bottom = top / STEP
    root = 0.5 * (top + bottom)
    for _ in range(6):
        slope = derivative(c, root)
        new = root - polynomial(c, root) / xp.where(slope < 0, slope, -math.inf)
        root = xp.where((new > bottom) & (new < top), new, root)
    return xp.where(found & (root < limit), root, limit)


def polynomial(c: Array, s: Array) -> Array:
    """1 + Σ_d c_d s^d (d = 1..D) by Horner's rule; c (..., D), s (..., N)."""
    degree = c.shape[-1]
    value = c[..., degree - 1 : degree] * s
    for d in range(degree - 1, 0, -1):
        value = (value + c[..., d - 1 : d]) * s
    return value + 1


def derivative(c: Array, s: Array) -> Array:
    """Σ_d d c_d s^(d-1): the derivative of `polynomial`."""
    degree = c.shape[-1]
    value = degree * c[..., degree - 1 : degree] + 0 * s
    for d in range(degree - 1, 0, -1):
        value = d * c[..., d - 1 : d] + value * s
    return value
