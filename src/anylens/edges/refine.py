"""Joint refinement of intrinsics and directions: edges, plumb lines, the field and what is known of the focal length.

Damped Gauss-Newton on the sum in `terms`. A step is taken only if the cost is finite and lower. Parameters move in
units that make them comparable: focal lengths by their logarithm, the centre in half diagonals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anylens.camera import Camera
from anylens.edges.likelihood import NOISE, Noise
from anylens.edges.rotations import rotation
from anylens.edges.segments import Segments
from anylens.edges.terms import FieldTerm, Terms
from anylens.profiles import parse

LARGEST_STEP = 0.3
TEMPER = 0.15  # as in the search: neighbouring segments repeat each other's errors


@dataclass(frozen=True)
class Refined:
    """camera, frame (3, 3) or None, covariance (P, P) of camera.params in its own units (zero along what was held),
    turn_covariance (3, 3) of the frame in radians, std_log_focal, cost, steps taken, converged."""

    camera: Camera
    frame: np.ndarray | None
    covariance: np.ndarray
    turn_covariance: np.ndarray | None
    std_log_focal: float
    cost: float
    steps: int
    converged: bool


def refine(
    camera: Camera,
    segments: Segments,
    frame: np.ndarray | None,
    *,
    field: FieldTerm | None = None,
    log_focal: tuple[float, float] | None = None,
    free_centre: bool = False,
    free_focal: bool = True,
    noise: Noise = NOISE,
    temper: float = TEMPER,
    steps: int = 12,
) -> Refined:
    """Camera and frame (3, 3) that explain edges, field and prior together, from a start near enough.

    frame None: plumb lines only (and field and prior). log_focal: mean and standard deviation of the logarithm of the
    focal length in half diagonals, from everything but the edges. Both focal lengths keep their ratio.
    """
    weight = np.sqrt(segments.length / max(float(segments.length.mean()), 1e-9)) if len(segments) else np.zeros(0)
    terms = Terms(segments, weight, noise, temper, field, log_focal)
    simple = camera.model.startswith("simple_")
    now = Camera(camera.model.removeprefix("simple_"), np.asarray(camera.full), camera.width, camera.height)
    basis = _basis(now, free_centre, free_focal)
    cost, damping, taken, converged = terms.cost(now, frame), 1e-3, 0, False
    g, H = terms.system(now, frame, basis)
    for _ in range(steps):
        step = _step(g, H, damping)
        if -step @ g < 1e-7 * (1 + abs(cost)):
            converged = True
            break
        trial = _bounded(now, basis @ step[: basis.shape[1]])
        turned = None if frame is None else frame @ rotation(step[basis.shape[1] :]).T
        lower = terms.cost(trial, turned)
        if np.isfinite(lower) and lower < cost:
            small = cost - lower < 1e-6 * (1 + abs(cost))
            now, frame, cost, taken, damping = trial, turned, lower, taken + 1, max(damping * 0.2, 1e-9)
            basis = _basis(now, free_centre, free_focal)
            g, H = terms.system(now, frame, basis)
            if small:
                converged = True
                break
        elif damping > 1e8:
            break
        else:
            damping *= 6
    inverse = np.linalg.pinv(H)
    m = basis.shape[1]
    covariance = basis @ inverse[:m, :m] @ basis.T
    std = float(np.sqrt(max(0.0, covariance[0, 0])) / np.asarray(now.params)[0])
    params = np.asarray(now.params)
    if simple:
        params, covariance = params[1:], covariance[1:, 1:]
    found = Camera(camera.model, params, camera.width, camera.height)
    turn = None if frame is None else inverse[m:, m:]
    return Refined(found, frame, covariance, turn, std, cost, taken, converged)


def _basis(camera: Camera, free_centre: bool, free_focal: bool) -> np.ndarray:
    """Columns (P, m) of params (fx fy cx cy k) that one unit of each free quantity moves."""
    p = np.asarray(camera.params)
    half = np.hypot(camera.width, camera.height) / 2
    columns = [[p[0], p[1], *np.zeros(len(p) - 2)]] if free_focal else []
    eye = np.eye(len(p))
    columns += [half * eye[2], half * eye[3]] if free_centre else []
    columns += list(eye[4:])
    return np.array(columns).reshape(-1, len(p)).T


def _step(g: np.ndarray, H: np.ndarray, damping: float) -> np.ndarray:
    scale = np.sqrt(np.maximum(np.diag(H), 1e-12))
    step = -np.linalg.solve(H / np.outer(scale, scale) + damping * np.eye(len(scale)), g / scale) / scale
    return step * min(1.0, LARGEST_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-12))


def _bounded(camera: Camera, move: np.ndarray) -> Camera:
    """The camera moved, focal lengths by a factor, coefficients kept within their bounds."""
    p = np.asarray(camera.params)
    bounds = np.array(parse(camera.model).profile.coef_bounds(), dtype=np.float64).reshape(-1, 2)
    focal = p[:2] * np.exp(move[:2] / p[:2])
    coefs = np.clip(p[4:] + move[4:], bounds[:, 0], bounds[:, 1])
    return Camera(camera.model, np.concatenate([focal, p[2:4] + move[2:4], coefs]), camera.width, camera.height)
