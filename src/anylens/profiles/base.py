"""The one idea behind every camera model here: a radial profile  r = h(ϑ; k).

A ray with polar angle ϑ lands at radius r on the normalised image plane (pixels minus centre, over focal
length). A profile declares h with its derivatives, the inverse where a closed form exists, how far it is
monotone, and the rows that make its unknowns linear. `anylens.camera` and `anylens.fitting` do the rest.

To add a model: subclass Forward (h given) or Backward (ϑ given as a function of r) in a file of its own, give
it `examples`, import it in `profiles/__init__.py`, and run the tests; they pick it up by its name.

Shapes: ϑ and r (..., N), coefficients k (..., K), limits (..., 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from anylens.arrays import Array, namespace, sin_cos
from anylens.profiles.newton import solve_monotone

INSIDE = 1 - 1e-12  # radii are clamped this far inside a fold, where slopes are still finite
STEEPEST = 50.0  # dϑ/dr that a fit counts in full; nearer to a fold a few pixels would decide the whole step


@dataclass(frozen=True)
class Sample:
    """Rays and pixels as the linear rows want them; every entry (..., N), lengths in half diagonals.

    R = sin ϑ, Z = cos ϑ, Ra = √(X² + a²Y²), rc = ‖x - c‖, rca² = (u - cx)² + (v - cy)²/a², with a = fy/fx.
    """

    R: Array
    Z: Array
    theta: Array
    Ra: Array
    rc: Array
    rca: Array
    xp: Any


class Traced(NamedTuple):
    """What a fit wants to know of radii, (..., N) each: R = sin ϑ, Z = cos ϑ, dϑ/dr and dϑ/dk (at most STEEPEST)."""

    R: Array
    Z: Array
    by_r: Array
    by_k: tuple[Array, ...]
    at: Array | None = None  # where Newton ended, in the profile's own variable: the next one starts here


class Profile:
    """A radial camera model. `order` is the k of ids such as `kb:k` (0 for models without one)."""

    name: ClassVar[str] = ""
    orders: ClassVar[tuple[int, ...]] = (0,)
    bounds: ClassVar[dict[str, tuple[float, float]]] = {}
    neutral: ClassVar[tuple[float, ...]] = ()  # coefficients of the plainest lens: where a hopeless fit starts
    formula: ClassVar[str] = ""
    iterative: ClassVar[bool] = False  # True where `angle` needs Newton
    # A coefficient tried on a grid, the rows being linear given it; one candidate per branch of the grid.
    scan: ClassVar[tuple[str, tuple[tuple[float, ...], ...]] | None] = None
    # Real calibrations: (fx, fy, cx, cy, *k) and (width, height); every generic test runs on them.
    examples: ClassVar[tuple[tuple[tuple[float, ...], tuple[int, int]], ...]] = ()
    registry: ClassVar[dict[str, type[Profile]]] = {}

    def __init__(self, order: int = 0):
        self.order = order

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        if cls.name:
            Profile.registry[cls.name] = cls

    @property
    def coefs(self) -> tuple[str, ...]:
        """Names of the coefficients, in the order of the parameters."""
        return tuple(f"k{i + 1}" for i in range(self.order))

    @property
    def id(self) -> str:
        return f"{self.name}:{self.order}" if self.order else self.name

    def coef_bounds(self) -> list[tuple[float, float]]:
        return [self.bounds.get(c, (-math.inf, math.inf)) for c in self.coefs]

    @property
    def linear_coefs(self) -> tuple[str, ...]:
        """Coefficients that the rows solve for: all but a scanned one."""
        return tuple(c for c in self.coefs if self.scan is None or c != self.scan[0])

    def start_coefs(self) -> tuple[float, ...]:
        return self.neutral or (0.0,) * len(self.coefs)

    # -- what a model declares -------------------------------------------------------------------------

    def radius(self, theta: Array, k: Array) -> Array:
        raise TypeError(f"{type(self).__name__} must define radius")

    def angle(self, r: Array, k: Array, start: Array | None = None, top: Array | None = None) -> Array:
        """ϑ at r ≤ r_max; a Newton inverse uses `start` near the answer and ϑ_max `top` where the caller has them."""
        raise TypeError(f"{type(self).__name__} must define angle")

    def radius_grad(self, theta: Array, k: Array) -> tuple[Array, tuple[Array, ...]]:
        """dh/dϑ and dh/dk, one array per coefficient."""
        raise TypeError(f"{type(self).__name__} must define radius_grad")

    def angle_grad(self, theta: Array, r: Array, k: Array) -> tuple[Array, tuple[Array, ...]]:
        """dϑ/dr and dϑ/dk at matching ϑ and r."""
        raise TypeError(f"{type(self).__name__} must define angle_grad")

    def trace(self, r: Array, k: Array, start: Array | None = None, top: Array | None = None) -> Traced:
        """Ray and derivatives at r ≤ r_max; `start` as Traced.at, or `variable` of an angle near the answer."""
        raise TypeError(f"{type(self).__name__} must define trace")

    def seen(self, r: Array, k: Array, start: Array | None = None, top: Array | None = None) -> tuple[Array, Array]:
        """R and Z of `trace` alone."""
        return self.trace(r, k, start, top)[:2]

    def limits(self, k: Array) -> tuple[Array, Array]:
        """ϑ_max and r_max: the end of the monotone, finite part of the profile; (..., 1) each."""
        return self._limit(k, math.pi), self._limit(k, math.inf)

    def rows(self, s: Sample, scanned: Array | None) -> tuple[list[Array], Array]:
        """Columns (focal length first, then the coefficients but the scanned one) and right-hand side."""
        return [s.Ra * self.radius(s.theta, self._no_coefs(s))], s.rc * s.R

    @property
    def row_powers(self) -> tuple[int, ...]:
        """p_n for each linear coefficient: the rows' unknowns are the focal length f and k_n f^p_n."""
        return (0,) * len(self.linear_coefs)

    # -- shared ------------------------------------------------------------------------------------------

    def variable(self, theta: Array) -> Array:
        """ϑ in the variable in which Newton inverts the profile."""
        return theta

    def slope0(self, k: Array) -> Array:
        """h'(0): f·h'(0) is the paraxial focal length, comparable between models.  (..., 1)"""
        zero = self._limit(k, 0.0)
        return self.radius_grad(zero, k)[0]

    @staticmethod
    def _limit(k: Array, value: float) -> Array:
        xp = namespace(k)
        return xp.full((*k.shape[:-1], 1), value, dtype=k.dtype, device=k.device)

    @staticmethod
    def _no_coefs(s: Sample) -> Array:
        return s.theta[..., :0]


