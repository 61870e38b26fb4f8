"""Undistort picture files: depth, EXIF and colour profile are kept, the new camera is written beside."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from anylens.camera import Camera
from anylens.errors import ImageError
from anylens.images.exif import DIAGONAL_35MM, EXIF_IFD, FOCAL_35, HEIGHT, ORIENTATION, WIDTH
from anylens.images.orientation import turn_camera
from anylens.images.raster import read_raster
from anylens.images.saving import PILLOW, encode_picture, save_bytes
from anylens.undistortion.maps import View
from anylens.undistortion.views import undistort

PLANE_TAGS = (0xA20E, 0xA20F, 0xA210)  # focal-plane resolution: wrong for the new picture
# How a TIFF stores its pixels, which its directory mixes with the EXIF tags: size, depth, strips, tiles,
# profile.
LAYOUT_TAGS = (
    *range(254, 260),
    262,
    266,
    273,
    277,
    278,
    279,
    284,
    317,
    *range(320, 326),
    338,
    339,
    347,
    34675,
    *range(529, 533),
)


@dataclass(frozen=True)
class UndistortedFile:
    """Where the picture, its camera and, if asked for, the mask of valid pixels were written."""

    picture: Path
    camera_file: Path
    camera: View
    mask: Path | None
    empty: float  # share of pixels that the photo does not show
    turned: bool = False  # whether the view is turned against the photo's camera


def undistort_file(
    path: str | Path, out: str | Path, camera: View, *, mask: bool = False, quality: int = 95, **options: Any
) -> UndistortedFile:
    """Undistort the photo at `path` (upright) into `out`; options are those of `undistort`.

    The new camera goes to `out` with `.json`, the mask to `out` with `_mask.png`. The EXIF block is kept with
    the orientation set to upright and size and 35 mm equivalent set to those of the new picture.
    """
    out = Path(out)
    if out.suffix.lower() not in (*PILLOW, ".exr"):
        raise ImageError(f"Cannot write '{out.suffix}' pictures. Known: {', '.join(PILLOW)}, .exr.")
    raster = read_raster(path)
    height, width = raster.pixels.shape[:2]
    if isinstance(camera, Camera):
        camera = upright_camera(camera, raster.tags.orientation, width, height)
    done = undistort(raster.pixels, camera, **options)
    exif = None if raster.exif is None else renew_exif(raster.exif, done.camera)
    mode = raster.mode if raster.pixels.dtype == "uint8" else None
    save_bytes(out, encode_picture(done.image, out.suffix, mode=mode, exif=exif, icc=raster.icc, quality=quality))
    camera_file = out.with_suffix(".json")
    save_bytes(camera_file, (json.dumps(done.camera.to_dict(), indent=2) + "\n").encode())
    mask_file = None
    if mask:
        mask_file = out.with_name(f"{out.stem}_mask.png")
        save_bytes(mask_file, encode_picture(done.mask.astype("uint8") * 255, ".png"))
    turned = options.get("rotation") is not None
    return UndistortedFile(out, camera_file, done.camera, mask_file, 1.0 - float(done.mask.mean()), turned)


def upright_camera(camera: Camera, orientation: int, width: int, height: int) -> Camera:
    """The camera for the upright photo: turned, if it is for the photo as it lies in the file."""
    if orientation <= 4 or _fits(camera, width, height):
        return camera
    turned = turn_camera(camera, orientation)
    return turned if _fits(turned, width, height) else camera


def _fits(camera: Camera, width: int, height: int) -> bool:
    return abs(width * camera.height / camera.width - height) <= 1 + 0.002 * height


def renew_exif(exif: Image.Exif, view: View) -> Image.Exif:
    """A copy of the EXIF block that tells the truth about the undistorted picture."""
    new = Image.Exif()
    new.load(exif.tobytes())
    for tag in LAYOUT_TAGS:
        new.pop(tag, None)
    if ORIENTATION in new:
        new[ORIENTATION] = 1
    inner = new.get_ifd(EXIF_IFD)
    for tag in PLANE_TAGS:
        inner.pop(tag, None)
    if WIDTH in inner or HEIGHT in inner:
        inner[WIDTH], inner[HEIGHT] = int(view.width), int(view.height)
    if FOCAL_35 in inner:
        if isinstance(view, Camera):
            inner[FOCAL_35] = max(1, round(float(view.full[0]) * DIAGONAL_35MM / math.hypot(view.width, view.height)))
        else:
            del inner[FOCAL_35]
    return new
