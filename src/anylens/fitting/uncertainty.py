"""How sure a fit is, when the errors of neighbouring rays are correlated.

Residuals and Jacobians are averaged over an 8 x 8 grid of cells. Their errors are modelled as a stationary process
σ² K_ℓ(distance) of unknown range ℓ. How much of the residuals' energy survives averaging over 2 x 2 and 4 x 4
cells tells ℓ: for each ℓ on a list the expected energies are tr(B M K M), with M = 1 - Dᵀ(DDᵀ)⁻¹D the projection
that the fit has already applied (D: Jacobian) and B the averaging. Energies are matched rather than likelihoods,
because the likelihood of a smooth process is decided by its finest, least certain details.
The covariance is that of plain least squares under such errors, the sandwich  A⁻¹ (Σ Jᵀ K J) A⁻¹ σ²,  A = Σ Jᵀ J.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from anylens.arrays import Array
from anylens.fitting.problem import Problem
from anylens.fitting.residual import linearise, make_layout
from anylens.profiles.base import Profile

CELLS = 8
RANGES = (0.03, 0.08, 0.11, 0.15, 0.2, 0.26, 0.34, 0.45, 0.6, 0.8)  # of a Gaussian correlation, in half diagonals
TRUST = 0.35  # standard deviation of the log energies about their expectation


@dataclass(frozen=True)
class Uncertainty:
    covariance: Array  # (..., P, P) of (log fx, log fy, cx, cy, k), zero along known values
    n_eff: Array  # effective number of independent rays
    strength: Array  # variance of one angle over n_eff: what a squared prior deviation is worth


def estimate(
    problem: Problem, profile: Profile, q: Array, ties: np.ndarray, prior_hessian: Array | None
) -> Uncertainty:
    """Uncertainty at parameters q (..., P) along the free directions `ties` (P, F)."""
    xp = problem.xp
    T = xp.asarray(ties, dtype=q.dtype, device=q.device)
    Tt = xp.matrix_transpose(T)
    free = T.shape[-1]
    eye = xp.eye(free, dtype=q.dtype, device=q.device)
    r, D, A, mass = _cell_means(problem, profile, q, ties)
    G = _inverse(xp.sum(D @ xp.matrix_transpose(D), axis=-3), eye, xp)  # (DDᵀ)⁻¹ on the cells
    kernels, averages = _kernels(problem.width, problem.height)
    B = [xp.asarray(b, dtype=q.dtype, device=q.device) for b in averages]
    seen = xp.stack([_energy(r, b, xp) for b in B], axis=-1)  # (..., 3)
    root = xp.sqrt(mass)[..., None, None, :]
    misfit, variances, meats, means = [], [], [], []
    for K in kernels:
        K = xp.asarray(K, dtype=q.dtype, device=q.device)
        expected = xp.stack([_expected(K, b, D, G, root, xp) for b in B], axis=-1)
        variance = seen[..., 0] / xp.clip(expected[..., 0], min=1e-300)
        off = xp.log((seen[..., 1:] + 1e-300) / (seen[..., :1] + 1e-300)) - xp.log(
            expected[..., 1:] / expected[..., :1]
        )
        misfit.append(xp.sum(off * off, axis=-1) / (2 * TRUST**2))
        variances.append(variance)
        DK = (D * root) @ K
        meats.append(xp.sum(DK @ xp.matrix_transpose(D * root), axis=-3))
        means.append((mass[..., None, :] @ K @ mass[..., :, None])[..., 0, 0])
    posterior = _softmax(-xp.stack(misfit, axis=0), xp)
    meat = sum(
        (posterior[i, ..., None, None] * variances[i][..., None, None] * m for i, m in enumerate(meats)), start=0.0
    )
    mean_variance: Array = sum((posterior[i, ...] * variances[i] * m for i, m in enumerate(means)), start=0.0)
    one_variance = sum((posterior[i, ...] * v for i, v in enumerate(variances)), start=0.0)
    n_eff = one_variance / xp.clip(mean_variance, min=1e-300)
    if prior_hessian is not None:
        H = Tt @ prior_hessian @ T
        A, meat = A + H, meat + mean_variance[..., None, None] * H
    inverse = _inverse(A, eye, xp)
    return Uncertainty(T @ (inverse @ meat @ inverse) @ Tt, n_eff, mean_variance)


def estimate_shared(images: Problem, profile: Profile, q: Array, ties: np.ndarray, share: Array) -> Uncertainty:
    """Uncertainty of one camera q (P,) from M images (M, N) with weights (M,).

    Images err independently of each other: each has its own bread and meat, and they add up. Between images more
    varies than within one (each network answer has its own error of scale), so from three images on the scatter of
    the images' scores is added to what each image says of itself: cautious rather than sharp.
    """
    xp = images.xp
    M = images.w.shape[0]
    many = xp.broadcast_to(q, (M, q.shape[-1]))
    T = xp.asarray(ties, dtype=q.dtype, device=q.device)
    Tt = xp.matrix_transpose(T)
    eye = xp.eye(T.shape[-1], dtype=q.dtype, device=q.device)
    own = estimate(images, profile, many, ties, None)
    r, D, A, _ = _cell_means(images, profile, many, ties)
    weight = share[:, None, None]
    bread = _inverse(xp.sum(weight * A, axis=0), eye, xp)
    within = xp.sum(weight**2 * (A @ (_pull(own.covariance, T, xp)) @ A), axis=0)
    score = xp.sum(D @ xp.matrix_transpose(r), axis=-3)  # (M, F, 1): Jᵀ r of each image
    # Weights were chosen from the same residuals, so they are counted once, not squared, and two images are given up.
    between = xp.sum(weight * (score @ xp.matrix_transpose(score)), axis=0) * (M / max(M - 2, 1))
    meat = within if M < 3 else within + between
    effective = xp.sum(share) ** 2 / xp.sum(share**2)
    n_eff = effective * xp.mean(own.n_eff)
    return Uncertainty(T @ (bread @ meat @ bread) @ Tt, n_eff, xp.mean(own.strength) / effective)


def _pull(covariance: Array, T: Array, xp) -> Array:
    """Covariance of the free directions from that of all parameters; columns of T have disjoint supports."""
    norm = xp.sum(T * T, axis=0)
    P = xp.matrix_transpose(T) / norm[:, None]
    return P @ covariance @ xp.matrix_transpose(P)


def _cell_means(problem: Problem, profile: Profile, q: Array, ties: np.ndarray):
    """Residual r (..., 2, 1, C) and Jacobian D (..., 2, F, C) as √mass · cell means; A (..., F, F); mass (..., C)."""
    xp = problem.xp
    local = linearise(problem, profile, q)
    L, M = make_layout(ties, q, xp).at(q, xp)
    along, across = xp.matrix_transpose(L) @ local.along, xp.matrix_transpose(M) @ local.across
    # Field components in the image's own axes, where errors are stationary (the polar axes turn with the pixel).
    c, s = local.at.cosine[..., None, :], local.at.sine[..., None, :]
    both = xp.stack([c * along - s * across, s * along + c * across], axis=-3)
    member, mass = _cells(problem)
    root = xp.sqrt(mass)[..., None, None, :]
    weighted = both * problem.root[..., None, None, :]  # by the whole weight: `linearise` has put in its root
    means = (weighted @ member[..., None, :, :]) / xp.where(root > 0, root, 1.0)
    A = xp.sum(both[..., :-1, :] @ xp.matrix_transpose(both[..., :-1, :]), axis=-3)
    return means[..., -1:, :], means[..., :-1, :], A, mass


def _energy(r: Array, B: Array, xp) -> Array:
    return xp.sum((r @ B) * r, axis=(-3, -2, -1))


def _expected(K: Array, B: Array, D: Array, G: Array, root: Array, xp) -> Array:
    """tr(B M K M) per unit variance, both components;  M = 1 - Dᵀ G D mixes them."""
    Kw = K * root * xp.matrix_transpose(root)  # (..., 1, C, C): √mass K √mass
    plain = 2 * xp.sum(Kw * B, axis=(-3, -2, -1))
    DK = D @ Kw
    DB = D @ B
    first = xp.sum(DK @ xp.matrix_transpose(DB), axis=-3)
    second = xp.sum(DK @ xp.matrix_transpose(D), axis=-3)
    third = xp.sum(DB @ xp.matrix_transpose(D), axis=-3)
    trace = _trace(G @ (second @ G @ third), xp) - 2 * _trace(G @ first, xp)
    return xp.maximum(plain + trace, 1e-6 * plain)


def _trace(A: Array, xp) -> Array:
    return xp.sum(A * xp.eye(A.shape[-1], dtype=A.dtype, device=A.device), axis=(-2, -1))


def _inverse(A: Array, eye: Array, xp) -> Array:
    D = 1 / xp.sqrt(xp.sum(A * eye, axis=-1) + 1e-300)
    return xp.linalg.inv(A * D[..., :, None] * D[..., None, :] + 1e-13 * eye) * D[..., :, None] * D[..., None, :]


def _softmax(x: Array, xp) -> Array:
    e = xp.exp(x - xp.max(x, axis=0, keepdims=True))
    return e / xp.sum(e, axis=0, keepdims=True)


def _cells(problem: Problem) -> tuple[Array, Array]:
    """Membership (..., N, C) of each ray and weight (..., C) of each cell."""
    xp = problem.xp
    index = []
    for x, size in ((problem.u, problem.width), (problem.v, problem.height)):
        i = xp.floor((x * problem.half / size + 0.5) * CELLS)
        index.append(xp.clip(i, 0.0, CELLS - 1.0))
    ids = xp.arange(CELLS * CELLS, dtype=problem.w.dtype, device=problem.w.device)
    member = xp.astype((index[1] * CELLS + index[0])[..., None] == ids, problem.w.dtype)
    return member, (problem.w[..., None, :] @ member)[..., 0, :]


@lru_cache(maxsize=64)
def _kernels(width: int, height: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Correlation of the cell means for each range, and the averaging over 1, 2 x 2 and 4 x 4 cells."""
    half = 0.5 * np.hypot(width, height)
    fine = 3  # points per cell and axis that stand for its rays
    step = (np.arange(CELLS * fine) + 0.5) / (CELLS * fine)
    kernels = []
    for length in RANGES:
        axes = []
        for size in (height, width):
            d = (step[:, None] - step[None, :]) * size / half
            K = np.exp(-0.5 * (d / length) ** 2)
            axes.append(K.reshape(CELLS, fine, CELLS, fine).mean((1, 3)))
        kernels.append(np.kron(*axes))
    averages = []
    for size in (1, 2, 4):
        one = np.kron(np.eye(CELLS // size), np.full((size, size), 1 / size))
        averages.append(np.kron(one, one))
    return kernels, averages
