"""What every array library needs alike: namespaces, float64 inside, and gradients that stay finite.

Geometry is written against the Python array API standard, so one file runs on NumPy and on torch.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np
from array_api_compat import array_namespace, is_torch_array

Array = Any  # NumPy, torch or any other array of the standard

__all__ = ["Array", "as_float64", "as_numpy", "detach", "finite_all", "inverse_root", "like", "namespace", "power",
           "safe_norm", "sin_cos", "spread"]  # fmt: skip


# NumPy follows the standard by itself since 2.1; going without the compatibility layer halves small fits.
_NUMPY = np if hasattr(np, "astype") else array_namespace(np.empty(0))


def namespace(*arrays: Any) -> Any:
    """The array namespace of the arguments that are arrays; NumPy for plain numbers and lists."""
    if all(type(a) is np.ndarray for a in arrays):
        return _NUMPY
    found = [a for a in arrays if array_api_compat.is_array_api_obj(a) and not isinstance(a, np.generic)]
    if all(isinstance(a, np.ndarray) for a in found):
        return _NUMPY
    return array_namespace(*found)


def as_float64(x: Any, xp: Any = None, device: Any = None) -> Array:
    """`x` as a float64 array of namespace `xp`; gradients are kept."""
    xp = namespace(x) if xp is None else xp
    if not array_api_compat.is_array_api_obj(x):
        return xp.asarray(x, dtype=xp.float64, device=device)
    return x if x.dtype == xp.float64 else xp.astype(x, xp.float64)


def like(x: Array, reference: Array) -> Array:
    """`x` in the dtype of `reference`, if that is a floating one."""
    xp = namespace(reference)
    wanted = reference.dtype
    if x.dtype == wanted or not xp.isdtype(wanted, "real floating"):
        return x
    return xp.astype(x, wanted)


def detach(x: Array) -> Array:
    """`x` without its gradient history (torch); the same array elsewhere."""
    return x.detach() if is_torch_array(x) else x


def as_numpy(x: Any) -> np.ndarray:
    """A NumPy copy for printing, files and tests; never differentiated through."""
    if is_torch_array(x):
        return x.detach().cpu().numpy()
    if isinstance(x, np.ndarray) or not array_api_compat.is_array_api_obj(x):
        return np.asarray(x)
    return np.from_dlpack(x)


def safe_norm(x: Array, y: Array, xp: Any) -> Array:
    """√(x² + y²) whose gradient at the origin is 0 instead of 0/0."""
    squared = x * x + y * y
    if not is_torch_array(squared):
        return xp.sqrt(squared)
    zero = squared == 0
    return xp.where(zero, 0.0, xp.sqrt(xp.where(zero, 1.0, squared)))


def power(x: Array, n: int) -> Array:
    """xⁿ for a whole n ≥ 1 by multiplication: many times faster than a general power, and as exact."""
    out = None
    while True:
        if n & 1:
            out = x if out is None else out * x
        n >>= 1
        if not n:
            return out
        x = x * x


def inverse_root(x: Array, xp: Any) -> Array:
    """1/√x for x > 0, by the fastest way that the library has."""
    return x**-0.5 if is_torch_array(x) else 1 / xp.sqrt(x)


def sin_cos(theta: Array, xp: Any) -> tuple[Array, Array]:
    """sin ϑ and cos ϑ; where these are slow from tan(ϑ/2), which is as exact for 0 ≤ ϑ ≤ π."""
    if is_torch_array(theta):
        return xp.sin(theta), xp.cos(theta)
    t = xp.tan(0.5 * theta)
    square = t * t
    scale = 1 / (1 + square)
    return 2 * t * scale, (1 - square) * scale


def spread(part: Array, mask: Array, whole: Array, xp: Any) -> Array:
    """`whole` with the entries where `mask` is true replaced by those of `part`, in order.

    mask has the first axes of whole; part (M, ...) as many entries as mask has true ones.
    """
    flat = xp.reshape(mask, (-1,))
    if is_torch_array(whole):  # has a way of its own, many times faster
        rows = xp.reshape(whole, (-1, *whole.shape[mask.ndim :]))
        return xp.reshape(rows.index_copy(0, xp.nonzero(flat)[0], part), whole.shape)
    place = xp.cumulative_sum(xp.astype(flat, xp.int64)) - 1
    spaced = xp.reshape(xp.take(part, xp.clip(place, min=0), axis=0), whole.shape)
    return xp.where(xp.reshape(mask, (*mask.shape, *(1,) * (whole.ndim - mask.ndim))), spaced, whole)


def finite_all(x: Array, xp: Any) -> bool:
    return bool(xp.all(xp.isfinite(x)))
