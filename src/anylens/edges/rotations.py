"""Vector products, bases and rotations for many small arrays at once."""

from __future__ import annotations

import numpy as np


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b of vectors (..., 3), to the bit np.cross, which spends longer on its axes than on arrays this small."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), dtype=np.result_type(a, b))
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        out[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return out


def complete(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors orthogonal to each unit vector (..., 3) and to each other."""
    axis = np.eye(3, dtype=v.dtype)[np.argmin(np.abs(v), axis=-1)]
    e1 = cross(v, axis)
    e1 /= np.linalg.norm(e1, axis=-1, keepdims=True)
    return e1, cross(v, e1)


def cross_matrix(v: np.ndarray) -> np.ndarray:
    """[v]×, with [v]× x = v × x.  (..., 3, 3)"""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    o = np.zeros_like(x)
    return np.stack([np.stack([o, -z, y], -1), np.stack([z, o, -x], -1), np.stack([-y, x, o], -1)], -2)


def rotation(turn: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of rotation vectors (..., 3), by Rodrigues' formula."""
    angle = np.linalg.norm(turn, axis=-1)[..., None, None]
    small = angle < 1e-6
    safe = np.where(small, 1.0, angle)
    a = np.where(small, 1.0, np.sin(safe) / safe)
    b = np.where(small, 0.5, (1 - np.cos(safe)) / safe**2)
    K = cross_matrix(turn)
    return np.eye(3) + a * K + b * (K @ K)
