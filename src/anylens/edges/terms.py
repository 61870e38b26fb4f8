"""The terms of the joint refinement: what they cost and how they pull, by camera parameters and a turn of the frame.

    τ Σ w [ -log(1 + g Σ_k exp(-sin²δ_k / 2σ²)) + ½ log(1 + (bend/σ_b)²) ]
      + ½ n_eff mean(‖p - p_field‖² / σ_f²) + ½ ((log f - μ)/σ_μ)²

Robust terms enter the Gauss-Newton system with the weight that each gives to its residual.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anylens.camera import Camera
from anylens.edges.circles import Circles, circles
from anylens.edges.likelihood import Noise
from anylens.edges.plumb import bend_residual, bend_slopes, bend_std
from anylens.edges.segments import Segments
from anylens.evidence import log_focal
from anylens.jacobians import unproject_jacobian

SHIFT = 1e-6
OUTSIDE = 10.0  # standard deviations: what a segment costs that leaves the model's domain


@dataclass(frozen=True)
class FieldTerm:
    """Rays (N, 3) that the network gives to pixels (N, 2), their standard deviation in radians, and to how many
    independent rays they amount."""

    pixels: np.ndarray
    rays: np.ndarray
    std: float
    n_eff: float


@dataclass(frozen=True)
class Terms:
    """segments with weights (n,), their noise and tempering τ; the field; mean and std of log focal length."""

    segments: Segments
    weight: np.ndarray
    noise: Noise
    temper: float
    field: FieldTerm | None = None
    log_focal: tuple[float, float] | None = None

    def cost(self, camera: Camera, frame: np.ndarray | None) -> float:
        """The sum above for one camera with two focal lengths and a frame (3, 3), or None without directions."""
        total = 0.0
        if frame is not None:
            c = circles(camera, self.segments.points[:, 1], self.segments.chord)
            odds = self._odds(_sines(c, frame)[0]).sum(axis=0)
            total -= self.temper * float((self.weight * c.valid * np.log1p(odds)).sum())
        bend, valid = bend_residual(camera, self.segments.points)
        z = np.where(valid, bend / bend_std(camera, self.segments.noise), OUTSIDE)
        total += self.temper * float((self.weight * 0.5 * np.log1p(z * z)).sum())
        if self.field is not None:
            rays, ok = camera.unproject(self.field.pixels)
            miss = np.where(ok, ((rays - self.field.rays) ** 2).sum(-1), 1.0)
            total += 0.5 * self.field.n_eff * float(miss.mean()) / self.field.std**2
        if self.log_focal is not None:
            total += 0.5 * ((log_focal(camera) - self.log_focal[0]) / self.log_focal[1]) ** 2
        return total

    def system(self, camera: Camera, frame: np.ndarray | None, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient (m + 3,) and Gauss-Newton Hessian by steps along the basis (P, m) of params, and by a turn."""
        m = basis.shape[1]
        size = m + (0 if frame is None else 3)
        H, g = 1e-9 * np.eye(size), np.zeros(size)

        def add(residual: np.ndarray, slopes: np.ndarray, weight: np.ndarray) -> None:
            k = slopes.shape[-1]
            H[:k, :k] += (weight[:, None] * slopes).T @ slopes
            g[:k] += slopes.T @ (weight * residual)

        if frame is not None:
            self._add_directions(camera, frame, basis, add)
        bend, valid = bend_residual(camera, self.segments.points)
        std = bend_std(camera, self.segments.noise)
        pull = self.temper * self.weight * valid / (1 + (bend / std) ** 2) / std**2
        add(bend, bend_slopes(camera, self.segments.points) @ basis, pull)
        if self.field is not None:
            rays, ok = camera.unproject(self.field.pixels)
            by = unproject_jacobian(camera, self.field.pixels)[1] @ basis
            share = np.where(ok, self.field.n_eff / len(rays) / self.field.std**2, 0.0)
            for i in range(3):
                add(rays[:, i] - self.field.rays[:, i], by[:, i], share)
        if self.log_focal is not None:
            move = np.asarray(camera.params) + SHIFT * basis.T
            slope = [(log_focal(_like(camera, p)) - log_focal(camera)) / SHIFT for p in move]
            off = log_focal(camera) - self.log_focal[0]
            add(np.array([off]), np.array([slope]), np.array([self.log_focal[1] ** -2]))
        return g, H

    def _add_directions(self, camera: Camera, frame: np.ndarray, basis: np.ndarray, add) -> None:
        """Angles to the vanishing points; slopes by the camera as one-sided differences, in one batch."""
        moved = np.asarray(camera.params) + SHIFT * np.concatenate([np.zeros((1, len(basis))), basis.T])
        c = circles(_like(camera, moved), self.segments.points[:, 1], self.segments.chord)
        s, den = _sines(c, frame)  # (1 + m, 3, n)
        odds = self._odds(s[0])
        trust = odds / (1 + odds.sum(axis=0)) * self.weight * c.valid[0] * (self.temper / self.noise.sigma**2)
        for k in range(3):
            by_turn = np.cross(frame[k], c.across[0]) / den[0, k][:, None]
            by_camera = ((s[1:, k] - s[0, k]) / SHIFT).T
            add(s[0, k], np.concatenate([by_camera, by_turn], axis=1), trust[k])

    def _odds(self, sines: np.ndarray) -> np.ndarray:
        sigma = self.noise.sigma
        return self.noise.gain(3, sigma) * np.exp(-0.5 * (sines / sigma) ** 2)


def _sines(c: Circles, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """sin δ and its divisor for each direction and segment.  (..., 3, n)"""
    a = frame @ np.swapaxes(c.across, -1, -2)
    den = np.sqrt(a * a + (frame @ np.swapaxes(c.along, -1, -2)) ** 2) + 1e-12
    return a / den, den


def _like(camera: Camera, params: np.ndarray) -> Camera:
    return Camera(camera.model, params, camera.width, camera.height)
