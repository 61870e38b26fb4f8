"""ST-maps: for every pixel of one picture, where it lies in another; EXR, for Nuke, Blender and Fusion.

Red is s = u / W, green t = 1 - v / H (y up), with u, v in pixels from the top-left corner, so that an
identity map holds (i + 0.5) / W. `direction="undistort"` maps the straight picture to the photo (applied to
the photo it undistorts); "distort" maps the photo to the straight picture (applied to a render it distorts).
Pixels without a source are -1. The straight picture is the pinhole view of `anylens undistort` with the same
options.
"""

from __future__ import annotations

import numpy as np

from anylens.camera import Camera
from anylens.errors import FormatError
from anylens.formats.named import NamedCamera
from anylens.images.exr import encode_exr
from anylens.undistortion.maps import map_pixels
from anylens.undistortion.targets import make_target

DIRECTIONS = ("undistort", "distort")


def render(
    cameras: list[NamedCamera],
    direction: str = "undistort",
    half: bool = False,
    balance: float = 0.0,
    fov_deg: float | None = None,
    size: tuple[int, int] | None = None,
) -> bytes:
    """EXR bytes. `half` is smaller and less precise: it places pixels to 1/2048 of the picture."""
    if direction not in DIRECTIONS:
        raise FormatError(f"An ST-map's direction is {' or '.join(DIRECTIONS)}, not '{direction}'.")
    st = st_map(cameras[0].camera, direction, balance=balance, fov_deg=fov_deg, size=size)
    return encode_exr({"R": st[..., 0], "G": st[..., 1], "B": np.zeros_like(st[..., 0])}, half=half)


def st_map(camera: Camera, direction: str = "undistort", **options) -> np.ndarray:
    """The map (H, W, 2) float32."""
    straight = make_target(camera, "pinhole", **options)
    source, target = (camera, straight) if direction == "undistort" else (straight, camera)
    pixels, valid = map_pixels(source, target)
    st = np.stack([pixels[..., 0] / source.width, 1 - pixels[..., 1] / source.height], axis=-1)
    return np.where(valid[..., None], st, -1.0).astype(np.float32)
