"""Pinhole (perspective) camera."""

import math

from anylens.arrays import namespace
from anylens.profiles.base import Forward


class Pinhole(Forward):
    """h = tan ϑ,  ϑ < 90°.  Row:  R_a f = Z r_c."""

    name = "pinhole"
    formula = "r = tan ϑ"
    examples = (
        ((718.856, 718.856, 607.1928, 185.2157), (1241, 376)),  # KITTI odometry 00, rectified
        ((525.0, 525.0, 319.5, 239.5), (640, 480)),  # TUM RGB-D, ROS default
        ((320.0, 320.0, 320.0, 240.0), (640, 480)),  # TartanAir
    )

    def radius(self, theta, k):
        return namespace(theta).tan(theta)

    def radius_grad(self, theta, k):
        t = namespace(theta).tan(theta)
        return 1 + t * t, ()

    def angle(self, r, k, start=None, top=None):
        return namespace(r).atan(r)

    def angle_grad(self, theta, r, k):
        return 1 / (1 + r * r), ()

    def limits(self, k):
        return self._limit(k, math.pi / 2), self._limit(k, math.inf)

    def rows(self, s, scanned):
        ahead = s.Z > 0.02  # rays that no pinhole can see would pull the focal length below zero
        return [s.xp.where(ahead, s.Ra, 0.0)], s.xp.where(ahead, s.Z * s.rc, 0.0)