class Forward(Profile):
    """A profile given as r = h(ϑ; k); the inverse by Newton unless the model has a closed form."""

    def angle(self, r, k, start=None, top=None):
        xp = namespace(r)
        top = self.limits(k)[0] if top is None else top
        start = xp.atan(r) if start is None else start
        return solve_monotone(lambda t, k: (self.radius(t, k), self.radius_grad(t, k)[0]), k, r, top, start, xp)[0]

    def angle_grad(self, theta, r, k):
        return implicit(*self.radius_grad(theta, k))

    def trace(self, r, k, start=None, top=None):
        theta = self.angle(r, k, start, top)
        return Traced(*sin_cos(theta, namespace(r)), *implicit(*self.radius_grad(theta, k), 1 / STEEPEST), theta)


class Backward(Profile):
    """A profile given as ϑ = g(r; k); its inverse runs Newton in s = atan r, where ϑ is nearly s."""

    def radius(self, theta, k):
        xp = namespace(theta)
        _, top = self.limits(k)

        def angle_at(s, k):
            r = xp.tan(s)
            theta = self.angle(r, k)
            return theta, self.angle_grad(theta, r, k)[0] * (1 + r * r)

        end = xp.minimum(xp.atan(top), math.pi / 2 - 1e-9)
        return xp.tan(solve_monotone(angle_at, k, theta, end, theta, xp)[0])

    def radius_grad(self, theta, k):
        return implicit(*self.angle_grad(theta, self.radius(theta, k), k))

    def trace(self, r, k, start=None, top=None):
        theta = self.angle(r, k)
        return Traced(*sin_cos(theta, namespace(r)), *self.angle_grad(theta, r, k))


def implicit(slope: Array, by_k: tuple[Array, ...], least: float = 1e-9) -> tuple[Array, tuple[Array, ...]]:
    """Derivatives of the inverse function, by the implicit function theorem: ϑ_r = 1/h', ϑ_k = -h_k/h'.

    Slopes below `least`, at or past a fold, are kept from dividing by zero; the caller masks what they give.
    """
    inverse = 1 / namespace(slope).maximum(slope, least)
    minus = -inverse
    return inverse, tuple(g * minus for g in by_k)
