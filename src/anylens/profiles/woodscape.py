"""The polynomial of the WoodScape automotive fisheye set."""

from anylens.arrays import power
from anylens.profiles.polynomial import Polynomial


class WoodScape(Polynomial):
    """h = ϑ + k₁ϑ² + k₂ϑ³ + k₃ϑ⁴  (Yogamani et al. 2019; the focal length is taken outside), up to 180° or a fold.

    Rows as for Kannala-Brandt, with the powers 1 to 4.
    """

    name = "woodscape"
    formula = "r = ϑ + k₁ϑ² + k₂ϑ³ + k₃ϑ⁴"
    stride = 1
    examples = (
        # WoodScape front camera (k2..k4 of the set, divided by its k1), and one typical of the others
        ((339.749, 339.749, 643.442, 479.092, -0.0941, 0.1419, -0.0212), (1280, 966)),
        ((341.725, 341.725, 638.0, 486.0, -0.0784, 0.1424, -0.0253), (1280, 966)),
    )

    @property
    def coefs(self):
        return ("k1", "k2", "k3")

    def rows(self, s, scanned):
        return [s.Ra * power(s.theta, n) for n in (1, 2, 3, 4)], s.R * s.rc
