"""Division model: undistortion divides by a polynomial of the distorted radius."""

from anylens.profiles.polynomial import RadialDivision


class Division(RadialDivision):
    """ϑ = atan2(r, 1 + Σ k_n r^{2n})  (Fitzgibbon 2001), beyond 180° for negative k.

    Rows, linear in f and k':  R_a (f + Σ k'_n r_ca^{2n}) = Z r_c  with  k_n = k'_n f^{2n-1}.
    """

    name, orders = "division", (1, 2, 3, 4)
    formula = "ϑ = atan2(r, 1 + k₁r² + … + k_n r²ⁿ)"
    examples = (
        ((420.0, 419.0, 322.5, 238.0, -0.21), (640, 480)),  # typical of a wide webcam
        ((310.0, 310.5, 512.0, 384.0, -0.115, -0.0032), (1024, 768)),  # typical of a fisheye lens
        ((900.0, 900.0, 640.0, 360.0, 0.05), (1280, 720)),  # slight pincushion
    )

    @property
    def exponents(self):
        return tuple(2 * n for n in range(1, self.order + 1))
