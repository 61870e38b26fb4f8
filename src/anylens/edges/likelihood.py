"""How well directions in space explain segments: inliers near a vanishing point against a uniform outlier.

For a segment at the image angles δ_k from the directions to K vanishing points, and inliers shared evenly between
them, the log-likelihood ratio against an outlier, for which any angle is as likely, is

    log(1 + g Σ_k exp(-sin²δ_k / 2σ²)),    g = ε / (K (1 - ε)) · π / (σ √2π),

with ε the expected share of inliers. It is never below 0, so clutter cannot outvote structure. Angles are taken in
the image, where they are measured: the noise then knows nothing of the focal length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anylens.edges.circles import Circles


@dataclass(frozen=True)
class Noise:
    """sigma_deg: standard deviation of the image angle; inliers: share of segments expected to point somewhere."""

    sigma_deg: float = 1.0
    inliers: float = 0.6

    @property
    def sigma(self) -> float:
        return float(np.radians(self.sigma_deg))

    def gain(self, directions: int, sigma: float) -> float:
        """g above: the density of an inlier on its vanishing point over that of an outlier."""
        share = self.inliers / (1 - self.inliers) / directions
        return float(share * np.pi / (sigma * np.sqrt(2 * np.pi)))


NOISE = Noise()


def sine_squared(c: Circles, directions: np.ndarray) -> np.ndarray:
    """sin² of the image angle between segments (..., n) and directions (..., B, 3).  (..., B, n)"""
    a = directions @ np.swapaxes(c.across, -1, -2)
    b = directions @ np.swapaxes(c.along, -1, -2)
    a *= a
    b *= b
    b += a
    b += a.dtype.type(1e-12)
    a /= b
    return a


def odds(q: np.ndarray, noise: Noise, directions: int, sigma: float) -> np.ndarray:
    """g · exp(-sin²δ / 2σ²) from sin²δ of any shape, which is overwritten."""
    q *= q.dtype.type(-0.5 / sigma**2)
    np.exp(q, out=q)
    q *= q.dtype.type(noise.gain(directions, sigma))
    return q


def log_ratio(odds: np.ndarray) -> np.ndarray:
    """log(1 + odds). Not log1p, which takes four times as long on float32; tiny odds do not matter here."""
    return np.log(1 + odds)
