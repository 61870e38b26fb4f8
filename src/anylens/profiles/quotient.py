"""Profiles that divide sin ϑ by something that angle and coefficients enter without trigonometry."""

from __future__ import annotations

from anylens.arrays import Array, namespace, sin_cos
from anylens.profiles.base import STEEPEST, Forward, Traced


class Quotient(Forward):
    """h = R / D(R, Z; k) with R = sin ϑ, Z = cos ϑ, and an inverse in closed form.

    h' = W / D²  and  h_k = -R D_k / D²  with  W = Z D - R D_ϑ;  so  ϑ_r = D² / W  and  ϑ_k = R D_k / W.
    """

    def below(self, R: Array, Z: Array, k: Array) -> tuple[Array, Array, tuple[Array, ...]]:
        """D, dD/dϑ and dD/dk, one array per coefficient."""
        raise TypeError(f"{type(self).__name__} must define below")

    def direction(self, r: Array, k: Array) -> tuple[Array, Array]:
        """R and Z of the ray at radius r."""
        raise TypeError(f"{type(self).__name__} must define direction")

    def radius(self, theta, k):
        R, Z = sin_cos(theta, namespace(theta))
        return R / self.below(R, Z, k)[0]

    def radius_grad(self, theta, k):
        R, Z = sin_cos(theta, namespace(theta))
        D, by_theta, by_k = self.below(R, Z, k)
        square = 1 / (D * D)
        return (Z * D - R * by_theta) * square, tuple(-R * d * square for d in by_k)

    def angle(self, r, k, start=None, top=None):
        return namespace(r).atan2(*self.direction(r, k))

    def seen(self, r, k, start=None, top=None):
        return self.direction(r, k)

    def trace(self, r, k, start=None, top=None):
        R, Z = self.direction(r, k)
        D, by_theta, by_k = self.below(R, Z, k)
        square = D * D
        inverse = 1 / namespace(r).maximum(Z * D - R * by_theta, square * (1 / STEEPEST))
        scale = R * inverse
        return Traced(R, Z, square * inverse, tuple(d * scale for d in by_k))
