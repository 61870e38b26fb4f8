"""The four ideal fisheye projections: one focal length, nothing else."""

import math

from anylens.arrays import namespace
from anylens.profiles.base import Forward

# A full-frame fisheye of 8 to 16 mm seen by a 36 x 24 mm sensor: published focal lengths, centred.
FULL_FRAME = (1024, 683)


def _published(focal_mm: float) -> tuple[tuple[float, ...], tuple[int, int]]:
    width, height = FULL_FRAME
    f = focal_mm * width / 36.0
    return (f, f, width / 2, height / 2), FULL_FRAME


class Equidistant(Forward):
    """h = ϑ,  ϑ < 180°."""

    name = "equidistant"
    formula = "r = ϑ"
    examples = (_published(15.0), _published(8.0))

    def radius(self, theta, k):
        return theta

    def radius_grad(self, theta, k):
        return namespace(theta).ones_like(theta), ()

    def angle(self, r, k, start=None, top=None):
        return r

    def limits(self, k):
        return self._limit(k, math.pi), self._limit(k, math.pi)


class Equisolid(Forward):
    """h = 2 sin(ϑ/2),  ϑ < 180°."""

    name = "equisolid"
    formula = "r = 2 sin(ϑ/2)"
    examples = (_published(16.0), _published(10.5))

    def radius(self, theta, k):
        return 2 * namespace(theta).sin(theta / 2)

    def radius_grad(self, theta, k):
        return namespace(theta).cos(theta / 2), ()

    def angle(self, r, k, start=None, top=None):
        return 2 * namespace(r).asin(r / 2)

    def limits(self, k):
        return self._limit(k, math.pi), self._limit(k, 2.0)


class Stereographic(Forward):
    """h = 2 tan(ϑ/2),  ϑ < 180°."""

    name = "stereographic"
    formula = "r = 2 tan(ϑ/2)"
    examples = (_published(7.5), _published(8.0))

    def radius(self, theta, k):
        return 2 * namespace(theta).tan(theta / 2)

    def radius_grad(self, theta, k):
        t = namespace(theta).tan(theta / 2)
        return 1 + t * t, ()

    def angle(self, r, k, start=None, top=None):
        return 2 * namespace(r).atan(r / 2)

    def limits(self, k):
        return self._limit(k, math.pi), self._limit(k, math.inf)


class Orthographic(Forward):
    """h = sin ϑ,  ϑ < 90°."""

    name = "orthographic"
    formula = "r = sin ϑ"
    examples = (_published(30.0), _published(22.0))

    def radius(self, theta, k):
        return namespace(theta).sin(theta)

    def radius_grad(self, theta, k):
        return namespace(theta).cos(theta), ()

    def angle(self, r, k, start=None, top=None):
        return namespace(r).asin(r)

    def limits(self, k):
        return self._limit(k, math.pi / 2), self._limit(k, 1.0)
