"""Photographs from wherever they come: files, bytes, Pillow images, NumPy and torch arrays.

>>> from anylens.images import read_photo                                      # doctest: +SKIP
>>> photo = read_photo("IMG_0042.jpg")                                         # doctest: +SKIP
>>> photo.rgb, photo.width, photo.height, photo.focal                          # doctest: +SKIP
"""

from anylens.images.exif import ExifTags, FocalTag, focal_from_exif, read_exif
from anylens.images.orientation import turn_camera, turn_pixels
from anylens.images.photo import Photo, read_photo
from anylens.images.raster import Raster, read_raster

__all__ = [
    "ExifTags",
    "FocalTag",
    "Photo",
    "Raster",
    "focal_from_exif",
    "read_exif",
    "read_photo",
    "read_raster",
    "turn_camera",
    "turn_pixels",
]
