"""Kannala-Brandt fisheye model (OpenCV's and COLMAP's fisheye with four coefficients)."""

from anylens.arrays import power
from anylens.profiles.polynomial import Polynomial


class KannalaBrandt(Polynomial):
    """h = ϑ + Σ k_n ϑ^{2n+1}  (Kannala & Brandt 2006), up to the first root of h' or 180°.

    Rows, linear in f and f k:  R_a (f ϑ + Σ f k_n ϑ^{2n+1}) = R r_c.  (The same divided by f is linear in 1/f and k,
    but under noise a polynomial that vanishes over the image then looks like a solution.)
    """

    name, orders = "kb", (1, 2, 3, 4)
    formula = "r = ϑ + k₁ϑ³ + … + k_n ϑ²ⁿ⁺¹"
    _tumvi = (190.97847715, 190.97330709, 254.93170605, 256.89744323)
    examples = (
        ((*_tumvi, 0.00348238, 0.00071503, -0.00205324, 0.00020294), (512, 512)),  # TUM-VI cam0
        (
            (461.58688, 460.28307, 366.58648, 249.05803, -0.03149, 0.04696, -0.03909, 0.01257),
            (752, 480),
        ),  # typical of EuRoC's lens
        ((278.66723, 278.48991, 319.75221, 241.96858, -0.013719, 0.020690, -0.012786, 0.002541), (640, 480)),
        ((897.0, 897.0, 1352.0, 760.0, 0.0325, -0.0120), (2704, 1520)),  # typical of an action camera's wide mode
    )

    def rows(self, s, scanned):
        return [s.Ra * power(s.theta, 2 * n + 1) for n in range(self.order + 1)], s.R * s.rc
