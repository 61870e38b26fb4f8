"""Enhanced unified camera model: an ellipsoid instead of the sphere."""

import math
from typing import ClassVar

from anylens.arrays import inverse_root, namespace
from anylens.profiles.quotient import Quotient


class Eucm(Quotient):
    """h = R / (α d + (1-α) Z),  d = √(βR² + Z²),  α ∈ [0, 1], β > 0  (Khomutenko et al. 2016).

    With w = α/(1-α) for α ≤ ½, else (1-α)/α, the profile ends at Z = -w d, that is at
    ϑ_max = atan2(√(1-w²), -w√β); for α > ½ it folds there, at r² = 1 / (β(2α-1)).
    Row, linear in f and α for each β of a grid:  R_a f - r_c (d - Z) α = r_c Z.
    """

    name = "eucm"
    formula = "r = sin ϑ / (α √(β sin²ϑ + cos²ϑ) + (1-α) cos ϑ)"
    bounds: ClassVar = {"alpha": (0.0, 1.0), "beta": (1e-6, math.inf)}
    neutral = (0.0, 1.0)
    scan = ("beta", ((0.1, 0.2, 0.35, 0.5, 0.7, 0.85), (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0)))
    examples = (
        ((460.76, 459.41, 365.89, 248.73, 0.5903, 1.1225), (752, 480)),  # EuRoC cam0 (basalt)
        ((380.99, 380.95, 509.79, 514.35, 0.6310, 1.0453), (1024, 1024)),  # typical of TUM-VI's lens at full size
        ((300.0, 300.0, 320.0, 240.0, 0.0, 1.0), (640, 480)),  # α = 0: a pinhole, β undetermined
        ((190.0, 190.0, 320.0, 320.0, 0.78, 0.6), (640, 640)),  # about 180°
    )

    @property
    def coefs(self):
        return ("alpha", "beta")

    def below(self, R, Z, k):
        alpha, beta = k[..., 0:1], k[..., 1:2]
        R2 = R * R
        d = namespace(R).sqrt(beta * R2 + Z * Z)
        share = alpha / d
        by_theta = R * ((beta - 1) * share * Z - (1 - alpha))
        return alpha * d + (1 - alpha) * Z, by_theta, (d - Z, 0.5 * share * R2)

    def direction(self, r, k):
        xp = namespace(r)
        alpha, beta = k[..., 0:1], k[..., 1:2]
        r2 = r * r
        q = beta * r2
        root = xp.sqrt(xp.maximum(1 - (2 * alpha - 1) * q, 1e-14))
        m = (1 - alpha * alpha * q) / xp.maximum(alpha * root + (1 - alpha), 1e-12)
        scale = inverse_root(r2 + m * m, xp)
        return r * scale, m * scale

    def limits(self, k):
        xp = namespace(k)
        alpha, beta = k[..., 0:1], k[..., 1:2]
        folds = alpha > 0.5
        large = xp.maximum(alpha, 1 - alpha)
        w = (1 - large) / large
        theta = xp.atan2(xp.sqrt(1 - w * w), -w * xp.sqrt(beta))
        r2 = 1 / (beta * xp.where(folds, 2 * alpha - 1, 1.0))
        return theta, xp.where(folds, xp.sqrt(r2), math.inf)

    def rows(self, s, scanned):
        d = s.xp.sqrt(scanned * s.R * s.R + s.Z * s.Z)
        return [s.Ra, -s.rc * (d - s.Z)], s.rc * s.Z
