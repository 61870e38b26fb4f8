"""Roots: a bracketed Newton method for monotone functions, and the first root of a polynomial."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from anylens.arrays import Array, detach, spread

GRID, STEP = 80, 1.14  # the search grid of `first_root` spans a factor of 30,000
CLOSE = 1e-7  # quadratic convergence makes a Newton step below this the last one
NEAR = 1e-6  # as far as the value may miss then, in brackets
FLAT = 1e-4  # slopes below this, at a fold, are left to the brackets
CROWD = 8192  # so many elements that the slowest must not hold the others up


def solve_monotone(fun: Callable[[Array, Array], tuple[Array, Array]], k: Array, y: Array, top: Array, start: Array,
                   xp: Any, close: float = CLOSE) -> tuple[Array, Array]:  # fmt: skip
    """x in [0, top] with fun(x, k) = y, for an increasing `fun` that returns value and slope; top may be inf.

    A few plain Newton steps suffice from a good start. What has not settled then, usually few elements, goes on by
    itself, and at last is bracketed and bisected wherever Newton leaves the bracket. A step below `close` is the last
    one: what remains is about its square. Only that one carries a gradient, by the implicit function theorem. With x
    comes the slope, at most `close` away from it.
    """
    top, start = detach(top), detach(start)
    x, slope, unsettled = _newton(fun, k, y, top, xp.minimum(start, top), xp, close)
    if unsettled is None:
        return x, slope
    shape = tuple(x.shape)
    index = xp.nonzero(xp.reshape(unsettled, (-1,)))[0]

    def gather(a: Array) -> Array:
        return xp.take(xp.reshape(xp.broadcast_to(a, shape), (-1,)), index)[:, None]

    rows = xp.reshape(xp.broadcast_to(k, (*shape[:-1], k.shape[-1])), (-1, k.shape[-1]))
    k, y, top = xp.take(rows, index // shape[-1], axis=0), gather(y), gather(top)
    found, rise, still = _newton(fun, k, y, top, gather(detach(x)), xp, close)
    if still is not None:
        found = _bracketed(fun, detach(k), detach(y), top, gather(start), xp)
        value, rise = fun(found, k)
        found = found - (value - y) / xp.where(rise > 1e-12, rise, 1.0)
    return spread(found[:, 0], unsettled, x, xp), spread(rise[:, 0], unsettled, slope, xp)


def _newton(fun, k, y, top, x, xp, close: float, steps: int = 4) -> tuple[Array, Array, Array | None]:
    """Plain Newton from x until no step or, in a crowd, few of them are above `close`.

    x, slopes, and which elements have not settled (None if all have).
    """
    many = math.prod(x.shape)
    for _ in range(steps):
        value, slope = fun(x, k)
        step = (value - y) / xp.maximum(slope, FLAT)
        new = xp.minimum(xp.abs(x - step), top)
        size = xp.abs(detach(step))
        if not many or bool(xp.max(size) <= close):
            return new, slope, None
        if many >= CROWD and 4 * int(xp.count_nonzero(size > close)) < many:
            break
        x = detach(new)
    return new, slope, ~(size <= close)


def _bracketed(fun, k, y, top, start, xp, steps: int = 100) -> Array:
    """Newton inside a shrinking bracket; every third step bisects, so that no cycle survives."""
    x = xp.minimum(start, top)
    low, high = xp.zeros_like(x), top + xp.zeros_like(x)
    for i in range(steps):
        value, slope = fun(x, k)
        above = value > y
        high = xp.where(above, x, high)
        low = xp.where(above, low, x)
        miss = value - y
        newton = x - miss / xp.maximum(slope, 1e-300)
        # A NaN (an invalid pixel) compares false in `unsettled` and never holds the others up.
        unsettled = (xp.abs(newton - x) > CLOSE * (1 + x)) | (xp.abs(miss) > NEAR * (1 + y))
        unsettled = unsettled & (high - low > 1e-15 * (1 + x))
        middle = xp.where(xp.isfinite(high), 0.5 * (low + high), 2 * x + 1)
        inside = (newton >= low) & (newton <= high)
        x = xp.where(unsettled & ~(inside & (i % 3 < 2)), middle, xp.minimum(xp.maximum(newton, low), high))
        if not bool(xp.any(unsettled)):
            break
    return x


def first_root(c: Array, upper: float, xp: Any) -> Array:
    """Smallest s in (0, upper) with  1 + Σ_d c_d s^d = 0  (d = 1..D), else `upper`.  c (..., D) -> (..., 1).

    In closed form up to D = 2. Else: no root is smaller than S/2 with S = min |c_d|^(-1/d) (Fujiwara's bound for the
    reversed polynomial), so a geometric grid from there finds the first sign change, a chord and Newton sharpen it.
    """
    c = detach(c)
    degree = c.shape[-1]
    if degree <= 2:
        return _quadratic_root(c, upper, xp)
    orders, powers = (xp.asarray(a, dtype=c.dtype, device=c.device) for a in _grid(degree))
    size = xp.max(xp.abs(c) ** (1 / orders), axis=-1, keepdims=True)
    start = 0.5 / xp.maximum(size, 1e-12)
    scaled = c * start**orders  # in s / start
    values = 1 + scaled @ powers
    negative = values < 0
    limit = xp.full_like(start, upper)
    if not bool(xp.any(negative)):
        return limit
    index = xp.clip(xp.argmax(xp.astype(negative, xp.int64), axis=-1, keepdims=True), min=1)
    above, below = (xp.take_along_axis(values, i, axis=-1) for i in (index - 1, index))
    top = STEP ** xp.astype(index, c.dtype)
    bottom = top / STEP
    root = bottom + (top - bottom) * above / (above - below)
    both = xp.stack([scaled, scaled * orders], axis=-2)  # of the polynomial and of its derivative
    for _ in range(3):
        parts = both @ (root ** (orders - 1))[..., None]
        value, slope = 1 + root * parts[..., 0, :], parts[..., 1, :]
        new = root - value / xp.where(slope < 0, slope, -math.inf)
        root = xp.where((new > bottom) & (new < top), new, root)
    return xp.where(xp.any(negative, axis=-1, keepdims=True), xp.minimum(start * root, limit), limit)


@lru_cache
def _grid(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Orders d = 1..degree, and the d-th powers (degree, GRID) of the search grid of `first_root`."""
    orders = np.arange(1, degree + 1)
    return orders, STEP ** (np.arange(GRID) * orders[:, None])


