"""Radial part of the Brown-Conrady model (OpenCV's k1, k2, k3, without the tangential terms)."""

from anylens.arrays import power
from anylens.profiles.polynomial import Polynomial


class Radial(Polynomial):
    """h = t (1 + Σ k_n t^{2n}), t = tan ϑ, ϑ < 90°; folds over where h' = 0 if coefficients are negative.

    Rows, linear in f and f k:  R_a (f + Σ f k_n (R/Z)^{2n}) = Z r_c;  rays near or beyond 90° are left out.
    """

    name, orders = "radial", (1, 2, 3, 4)
    formula = "r = t (1 + k₁t² + … + k_n t²ⁿ), t = tan ϑ"
    tangent = True
    _euroc = (458.654, 457.296, 367.215, 248.375, -0.28340811, 0.07395907)
    _eth3d = (3411.42, 3410.02, 3116.72, 2062.52, -0.0430, 0.0297, -0.0113)
    examples = (
        (_euroc, (752, 480)),  # EuRoC MAV cam0 (radial part)
        ((517.306408, 516.469215, 318.643040, 255.313989, 0.262383, -0.953104, 1.163314), (640, 480)),  # TUM freiburg1
        (_eth3d, (6200, 4130)),  # typical of a DSLR with a wide lens
        ((2304.0, 2304.0, 2016.0, 1512.0, 0.011), (4032, 3024)),  # typical of a phone
    )

    def rows(self, s, scanned):
        xp = s.xp
        ahead = s.Z > 0.02
        Z = xp.where(ahead, s.Z, 1.0)
        t2 = (s.R / Z) ** 2
        base = xp.where(ahead, s.Ra, 0.0)
        return [base, *(base * power(t2, n) for n in range(1, self.order + 1))], xp.where(ahead, Z * s.rc, 0.0)
