"""Three mutually orthogonal directions (a Manhattan frame) that explain the segments: search and polish.

A frame is a rotation (3, 3) whose rows are the directions. Shapes: G focal lengths, B frames each, n segments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anylens.edges.circles import Circles
from anylens.edges.likelihood import Noise, log_ratio, odds, sine_squared
from anylens.edges.rotations import complete, cross, cross_matrix, rotation

PAIRS = 500  # pairs of segments whose circles are crossed for a first direction
SEEDS = 8  # first directions that are followed up
TURNS = 30  # angles of the second direction about the first that are tried, over 90°
WIDE = float(np.radians(2.5))  # tolerance while candidates lie on grids


def seed_pairs(c: Circles, weight: np.ndarray, noise: Noise, rng: np.random.Generator) -> np.ndarray:
    """Pairs (SEEDS, 2) of segments whose crossings explain most weight, each beyond what earlier ones did.

    c: circles at one focal length (n, 3). The pairs name directions at every other focal length too.
    """
    n = len(weight)
    share = (weight * c.valid).astype(np.float64)
    if n < 2 or share.sum() <= 0:
        return np.zeros((0, 2), dtype=int)
    i, j = rng.choice(n, size=(2, PAIRS), p=share / share.sum())
    direction = cross(c.across[i], c.across[j])
    size = np.linalg.norm(direction, axis=-1)
    keep = size > 0.01
    i, j, direction = i[keep], j[keep], direction[keep] / size[keep, None]
    gain = log_ratio(odds(sine_squared(c, direction), noise, 3, WIDE))  # (pairs, n)
    left, chosen = share.astype(np.float32), []
    for _ in range(min(SEEDS, len(i))):
        best = int(np.argmax(gain @ left))
        chosen.append((i[best], j[best]))
        left = left * np.exp(-gain[best])
    return np.array(chosen, dtype=int).reshape(-1, 2)


def candidates(c: Circles, pairs: np.ndarray, weight: np.ndarray, noise: Noise, keep: int) -> np.ndarray:
    """The `keep` best frames (G, keep, 3, 3) at each focal length: each seed direction, turned about on a grid.

    c: circles at G focal lengths (G, n, 3).
    """
    first = cross(c.across[:, pairs[:, 0]], c.across[:, pairs[:, 1]])  # (G, S, 3)
    size = np.linalg.norm(first, axis=-1, keepdims=True)
    first = np.where(size > 1e-6, first / np.maximum(size, 1e-6), np.array([0, 0, 1], dtype=first.dtype))
    e1, e2 = complete(first)
    phi = (np.arange(2 * TURNS) * (np.pi / 2 / TURNS)).astype(first.dtype)[:, None]
    ring = np.cos(phi) * e1[:, :, None] + np.sin(phi) * e2[:, :, None]  # (G, S, 2T, 3)
    # One focal length after the other: the angles to all segments then stay in the cache.
    value = np.stack([_explained(c[g], first[g], ring[g], weight, noise) for g in range(len(first))])  # (G, S, T)
    peak = (value >= np.roll(value, 1, axis=-1)) & (value >= np.roll(value, -1, axis=-1))
    by_value = np.argsort(-np.where(peak, value, -np.inf).reshape(len(value), -1), axis=-1, kind="stable")[:, :keep]
    seed, turn = np.divmod(by_value, TURNS)
    g = np.arange(len(first))[:, None]
    return np.stack([first[g, seed], ring[g, seed, turn], ring[g, seed, turn + TURNS]], axis=-2)


def _explained(c: Circles, first: np.ndarray, ring: np.ndarray, weight: np.ndarray, noise: Noise) -> np.ndarray:
    """Weight that the frames of first directions (S, 3) and the rings (S, 2T, 3) around them explain.  (S, T)"""
    around = sine_squared(c, ring.reshape(-1, 3)).reshape(len(first), 2, TURNS, -1)
    q = np.minimum(around[:, 0], around[:, 1])
    np.minimum(q, sine_squared(c, first)[:, None], out=q)
    return log_ratio(odds(q, noise, 3, WIDE)) @ (weight * c.valid)


@dataclass(frozen=True)
class Polished:
    """frames (..., B, 3, 3), their score (..., B), information (..., B, 3, 3) about a turn in radians, and odds of
    each segment to follow each direction (..., B, 3, n)."""

    frames: np.ndarray
    score: np.ndarray
    information: np.ndarray
    odds: np.ndarray


def polish(
    c: Circles,
    frames: np.ndarray,
    weight: np.ndarray,
    noise: Noise,
    sigmas: tuple[float, ...],
    given: np.ndarray | None = None,
) -> Polished:
    """Frames (..., B, 3, 3) turned by damped Gauss-Newton steps, one for each sigma, to a maximum of their score.

    With residual sin δ = (M·r)/d for a segment and a direction r, a turn ω changes it by ω·(r × M)/d. Summed over
    segments with weights w this needs only S = Σ (w/d²) M Mᵀ for each direction:
    information = [r]× S [r]×ᵀ, gradient = r × S r. `given` odds (..., B, 3, n) rule the first step, so that a
    frame can follow its segments from another focal length.
    """
    weight = (weight * c.valid)[..., None, None, :]
    M = c.across
    outer = (M[..., :, None] * M[..., None, :]).reshape(*M.shape[:-1], 9)
    info = np.zeros(frames.shape, dtype=M.dtype)
    for step, sigma in enumerate((*sigmas, noise.sigma)):
        a2, total = _squares(c, frames)
        found = odds(a2 / total, noise, 3, sigma)
        if step == len(sigmas):
            break
        follow = given if given is not None and step == 0 else found
        w = follow / (1 + follow.sum(axis=-2, keepdims=True))
        w *= weight
        w /= total
        w *= w.dtype.type(1 / sigma**2)
        flat = w.reshape(*w.shape[:-3], -1, w.shape[-1])
        S = (flat @ outer).reshape(*w.shape[:-1], 3, 3)  # (..., B, 3, 3, 3)
        turned = cross_matrix(frames)
        info = (turned @ S @ np.swapaxes(turned, -1, -2)).sum(axis=-3)
        g = cross(frames, (S @ frames[..., None])[..., 0]).sum(axis=-2)
        frames = frames @ np.swapaxes(rotation(_step(info, g)).astype(frames.dtype), -1, -2)
    score = (log_ratio(found.max(axis=-2)) * weight[..., 0, :]).sum(axis=-1)
    return Polished(frames, score, info, found)


def _squares(c: Circles, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(M·r)² and (M·r)² + (D·r)² for every frame, direction and segment.  (..., B, 3, n)"""
    b = frames.shape[-3]
    flat = frames.reshape(*frames.shape[:-3], 3 * b, 3)
    a, d = flat @ np.swapaxes(c.across, -1, -2), flat @ np.swapaxes(c.along, -1, -2)
    a *= a
    d *= d
    d += a
    d += d.dtype.type(1e-9)
    shape = (*frames.shape[:-2], 3, a.shape[-1])
    return a.reshape(shape), d.reshape(shape)


def _step(info: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Damped Gauss-Newton turn (..., 3), at most 0.2 radians."""
    info = info.astype(np.float64)
    damping = 1e-3 * np.trace(info, axis1=-2, axis2=-1)[..., None, None] + 1e-3
    turn = -np.linalg.solve(info + damping * np.eye(3), g[..., None].astype(np.float64))[..., 0]
    size = np.linalg.norm(turn, axis=-1, keepdims=True)
    return turn * np.minimum(1.0, 0.2 / np.maximum(size, 1e-12))