def _quadratic_root(c: Array, upper: float, xp: Any) -> Array:
    """`first_root` of 1 + a s + b s²:  s = 2 / (√(a² - 4b) - a),  where that is real and positive."""
    a = c[..., :1]
    b = c[..., 1:] if c.shape[-1] == 2 else 0.0 * a
    under = a * a - 4 * b
    below = xp.sqrt(xp.maximum(under, 0.0)) - a
    found = (under >= 0) & (below > 2 / upper)
    return xp.where(found, 2 / xp.where(found, below, 1.0), upper)


def polynomial(c: Array, s: Array) -> Array:
    """1 + Σ_d c_d s^d (d = 1..D) by Horner's rule; c (..., D), s (..., N)."""
    degree = c.shape[-1]
    value = c[..., degree - 1 : degree] * s
    for d in range(degree - 1, 0, -1):
        value = (value + c[..., d - 1 : d]) * s
    return value + 1


def polynomial_and_slope(c: Array, s: Array) -> tuple[Array, Array]:
    """`polynomial` and its derivative  Σ_d d c_d s^(d-1)."""
    degree = c.shape[-1]
    value = c[..., degree - 1 : degree]
    slope = None
    for d in range(degree - 2, -2, -1):
        slope = value if slope is None else slope * s + value
        value = value * s + (c[..., d : d + 1] if d >= 0 else 1.0)
    return value, slope
