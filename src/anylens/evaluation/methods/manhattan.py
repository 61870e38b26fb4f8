"""A robust Manhattan fit for a pinhole: three orthogonal directions and one focal length from line segments.

Centred pixels, in half diagonals. A direction d = (a, b, c) vanishes at (f a, f b, c); seen from the middle m of a
segment that is the direction t = (f a − c m_x, f b − c m_y), and the residual is the sine of the angle between t and
the segment. A frame scores

    Σ length · max(0, 1 − (residual / σ)²)        each segment with the best of three directions

Hypotheses at fixed focal lengths: two segments cross in the first direction, a third gives the second, orthogonal.
The best of each focal length are refined with f free (iteratively reweighted Gauss-Newton, accepted if better).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FOCALS = np.exp(np.linspace(np.log(0.3), np.log(5.0), 30))  # half diagonals: 146° to 23° across the diagonal
TRIPLES = 300  # hypotheses at each focal length
LONGEST = 150  # segments that take part
WIDE, FINE = np.radians(2.0), np.radians(1.0)
REFINED = 8
STEPS = 12


@dataclass(frozen=True)
class Manhattan:
    """focal in half diagonals; frame (3, 3), rows are directions; score: share of the segments' length explained."""

    focal: float
    frame: np.ndarray
    score: float


def fit_manhattan(segments: np.ndarray, rng: np.random.Generator) -> Manhattan | None:
    """The best frame of segments (N, 4), x1 y1 x2 y2, centred, in half diagonals; None for fewer than six of them."""
    length = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    keep = np.argsort(-length)[:LONGEST]
    segments, length = segments[keep][length[keep] > 1e-6], length[keep][length[keep] > 1e-6]
    if len(segments) < 6:
        return None
    middle = (segments[:, :2] + segments[:, 2:]) / 2
    along = (segments[:, 2:] - segments[:, :2]) / length[:, None]
    weight = length / length.sum()
    triples = rng.choice(len(segments), size=(TRIPLES, 3), p=weight)
    starts = []
    for f in FOCALS:
        frames = hypotheses(middle, along, triples, f)
        scores = score(frames, np.full(len(frames), f), middle, along, weight, WIDE)
        if len(scores):
            starts.append((float(scores.max()), f, frames[int(scores.argmax())]))
    starts.sort(key=lambda s: -s[0])
    found = [refine(frame, f, middle, along, weight) for _, f, frame in starts[:REFINED]]
    return max(found, key=lambda m: m.score) if found else None


def hypotheses(middle: np.ndarray, along: np.ndarray, triples: np.ndarray, f: float) -> np.ndarray:
    """Frames (B, 3, 3) of triples (T, 3) of segments at one focal length; degenerate ones are left out."""
    normal = np.cross(_homogeneous(middle, f), np.append(along, np.zeros((len(along), 1)), axis=1))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    first = np.cross(normal[triples[:, 0]], normal[triples[:, 1]])
    size = np.linalg.norm(first, axis=1)
    first = first / np.maximum(size, 1e-9)[:, None]
    second = np.cross(normal[triples[:, 2]], first)
    size2 = np.linalg.norm(second, axis=1)
    second = second / np.maximum(size2, 1e-9)[:, None]
    frames = np.stack([first, second, np.cross(first, second)], axis=1)
    return frames[(size > 0.02) & (size2 > 0.05)]


def residuals(frames: np.ndarray, f: np.ndarray, middle: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Signed sines (B, 3, N) between segments and their way to each vanishing point."""
    scale = np.stack([f, f], axis=-1)[:, None, :]  # (B, 1, 2)
    t = (frames[..., :2] * scale)[:, :, None, :] - frames[..., 2:][:, :, None, :] * middle  # (B, 3, N, 2)
    cross = along[:, 0] * t[..., 1] - along[:, 1] * t[..., 0]
    return cross / np.maximum(np.hypot(t[..., 0], t[..., 1]), 1e-12)


def score(frames: np.ndarray, f: np.ndarray, middle, along, weight, sigma: float) -> np.ndarray:
    """Explained share of the length, (B,) of frames (B, 3, 3)."""
    best = np.abs(residuals(frames, f, middle, along)).min(axis=1)
    return np.maximum(0.0, 1 - (best / sigma) ** 2) @ weight


def refine(frame: np.ndarray, f: float, middle, along, weight) -> Manhattan:
    """Gauss-Newton over a rotation vector and log f on the segments near a direction, from wide to fine."""
    value = -1.0
    for sigma in np.geomspace(WIDE, FINE, 3):
        value, damping = float(score(frame[None], np.array([f]), middle, along, weight, sigma)[0]), 1e-4
        for _ in range(STEPS):
            r0 = residuals(frame[None], np.array([f]), middle, along)[0]
            which = np.abs(r0).argmin(axis=0)
            pick = np.arange(len(weight))
            r = r0[which, pick]
            w = weight * (np.abs(r) < sigma)
            moved = [_moved(frame, f, step) for step in 1e-5 * np.eye(4)]
            shifted = residuals(np.stack([m[0] for m in moved]), np.array([m[1] for m in moved]), middle, along)
            J = ((shifted[:, which, pick] - r) / 1e-5).T
            H = J.T @ (J * w[:, None])
            step = -np.linalg.solve(H + damping * (np.diag(np.diag(H)) + 1e-9 * np.eye(4)), J.T @ (w * r))
            trial = _moved(frame, f, np.clip(step, -0.2, 0.2))
            better = float(score(trial[0][None], np.array([trial[1]]), middle, along, weight, sigma)[0])
            if np.isfinite(better) and better > value and FOCALS[0] <= trial[1] <= FOCALS[-1]:
                done = better - value < 1e-7
                frame, f, value, damping = trial[0], trial[1], better, damping / 5
                if done:
                    break
            elif damping > 1e3:
                break
            else:
                damping *= 10
    return Manhattan(float(f), frame, value)


def _moved(frame: np.ndarray, f: float, step: np.ndarray) -> tuple[np.ndarray, float]:
    angle = float(np.linalg.norm(step[:3]))
    k = step[:3] / max(angle, 1e-300)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)
    return frame @ R.T, float(f * np.exp(step[3]))


def _homogeneous(points: np.ndarray, f: float) -> np.ndarray:
    return np.append(points, np.full((len(points), 1), f), axis=1)
