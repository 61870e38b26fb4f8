"""Double sphere camera model."""

import math
from typing import ClassVar

from anylens.arrays import namespace
from anylens.profiles.quotient import Quotient


class DoubleSphere(Quotient):
    """h = R / (α d + (1-α)(ξ+Z)),  d = √(R² + (ξ+Z)²),  ξ ∈ (-1, 1], α ∈ [0, 1]  (Usenko et al. 2018).

    The second sphere sees the cosine (ξ+Z)/d, which falls monotonically with ϑ; the profile ends where it
    reaches -w, w = α/(1-α) or (1-α)/α as in EUCM:  cos ϑ_max = -ξ(1-w²) - w √(1 - ξ²(1-w²)).
    Row, linear in f and α for each ξ of a grid:  R_a f - r_c (d - ξ - Z) α = r_c (ξ + Z).
    """

    name = "ds"
    formula = "r = sin ϑ / (α d + (1-α)(ξ + cos ϑ)), d = √(sin²ϑ + (ξ + cos ϑ)²)"
    bounds: ClassVar = {"xi": (-0.999, 1.0), "alpha": (0.0, 1.0)}
    scan = ("xi", ((-0.8, -0.65, -0.5, -0.38, -0.28, -0.2, -0.12, -0.05), (0.0, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)))
    examples = (
        ((349.7560, 348.7250, 365.8950, 249.3250, -0.2409, 0.5663), (752, 480)),  # EuRoC cam0 (basalt)
        ((158.2865, 158.2743, 254.9620, 256.8949, -0.1722, 0.5932), (512, 512)),  # TUM-VI cam0 (basalt)
        ((313.0, 313.0, 638.7, 514.4, -0.18, 0.59), (1280, 1024)),  # typical of a 195° lens
    )

    @property
    def coefs(self):
        return ("xi", "alpha")

    def below(self, R, Z, k):
        xi, alpha = k[..., 0:1], k[..., 1:2]
        rest, shifted = 1 - alpha, xi + Z
        d = namespace(R).sqrt(R * R + shifted * shifted)
        share = alpha / d
        by_theta = -R * (xi * share + rest)
        return alpha * d + rest * shifted, by_theta, (share * shifted + rest, d - shifted)

    def direction(self, r, k):
        xp = namespace(r)
        xi, alpha = k[..., 0:1], k[..., 1:2]
        r2 = r * r
        root = xp.sqrt(xp.maximum(1 - (2 * alpha - 1) * r2, 1e-14))
        m = (1 - alpha * alpha * r2) / xp.maximum(alpha * root + (1 - alpha), 1e-12)
        m2 = m * m
        scale = (m * xi + xp.sqrt(m2 + (1 - xi * xi) * r2)) / (m2 + r2)
        return scale * r, scale * m - xi

    def limits(self, k):
        xp = namespace(k)
        xi, alpha = k[..., 0:1], k[..., 1:2]
        large = xp.maximum(alpha, 1 - alpha)
        w = (1 - large) / large
        rest = 1 - w * w
        cosine = -xi * rest - w * xp.sqrt(1 - xi * xi * rest)
        folds = alpha > 0.5
        r2 = 1 / xp.where(folds, 2 * alpha - 1, 1.0)
        theta = xp.acos(xp.clip(cosine, -1.0, 1.0))
        return theta, xp.where(folds, xp.sqrt(r2), math.inf)

    def rows(self, s, scanned):
        shifted = scanned + s.Z
        d = s.xp.sqrt(s.R * s.R + shifted * shifted)
        return [s.Ra, -s.rc * (d - shifted)], s.rc * shifted
