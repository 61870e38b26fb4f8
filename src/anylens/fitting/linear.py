"""Linear least squares, and the two unknowns that every model shares: principal point and aspect.

u Y a - Y (a cx) + X cy = v X  is linear in a = fy/fx, a·cx and cy, whatever the radial profile.
"""

from __future__ import annotations

from anylens.arrays import Array, safe_norm
from anylens.errors import FitError
from anylens.fitting.known import Known
from anylens.fitting.problem import Problem
from anylens.profiles.base import Sample


def centre_and_aspect(problem: Problem, known: Known) -> tuple[Array, Array, Array]:
    """a, cx, cy (..., 1), normalised; known ones are returned as they are. Raises FitError if undetermined."""
    xp = problem.xp
    u, v, X, Y = problem.u, problem.v, problem.X, problem.Y
    aspect, cx, cy = known.get("aspect"), known.get("cx"), known.get("cy")
    rhs, columns = v * X, []
    if aspect is None:
        columns.append((u - cx) * Y if cx is not None else u * Y)
        if cx is None:
            columns.append(-Y)
    elif cx is None:
        rhs, columns = rhs - aspect * u * Y, [-aspect * Y]
    else:
        rhs = rhs - aspect * (u - cx) * Y
    if cy is None:
        columns.append(X)
    else:
        rhs = rhs - cy * X
    if columns:
        x = least_squares(columns, rhs, problem.w, xp, strict=True)
        parts = iter(x[..., i : i + 1] for i in range(len(columns)))
        free_aspect = aspect is None
        if free_aspect:
            # A field so noisy that its aspect makes no sense is taken as one of square pixels.
            aspect = next(parts)
            sane = (aspect > 0.02) & (aspect < 50)
            aspect = xp.where(sane, aspect, 1.0)
        if cx is None:
            cx = next(parts) / aspect if free_aspect else next(parts)
        if cy is None:
            cy = next(parts)
    return aspect, cx, cy


def make_sample(problem: Problem, aspect: Array, cx: Array, cy: Array) -> Sample:
    xp = problem.xp
    du, dv = problem.u - cx, problem.v - cy
    R = safe_norm(problem.X, problem.Y, xp)
    return Sample(
        R=R,
        Z=problem.Z,
        theta=problem.theta,
        Ra=safe_norm(problem.X, aspect * problem.Y, xp),
        rc=safe_norm(du, dv, xp),
        rca=safe_norm(du, dv / aspect, xp),
        xp=xp,
    )


def least_squares(columns: list[Array], rhs: Array, w: Array, xp, strict: bool = False) -> Array:
    """Weighted least squares by QR of the columns beside the right-hand side; x (..., P)."""
    if len(columns) == 1 and not strict:
        weighted = w * columns[0]
        square = xp.sum(weighted * columns[0], axis=-1, keepdims=True)
        return xp.sum(weighted * rhs, axis=-1, keepdims=True) / xp.where(square > 0, square, 1.0)
    P = len(columns)
    A = xp.stack([*columns, rhs], axis=-2) * xp.sqrt(w)[..., None, :]
    R = xp.linalg.qr(xp.matrix_transpose(A), mode="reduced")[1]
    size = xp.sqrt(xp.sum(R * R, axis=-2, keepdims=True))  # of the columns of A
    tiny = size <= 1e-12
    if strict and bool(xp.any(tiny[..., :-1])):
        raise FitError("The rays do not determine a camera: all of them point along the same axis.")
    size = xp.where(tiny, 1.0, size)
    R = R / size
    square = R[..., :P, :P]
    diagonal = xp.abs(xp.linalg.diagonal(square))
    if strict and bool(xp.any(diagonal < 1e-9)):
        raise FitError("The rays do not determine a camera: they are all equal, or lie on one line.")
    # Columns that say nothing new get a pivot that makes their share finite; the caller judges by the cost.
    empty = diagonal < 1e-14
    if bool(xp.any(empty)):
        pivots = 1e-7 * xp.astype(empty, R.dtype)[..., None, :]
        square = square + pivots * xp.eye(P, dtype=R.dtype, device=R.device)
    x = xp.linalg.solve(square, R[..., :P, P:])[..., 0]
    return x * size[..., 0, P:] / size[..., 0, :P]
