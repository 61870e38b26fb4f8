"""Unified camera model: a sphere, then a pinhole at distance ξ from its centre."""

import math
from typing import ClassVar

from anylens.arrays import namespace
from anylens.profiles.quotient import Quotient


class Ucm(Quotient):
    """h = sin ϑ / (ξ + cos ϑ),  ξ ≥ 0  (Mei & Rives 2007);  ϑ_max = arccos(-min(ξ, 1/ξ)).

    Row, linear in f and ξ:  R_a f - r_c ξ = r_c Z.
    """

    name = "ucm"
    formula = "r = sin ϑ / (ξ + cos ϑ)"
    bounds: ClassVar = {"xi": (0.0, math.inf)}
    examples = (
        ((530.3846, 530.3846, 640.0, 360.0, 0.0), (1280, 720)),  # ξ = 0: a pinhole
        ((313.21, 313.21, 638.66, 514.39, 0.8816), (1280, 1024)),  # typical of a 190° lens
        ((1336.3220, 1335.7883, 716.9433, 705.7645, 2.2134), (1400, 1400)),  # KITTI-360 image_02 (MEI, ξ and γ)
    )

    @property
    def coefs(self):
        return ("xi",)

    def below(self, R, Z, k):
        return k + Z, -R, (1.0,)

    def direction(self, r, k):
        xp = namespace(r)
        r2 = r * r
        eta = (k + xp.sqrt(xp.maximum(1 + (1 - k * k) * r2, 1e-14))) / (1 + r2)
        return eta * r, eta - k

    def limits(self, k):
        xp = namespace(k)
        far = k > 1
        big = xp.where(far, k, 2.0)
        cosine = xp.where(far, 1 / big, k)
        r = xp.where(far, 1 / xp.sqrt(big * big - 1), math.inf)
        return xp.acos(-xp.minimum(cosine, 1.0)), r

    def rows(self, s, scanned):
        return [s.Ra, -s.rc], s.rc * s.Z
