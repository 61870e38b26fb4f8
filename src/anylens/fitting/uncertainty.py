"""How sure a fit is, when the errors of neighbouring rays are correlated.

Residuals and Jacobians are averaged over an 8 x 8 grid of cells. Their errors are modelled as a Gaussian process
σ² K(distance) of unknown range; each range on a list is weighted by its restricted likelihood (which knows that
the fit has already taken P degrees of freedom out of the residuals), and the covariance is the sandwich
A⁻¹ (Σ Jᵀ K J) A⁻¹ σ²  with  A = Σ Jᵀ J,  the covariance of plain least squares under correlated errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from anylens.arrays import Array
from anylens.fitting.problem import Problem
from anylens.fitting.residual import linearise
from anylens.profiles.base import Profile

CELLS = 8
RANGES = (0.0, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.56, 0.8)  # in half diagonals


@dataclass(frozen=True)
class Uncertainty:
    covariance: Array  # (..., P, P) of (log fx, log fy, cx, cy, k), zero along known values
    n_eff: Array  # effective number of independent rays
    strength: Array  # variance of one angle over n_eff: what a squared prior deviation is worth


def estimate(problem: Problem, profile: Profile, q: Array, ties: np.ndarray, prior_hessian: Array | None) -> Uncertainty:
    """Uncertainty at parameters q (..., P) along the free directions `ties` (P, F)."""
    xp = problem.xp
    at = linearise(problem, profile, q)
    T = xp.asarray(ties, dtype=q.dtype, device=q.device)
    Tt = xp.matrix_transpose(T)
    J_across = Tt[:, :4] @ at.J_across
    J_along = Tt @ at.J_along
    c, s = at.cosine, at.sine
    # Field components in the image's own axes, where errors are stationary (the polar axes turn with the pixel).
    c1, s1 = c[..., None, :], s[..., None, :]
    stack = [
        xp.concat([(c * at.along - s * at.across)[..., None, :], c1 * J_along - s1 * J_across], axis=-2),
        xp.concat([(s * at.along + c * at.across)[..., None, :], s1 * J_along + c1 * J_across], axis=-2),
    ]
    member, mass = _cells(problem)
    root = xp.sqrt(mass)[..., None, :]
    safe = xp.where(root > 0, root, xp.ones_like(root))
    # (..., 2, 1 + F, cells): weighted cell means times √mass, so that plain least squares on them is the fit
    means = xp.stack([(a * problem.w[..., None, :]) @ member / safe for a in stack], axis=-3)
    whole = sum(((a * problem.w[..., None, :]) @ xp.matrix_transpose(a) for a in stack), start=0.0)
    r, J = means[..., 0, :], means[..., 1:, :]
    free = T.shape[-1]
    A = whole[..., 1:, 1:] if free else whole[..., :0, :0]
    kernels, factors, logdet = _kernels(problem.width, problem.height)
    count = float(2 * CELLS * CELLS - free)
    scale = xp.sqrt(mass)
    likelihood, covariance, means_of_K = [], [], []
    ridge = 1e-13 * xp.eye(free, dtype=q.dtype, device=q.device)
    A = A + ridge * xp.max(xp.abs(A), axis=(-2, -1), keepdims=True) + 1e-300 * ridge if free else A
    A = A if prior_hessian is None else A + Tt @ prior_hessian @ T
    for K, L, ld in zip(kernels, factors, logdet):
        K, L = (xp.asarray(m, dtype=q.dtype, device=q.device) for m in (K, L))
        # Cell means scaled by √mass have the covariance σ² √mass K √mass; whiten with L⁻¹ / √mass.
        white_r = (r / safe[..., 0, :][..., None, :]) @ L
        white_J = (J / safe[..., None, :, :]) @ L
        G = sum((white_J[..., i, :, :] @ xp.matrix_transpose(white_J[..., i, :, :]) for i in (0, 1)), start=0.0)
        b = sum(((white_J[..., i, :, :] @ white_r[..., i, :, None])[..., 0] for i in (0, 1)), start=0.0)
        square = xp.sum(white_r * white_r, axis=(-2, -1))
        gls_logdet = 0.0
        if free:
            D = 1 / xp.sqrt(xp.sum(G * xp.eye(free, dtype=q.dtype, device=q.device), axis=-1) + 1e-300)
            Gs = G * D[..., :, None] * D[..., None, :] + ridge
            square = square - xp.sum(b * D * xp.linalg.solve(Gs, (b * D)[..., None])[..., 0], axis=-1)
            gls_logdet = xp.linalg.slogdet(Gs)[1] - 2 * xp.sum(xp.log(D), axis=-1)
        variance = xp.maximum(square, 1e-300 * (1 + 0 * square)) / count
        likelihood.append(-0.5 * (count * xp.log(variance) + 2 * ld + gls_logdet))
        meat = sum(((J[..., i, :, :] * scale[..., None, :]) @ K @ xp.matrix_transpose(J[..., i, :, :] * scale[..., None, :])
                    for i in (0, 1)), start=0.0)  # fmt: skip
        covariance.append(variance[..., None, None] * meat)
        means_of_K.append((variance, (mass[..., None, :] @ K @ mass[..., :, None])[..., 0, 0]))
    posterior = _softmax(xp.stack(likelihood, axis=0), xp)
    meat = sum((posterior[i, ..., None, None] * c for i, c in enumerate(covariance)), start=0.0)
    mean_variance = sum((posterior[i, ...] * v * m for i, (v, m) in enumerate(means_of_K)), start=0.0)
    one_variance = sum((posterior[i, ...] * v for i, (v, _) in enumerate(means_of_K)), start=0.0)
    n_eff = one_variance / mean_variance
    if not free:
        return Uncertainty(xp.zeros_like(q)[..., None] * q[..., None, :], n_eff, mean_variance)
    if prior_hessian is not None:
        meat = meat + mean_variance[..., None, None] * (Tt @ prior_hessian @ T)
    inverse = _inverse(A, xp)
    return Uncertainty(T @ (inverse @ meat @ xp.matrix_transpose(inverse)) @ Tt, n_eff, mean_variance)


def _inverse(A: Array, xp) -> Array:
    eye = xp.eye(A.shape[-1], dtype=A.dtype, device=A.device)
    D = 1 / xp.sqrt(xp.sum(A * eye, axis=-1) + 1e-300)
    return xp.linalg.inv(A * D[..., :, None] * D[..., None, :] + 1e-14 * eye) * D[..., :, None] * D[..., None, :]


def _softmax(x: Array, xp) -> Array:
    e = xp.exp(x - xp.max(x, axis=0, keepdims=True))
    return e / xp.sum(e, axis=0, keepdims=True)


def _cells(problem: Problem) -> tuple[Array, Array]:
    """Membership (..., N, cells) of each ray and weight (..., cells) of each cell."""
    xp = problem.xp
    index = []
    for x, size in ((problem.u, problem.width), (problem.v, problem.height)):
        i = xp.floor((x * problem.half / size + 0.5) * CELLS)
        index.append(xp.clip(i, 0.0, CELLS - 1.0))
    ids = xp.arange(CELLS * CELLS, dtype=problem.w.dtype, device=problem.w.device)
    member = xp.astype((index[1] * CELLS + index[0])[..., None] == ids, problem.w.dtype)
    return member, (problem.w[..., None, :] @ member)[..., 0, :]


@lru_cache(maxsize=64)
def _kernels(width: int, height: int) -> tuple[list[np.ndarray], list[np.ndarray], list[float]]:
    """Correlation matrices of cell means, the transposed inverses of their Cholesky factors, half log-determinants."""
    half = 0.5 * np.hypot(width, height)
    step = (np.arange(CELLS) + 0.5) / CELLS
    x, y = np.meshgrid(step * width / half, step * height / half)
    distance = np.hypot(x.reshape(-1, 1) - x.reshape(1, -1), y.reshape(-1, 1) - y.reshape(1, -1))
    kernels, factors, logdet = [], [], []
    for length in RANGES:
        shapes = [np.eye(CELLS * CELLS)]
        if length > 0:
            d = np.sqrt(3) * distance / length
            shapes = [np.exp(-0.5 * (distance / length) ** 2), (1 + d) * np.exp(-d)]
        for K in shapes:
            K = K + 1e-4 * np.eye(len(K))
            L = np.linalg.cholesky(K)
            kernels.append(K)
            factors.append(np.linalg.inv(L).T)
            logdet.append(float(np.log(np.diag(L)).sum()))
    return kernels, factors, logdet
