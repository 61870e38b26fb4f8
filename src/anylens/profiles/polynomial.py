"""Profiles that are polynomials in ϑ or tan ϑ, and those whose inverse is one over the radius."""

from __future__ import annotations

import math

from anylens.arrays import namespace, power
from anylens.profiles.base import Backward, Forward
from anylens.profiles.newton import derivative, first_root, polynomial, solve_monotone


class Polynomial(Forward):
    """h = t (1 + Σ k_n t^{e_n}) in t = ϑ (up to 180°) or t = tan ϑ (up to 90°), monotone up to the first root of h'.

    The exponents e_n are the multiples 1, 2, 3 … of `stride` (2 where h is odd), so both polynomials are
    evaluated in s = t^stride.
    """

    stride = 2
    tangent = False
    iterative = True

    @property
    def row_powers(self):
        return (1,) * len(self.coefs)

    def radius(self, theta, k):
        t = namespace(theta).tan(theta) if self.tangent else theta
        return self._value(t, k)

    def radius_grad(self, theta, k):
        xp = namespace(theta)
        t = xp.tan(theta) if self.tangent else theta
        slope = self._slope(t, k)
        powers = [power(t, self.stride * (n + 1) + 1) for n in range(k.shape[-1])]
        return (slope * (1 + t * t) if self.tangent else slope), tuple(powers)

    def angle_grad(self, theta, r, k):
        xp = namespace(theta)
        t = xp.tan(theta) if self.tangent else theta
        slope = self._slope(t, k)
        inverse = 1 / xp.maximum(slope, 1e-9)
        inverse = inverse / (1 + t * t) if self.tangent else inverse
        step = power(t, self.stride)
        rising, by_k = t, []
        for _ in range(k.shape[-1]):
            rising = rising * step
            by_k.append(-rising * inverse)
        return inverse, tuple(by_k)

    def angle(self, r, k, start=None, top=None):
        xp = namespace(r)
        t_max = self._t_max(k) if top is None else self._variable(top, xp)
        start = r if start is None else xp.clip(self._variable(start, xp), 0.0, 50.0)

        def profile(t, k):
            s = power(t, self.stride)
            return t * polynomial(k, s), polynomial(self._slope_coefs(k), s)

        t = solve_monotone(profile, k, r, t_max, start, xp)
        return xp.atan(t) if self.tangent else t

    def limits(self, k):
        xp = namespace(k)
        t = self._t_max(k)
        finite = xp.isfinite(t)
        r = self._value(xp.where(finite, t, 1.0), k)
        return (xp.atan(t) if self.tangent else t), xp.where(finite, r, math.inf)

    def _variable(self, theta, xp):
        """t of ϑ; infinite at 90°, where rounding would make tan merely huge."""
        return xp.where(theta > math.pi / 2 - 1e-12, math.inf, xp.tan(theta)) if self.tangent else theta

    def _value(self, t, k):
        return t * polynomial(k, power(t, self.stride))

    def _slope(self, t, k):
        return polynomial(self._slope_coefs(k), power(t, self.stride))

    def _slope_coefs(self, k):
        xp = namespace(k)
        orders = xp.arange(1, k.shape[-1] + 1, dtype=k.dtype, device=k.device)
        return (self.stride * orders + 1) * k

    def _t_max(self, k):
        upper = math.inf if self.tangent else math.pi
        return first_root(self._slope_coefs(k), upper**self.stride, namespace(k)) ** (1 / self.stride)


class RadialDivision(Backward):
    """ϑ = atan2(r, D),  D = 1 + Σ k_n r^{e_n};  monotone while  D - r D' = 1 - Σ (e_n - 1) k_n r^{e_n} > 0."""

    @property
    def exponents(self) -> tuple[int, ...]:
        """e_n of every coefficient."""
        raise TypeError(f"{type(self).__name__} must define exponents")

    def _dense(self, k):
        """Coefficients of D by ascending power of r (powers of r² where all exponents are even)."""
        xp = namespace(k)
        step = 2 if all(e % 2 == 0 for e in self.exponents) else 1
        zero = xp.zeros_like(k[..., 0])
        column = {e // step: k[..., i] for i, e in enumerate(self.exponents)}
        powers = range(1, max(column) + 1)
        return xp.stack([column.get(p, zero) for p in powers], axis=-1), step

    def angle(self, r, k, start=None, top=None):
        xp = namespace(r)
        c, step = self._dense(k)
        return xp.atan2(r, polynomial(c, power(r, step)))

    def angle_grad(self, theta, r, k):
        c, step = self._dense(k)
        s = power(r, step)
        D, slope = polynomial(c, s), derivative(c, s)
        inverse = 1 / (r * r + D * D)
        # r dD/dr = step · s · dD/ds, since s = r^step
        return (D - step * s * slope) * inverse, tuple(-power(r, e + 1) * inverse for e in self.exponents)

    def limits(self, k):
        xp = namespace(k)
        c, step = self._dense(k)
        powers = xp.arange(1, c.shape[-1] + 1, dtype=c.dtype, device=c.device)
        r = first_root((1 - step * powers) * c, math.inf, xp) ** (1 / step)
        finite = xp.isfinite(r)
        theta = self.angle(xp.where(finite, r, 1e9), k)
        return theta, r

    def rows(self, s, scanned):
        return [s.Ra, *(s.Ra * power(s.rca, e) for e in self.exponents)], s.Z * s.rc

    @property
    def row_powers(self):
        return tuple(1 - e for e in self.exponents)
