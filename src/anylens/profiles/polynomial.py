"""Profiles that are polynomials in ϑ or tan ϑ, and those whose inverse is one over the radius."""

from __future__ import annotations

import math

from anylens.arrays import inverse_root, namespace, power, sin_cos
from anylens.profiles.base import STEEPEST, Backward, Forward, Traced, implicit
from anylens.profiles.newton import first_root, polynomial, polynomial_and_slope, solve_monotone

ROUGHLY = 1e-4  # a Newton step that is the last one in a fit: 1e-8 remains, and less as the refinement settles


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
        return self._value(self._t(theta), k)

    def radius_grad(self, theta, k):
        t = self._t(theta)
        return self._grad(t, self._value_and_slope(t, k)[1], k)

    def angle(self, r, k, start=None, top=None):
        t, _ = self._invert(r, k, None if start is None else self.variable(start), top)
        return namespace(r).atan(t) if self.tangent else t

    def trace(self, r, k, start=None, top=None):
        xp = namespace(r)
        t, slope = self._invert(r, k, start, top, close=ROUGHLY)
        slope, by_k = self._grad(t, slope, k)
        by_r, by_k = implicit(slope, by_k, 1 / STEEPEST)
        if not self.tangent:
            return Traced(*sin_cos(t, xp), by_r, by_k, t)
        Z = inverse_root(1 + t * t, xp)
        return Traced(t * Z, Z, by_r, by_k, t)

    def variable(self, theta):
        """t of ϑ; infinite at 90°, where rounding would make tan merely huge."""
        if not self.tangent:
            return theta
        return namespace(theta).where(theta > math.pi / 2 - 1e-12, math.inf, self._t(theta))

    def limits(self, k):
        xp = namespace(k)
        t = self._t_max(k)
        finite = xp.isfinite(t)
        r = self._value(xp.where(finite, t, 1.0), k)
        return (xp.atan(t) if self.tangent else t), xp.where(finite, r, math.inf)

    def _t(self, theta):
        return namespace(theta).tan(theta) if self.tangent else theta

    def _invert(self, r, k, start, top, **close):
        """t at r, and dh/dt there."""
        xp = namespace(r)
        top = self._t_max(k) if top is None else self.variable(top)
        start = r if start is None else xp.minimum(start, 50.0)
        return solve_monotone(self._value_and_slope, k, r, top, start, xp, **close)

    def _value(self, t, k):
        return t * polynomial(k, power(t, self.stride))

    def _value_and_slope(self, t, k):
        """h and dh/dt."""
        s = power(t, self.stride)
        value, slope = polynomial_and_slope(k, s)
        return t * value, value + self.stride * s * slope

    def _grad(self, t, slope, k):
        """dh/dϑ and dh/dk at t, where dh/dt is `slope`."""
        step, rising, by_k = power(t, self.stride), t, []
        for _ in range(k.shape[-1]):
            rising = rising * step
            by_k.append(rising)
        return (slope * (1 + t * t) if self.tangent else slope), tuple(by_k)

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
        traced = self.trace(r, k)
        return traced.by_r, traced.by_k

    def trace(self, r, k, start=None, top=None):
        c, step = self._dense(k)
        s = power(r, step)
        D, slope = polynomial_and_slope(c, s)
        scale = inverse_root(r * r + D * D, namespace(r))
        square = scale * scale
        # r dD/dr = step · s · dD/ds, since s = r^step
        by_r, minus = (D - step * s * slope) * square, -square
        return Traced(r * scale, D * scale, by_r, tuple(power(r, e + 1) * minus for e in self.exponents))

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
