"""Pinhole (perspective) camera."""

import math

from anylens.arrays import inverse_root, namespace
from anylens.profiles.quotient import Quotient


class Pinhole(Quotient):
    """h = tan ϑ,  ϑ < 90°.  Row:  R_a f = Z r_c."""

    name = "pinhole"
    formula = "r = tan ϑ"
    examples = (
        ((718.856, 718.856, 607.1928, 185.2157), (1241, 376)),  # KITTI odometry 00, rectified
        ((525.0, 525.0, 319.5, 239.5), (640, 480)),  # TUM RGB-D, ROS default
        ((320.0, 320.0, 320.0, 240.0), (640, 480)),  # TartanAir
    )

    def below(self, R, Z, k):
        return Z, -R, ()

    def direction(self, r, k):
        Z = inverse_root(1 + r * r, namespace(r))
        return r * Z, Z

    def limits(self, k):
        return self._limit(k, math.pi / 2), self._limit(k, math.inf)

    def rows(self, s, scanned):
        ahead = s.Z > 0.02  # rays that no pinhole can see would pull the focal length below zero
        return [s.xp.where(ahead, s.Ra, 0.0)], s.xp.where(ahead, s.Z * s.rc, 0.0)
