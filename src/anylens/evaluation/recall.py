"""Area under the recall curve: how large a share of photos has an error below e, for e up to a limit.

    recall(e) = share of errors ≤ e
    exact:      (1/T) ∫₀ᵀ recall(e) de  =  mean of max(0, 1 − error/T)
    published:  trapezoids through the points (error_i, i/N) instead of steps, and recall on [0°, 1°] held at its value
                at 1°; its AUC@1 is therefore recall at 1°

The published variant is what papers of this field print; it is larger than the exact one. Errors (..., N) may carry
leading axes (bootstrap draws); an infinite error is never recalled.
"""

from __future__ import annotations

import numpy as np

HELD = 1.0  # degrees below which the published variant does not look
LIMITS = (1, 5, 10)


def auc_exact(errors: np.ndarray, limit: float) -> np.ndarray:
    """Exact integral, (...) of errors (..., N), between 0 and 1."""
    return 1 - np.minimum(errors, limit).mean(axis=-1) / limit


def auc_published(errors: np.ndarray, limit: float, held: float = HELD, ordered: bool = False) -> np.ndarray:
    """The published variant, (...) of errors (..., N), for limits from `held` on; `ordered` errors are rising."""
    e = np.asarray(errors, dtype=float)
    e = e if ordered else np.sort(e, axis=-1)
    n = e.shape[-1]
    rank = np.arange(n + 1) / n
    below = (e <= limit).sum(axis=-1, keepdims=True) / n
    start = np.full((*e.shape[:-1], 1), held)
    x = np.concatenate([start, np.clip(e, held, limit), start - held + limit], axis=-1)  # (..., N + 2)
    r = np.minimum(np.append(rank, 1.0), below)
    area = (np.diff(x, axis=-1) * (r[..., 1:] + r[..., :-1]) / 2).sum(axis=-1)
    at_held = (e <= held).sum(axis=-1) / n
    return (area + held * at_held) / limit
