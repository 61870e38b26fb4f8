"""What is to be fitted: pixels and rays, checked, weighted and brought to normalised coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from anylens.arrays import Array, as_float64, finite_all, namespace, safe_norm
from anylens.errors import FitError

SLICE = 32768  # rays at once: temporaries of that size stay in the cache


@dataclass(frozen=True)
class Problem:
    """Normalised pixels u, v (centre of the image removed, in half diagonals), unit rays, weights that sum to 1.

    Every array is float64, (..., N).
    """

    u: Array
    v: Array
    X: Array
    Y: Array
    Z: Array
    w: Array
    width: int
    height: int
    xp: Any
    dtype: Any  # of the caller's rays, for the answer

    @property
    def half(self) -> float:
        """Half the image diagonal in pixels: the unit of length inside."""
        return half_diagonal(self.width, self.height)

    @property
    def batch(self) -> tuple[int, ...]:
        return tuple(self.w.shape[:-1])

    def full(self, value: float) -> Array:
        return self.xp.full((*self.batch, 1), value, dtype=self.w.dtype, device=self.w.device)

    @cached_property
    def theta(self) -> Array:
        """Polar angles of the rays."""
        return self.xp.atan2(safe_norm(self.X, self.Y, self.xp), self.Z)

    @cached_property
    def root(self) -> Array:
        """Square roots of the weights."""
        some = self.w > 0
        return self.xp.where(some, self.xp.sqrt(self.xp.where(some, self.w, 1.0)), 0.0)

    def each(self, fun: Callable[[Array], Array]) -> Problem:
        """`fun` applied to every array."""
        return replace(self, **{n: fun(getattr(self, n)) for n in ("u", "v", "X", "Y", "Z", "w")})

    def flattened(self, batch: tuple[int, ...]) -> Problem:
        """Broadcast to `batch` and with it as one axis."""
        n = self.w.shape[-1]
        return self.each(lambda a: self.xp.reshape(self.xp.broadcast_to(a, (*batch, n)), (-1, n)))

    def sliced(self, entries: int) -> list[Problem]:
        """Pieces of at most SLICE rays over a batch of so many entries, as even as can be; their weights sum to 1."""
        n = self.w.shape[-1]
        count = min(n, -(-n * entries // SLICE))
        if count == 1:
            return [self]
        spans = [slice(n * i // count, n * (i + 1) // count) for i in range(count)]
        return [self.each(partial(_rays, span=span)) for span in spans]

    def replace_weights(self, w: Array) -> Problem:
        return replace(self, w=w / self.xp.sum(w, axis=-1, keepdims=True))

    def thinned(self, count: int) -> Problem:
        """About `count` of the rays, spread evenly; the whole problem if it has no more."""
        n = self.w.shape[-1]
        if n <= count:
            return self
        index = self.xp.asarray(_spread(n, count), device=self.w.device)
        thin = self.each(lambda a: self.xp.take(a, index, axis=-1))
        if bool(self.xp.any(self.xp.sum(thin.w, axis=-1) <= 0.2 * count / n)):
            return self  # most of the weight lies elsewhere
        return thin.replace_weights(thin.w)


@lru_cache(maxsize=64)
def _spread(n: int, count: int) -> np.ndarray:
    """Indices of `count` of n rays: a golden-section stride visits a row-major grid without favouring any column."""
    stride = int(n * 0.6180339887) | 1
    while math.gcd(stride, n) > 1:
        stride += 1
    return np.arange(count) * stride % n


def _rays(a: Array, span: slice) -> Array:
    return a[..., span]


def half_diagonal(width: float, height: float) -> float:
    return 0.5 * (width * width + height * height) ** 0.5


def make_problem(pixels: Any, rays: Any, weights: Any, width: int, height: int, least: int) -> Problem:
    """Check and normalise; rays of zero weight may hold anything. Raises FitError, naming what is wrong."""
    xp = namespace(rays, pixels)
    device = getattr(rays, "device", None)
    dtype = getattr(rays, "dtype", None)
    if dtype is None or not xp.isdtype(dtype, "real floating"):
        dtype = xp.float64
    pixels, rays = as_float64(pixels, xp, device), as_float64(rays, xp, device)
    if not (width > 0 and height > 0):
        raise FitError(f"The image size must be positive, not {width}x{height}.")
    if pixels.ndim < 2 or rays.ndim < 2 or pixels.shape[-1] != 2 or rays.shape[-1] != 3:
        raise FitError(f"Expected pixels (..., N, 2) and rays (..., N, 3), not {_shape(pixels)} and {_shape(rays)}.")
    if pixels.shape[-2] != rays.shape[-2]:
        raise FitError(f"{pixels.shape[-2]} pixels do not go with {rays.shape[-2]} rays.")
    try:
        batch = _broadcast(pixels.shape[:-2], rays.shape[:-2])
    except ValueError:
        raise FitError(f"The batch axes of pixels {_shape(pixels)} and rays {_shape(rays)} do not match.") from None
    n = rays.shape[-2]
    if n < least:
        raise FitError(f"{n} rays do not determine this camera model; at least {least} are needed.")
    if weights is None:
        w = xp.full((n,), 1 / n, dtype=xp.float64, device=rays.device)
    else:
        w = as_float64(weights, xp, rays.device) if _numeric(weights, xp) else xp.astype(weights, xp.float64)
        if w.ndim < 1 or w.shape[-1] != n:
            raise FitError(f"Expected {n} weights, one per ray, not shape {_shape(w)}.")
        if not finite_all(w, xp) or bool(xp.any(w < 0)):
            raise FitError("Weights must be finite and not negative.")
        w = xp.broadcast_to(w, (*batch, n))
    X, Y, Z = (xp.broadcast_to(rays[..., i], (*batch, n)) for i in range(3))
    u, v = pixels[..., 0], pixels[..., 1]
    if weights is not None:
        used = w > 0
        if bool(xp.any(xp.sum(xp.astype(used, xp.int64), axis=-1) < least)):
            raise FitError(f"Fewer than {least} rays have a positive weight; this camera model needs as many.")
        X, Y, u, v = (xp.where(used, a, 0.0) for a in (X, Y, u, v))
        Z = xp.where(used, Z, 1.0)
        w = w / xp.sum(w, axis=-1, keepdims=True)
    length = xp.sqrt(X * X + Y * Y + Z * Z)
    if not (finite_all(length, xp) and finite_all(u - v, xp)):
        raise FitError("Some rays or pixels are NaN or infinite. Give them the weight 0 to leave them out.")
    if bool(xp.any(length < 1e-12)):
        raise FitError("Some rays have no length.")
    half = half_diagonal(width, height)
    u, v = (u - 0.5 * width) / half, (v - 0.5 * height) / half
    u, v, w = (xp.broadcast_to(a, (*batch, n)) for a in (u, v, w))  # one copy serves all that share it
    return Problem(
        u=u,
        v=v,
        X=X / length,
        Y=Y / length,
        Z=Z / length,
        w=w,
        width=width,
        height=height,
        xp=xp,
        dtype=dtype,
    )


def _numeric(weights: Any, xp: Any) -> bool:
    return not hasattr(weights, "dtype") or xp.isdtype(weights.dtype, "real floating")


def _shape(x: Array) -> tuple[int, ...]:
    return tuple(x.shape)


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    out = []
    for i in range(1, max(len(a), len(b)) + 1):
        m = a[-i] if i <= len(a) else 1
        n = b[-i] if i <= len(b) else 1
        if m != n and 1 not in (m, n):
            raise ValueError
        out.append(max(m, n))
    return tuple(reversed(out))
