"""Scaramuzza's omnidirectional polynomial (OCamCalib)."""

from anylens.profiles.polynomial import RadialDivision


class OCam(RadialDivision):
    """ϑ = atan2(r, 1 + a₂r² + a₃r³ + a₄r⁴)  (Scaramuzza et al. 2006; the focal length, OCamCalib's a0, is outside).

    Rows, linear in f and a':  R_a (f + Σ a'_n r_ca^n) = Z r_c  with  a_n = a'_n f^{n-1}.
    """

    name = "ocam"
    formula = "ϑ = atan2(r, 1 + a₂r² + a₃r³ + a₄r⁴)"
    examples = (
        # typical of 190° to 200° lenses, in units of the focal length (OCamCalib's a0)
        ((184.5, 184.5, 320.0, 240.0, -0.3616, 0.0766, -0.0546), (640, 480)),
        ((260.0, 259.2, 516.4, 383.0, -0.2900, 0.0120, -0.0210), (1032, 768)),
    )

    @property
    def exponents(self):
        return (2, 3, 4)

    @property
    def coefs(self):
        return ("a2", "a3", "a4")
