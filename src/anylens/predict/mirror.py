"""Averaging a picture with its mirror image: both in one run, answers turned back and joined."""

from __future__ import annotations

import numpy as np


def add_mirrored(images: np.ndarray) -> np.ndarray:
    """(B, H, W, 3) -> (2B, H, W, 3): the pictures, then each mirrored left and right."""
    return np.concatenate([images, images[:, :, ::-1]])


def join_mirrored(answer: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Answers of `add_mirrored` pictures (2B, …) -> averages (B, …).

    A mirrored field is read from right to left with θx negated. Logits become log-probabilities
    first, so that both pictures weigh the same.
    """
    half = len(answer["field"]) // 2
    joined = {}
    for name, values in answer.items():
        first, second = values[:half], values[half:]
        if name == "focal_logits":
            first, second = log_softmax(first), log_softmax(second)
        else:
            second = second[..., ::-1]
        if name == "field":
            second = second * np.array([-1, 1], dtype=second.dtype)[:, None, None]
        joined[name] = 0.5 * (first + second)
    return joined


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log-probabilities along the last axis."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
