"""Field-of-view (arctangent) model."""

import math
from typing import ClassVar

from anylens.arrays import namespace
from anylens.profiles.base import Forward


class Fov(Forward):
    """h = atan(2 tan ϑ tan(w/2)) / w,  0 < w < π,  ϑ < 90°  (Devernay & Faugeras 2001); w → 0 is a pinhole.

    Row, linear in f for each w of a grid:  R_a h(ϑ; w) f = r_c R.
    """

    name = "fov"
    formula = "r = atan(2 tan ϑ tan(w/2)) / w"
    bounds: ClassVar = {"w": (1e-3, math.pi - 1e-3)}
    neutral = (0.05,)
    scan = ("w", ((0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.1, 2.6),))
    examples = (
        ((0.349153 * 1280, 0.436593 * 1024, 0.493140 * 1280, 0.499021 * 1024, 0.933271), (1280, 1024)),  # TUM mono
        ((0.535719308 * 640, 0.669566858 * 480, 0.493248545 * 640, 0.500408664 * 480, 0.897966326), (640, 480)),
        ((600.0, 600.0, 376.0, 240.0, 0.35), (752, 480)),
    )

    @property
    def coefs(self):
        return ("w",)

    def radius(self, theta, k):
        xp = namespace(theta)
        return xp.atan2(2 * xp.tan(k / 2) * xp.sin(theta), xp.cos(theta)) / k

    def radius_grad(self, theta, k):
        xp = namespace(theta)
        m = xp.tan(k / 2)
        S, C = xp.sin(theta), xp.cos(theta)
        below = 1 / ((C * C + 4 * m * m * S * S) * k)
        return 2 * m * below, (S * C * (1 + m * m) * below - xp.atan2(2 * m * S, C) / (k * k),)

    def angle(self, r, k, start=None, top=None):
        xp = namespace(r)
        return xp.atan2(xp.sin(r * k), 2 * xp.tan(k / 2) * xp.cos(r * k))

    def limits(self, k):
        return self._limit(k, math.pi / 2), math.pi / (2 * k)

    def rows(self, s, scanned):
        h = s.xp.atan2(2 * s.xp.tan(scanned / 2) * s.R, s.Z) / scanned
        return [s.Ra * h], s.rc * s.R
