"""Pictures seen through another camera: straight lines straight, fisheyes made ideal, panoramas.

>>> from anylens.undistortion import undistort                                 # doctest: +SKIP
>>> straight = undistort(image, camera, fov_deg=90)                            # doctest: +SKIP
>>> straight.image, straight.camera, straight.valid                            # doctest: +SKIP
"""

from anylens.undistortion.maps import map_pixels
from anylens.undistortion.panorama import Equirectangular
from anylens.undistortion.targets import make_target
from anylens.undistortion.upright import level_rotation
from anylens.undistortion.views import Undistorted, undistort

__all__ = ["Equirectangular", "Undistorted", "level_rotation", "make_target", "map_pixels", "undistort"]
