"""Undistort a picture that is in memory."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.errors import ImageError, ModelError
from anylens.undistortion.maps import Mapping, View, check_rotation
from anylens.undistortion.panorama import Equirectangular
from anylens.undistortion.resampling import find_opencv, sample, to_dtype
from anylens.undistortion.targets import make_target, panorama_target
from anylens.undistortion.upright import turned_pinhole

STRIP = 2**17  # pixels: the maps of a strip fit the processor's cache
SEAM = 2  # columns repeated on either side of a full panorama
# Types that are resampled as another one.
WORK_TYPES = {"float16": "float32", "int8": "float32"} | dict.fromkeys(
    ("int32", "uint32", "int64", "uint64"), "float64"
)


@dataclass(frozen=True)
class Undistorted:
    """The new picture, its camera or panorama, and which pixels the photo shows (None: all)."""

    image: np.ndarray
    camera: View
    valid: np.ndarray | None

    @property
    def mask(self) -> np.ndarray:
        """Validity (H, W) as an array, also where everything is valid."""
        return np.ones(self.image.shape[:2], dtype=bool) if self.valid is None else self.valid


def undistort(
    image: Any,
    camera: View,
    to: str | View = "pinhole",
    *,
    fov_deg: float | None = None,
    balance: float = 0.0,
    alpha: float | None = None,
    size: tuple[int, int] | None = None,
    rotation: Any = None,
    interpolation: str = "linear",
    fill: float = 0.0,
    backend: str = "auto",
    threads: int | None = None,
) -> Undistorted:
    """The picture (H, W) or (H, W, C) as the view `to` sees it, in its own dtype.

    `to` is a name (see `make_target`) or any camera or panorama. uint8, uint16 and floats keep their type.
    Pixels that the photo does not show are `fill`. A camera of another image size is scaled if the aspect
    ratio is the picture's. `rotation` (3, 3) turns rays of the new view into rays of the photo's camera; the frame
    of a pinhole view or a panorama then follows the turned photo (see `upright.level_rotation`).
    """
    image = np.asarray(image)
    if image.ndim not in (2, 3) or image.size == 0 or image.dtype.kind not in "uif":
        raise ImageError(f"Expected a picture (H, W) or (H, W, C) of numbers, not {image.shape} {image.dtype}.")
    camera = match_size(camera, image.shape[1], image.shape[0])
    if not isinstance(to, str):
        target: View = to
    elif isinstance(camera, Camera) and rotation is not None and to == "pinhole":
        if alpha is not None:
            raise ModelError("alpha fits the frame of an unturned photo. With a turn use balance or fov_deg.")
        turn = check_rotation(rotation)
        target = turned_pinhole(camera, turn, fov_deg=fov_deg, balance=balance, size=size)
    elif isinstance(camera, Camera) and rotation is not None and to == "equirectangular":
        target = panorama_target(camera, fov_deg=fov_deg, size=size, rotation=check_rotation(rotation))
    elif isinstance(camera, Camera):
        target = make_target(camera, to, fov_deg=fov_deg, balance=balance, alpha=alpha, size=size)
    else:
        raise ModelError("A view out of a panorama needs a camera: to=Camera(…).")
    work = WORK_TYPES.get(image.dtype.name)
    values, valid = resample(
        np.ascontiguousarray(image if work is None else image.astype(work)),
        Mapping(camera, target, rotation),
        interpolation=interpolation,
        fill=fill,
        backend=backend,
        threads=threads or min(8, os.cpu_count() or 1),
    )
    return Undistorted(values if work is None else to_dtype(values, image.dtype), target, valid)


def resample(
    image: np.ndarray, mapping: Mapping, *, interpolation: str, fill: float, backend: str, threads: int
) -> tuple[np.ndarray, np.ndarray | None]:
    """The picture through a map, in strips that run in parallel, and which pixels it has (None: all)."""
    width, height = int(mapping.target.width), int(mapping.target.height)
    out = np.empty((height, width, *image.shape[2:]), dtype=image.dtype)
    valid = None if mapping.covered else np.empty((height, width), dtype=bool)
    wraps = isinstance(mapping.source, Equirectangular) and mapping.source.hfov_deg == 360
    if wraps:  # left and right border of a full panorama meet
        image = np.concatenate([image[:, -SEAM:], image, image[:, :SEAM]], axis=1)
    rows = max(1, STRIP // width)

    def work_on(top: int) -> None:
        strip = slice(top, min(top + rows, height))
        u, v, seen = mapping.rows(strip.start, strip.stop)
        if wraps:
            u += np.float32(SEAM)
        sample(image, u, v, interpolation, backend, out=out[strip])
        if valid is not None and seen is not None:
            valid[strip] = seen
            if not seen.all():
                out[strip][~seen] = fill

    tops = range(0, height, rows)
    if backend != "numpy":
        find_opencv()  # imported here, once, not by several threads at a time
    if threads == 1 or len(tops) == 1:
        for top in tops:
            work_on(top)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work_on, tops))
    return out, None if valid is None or valid.all() else valid


def match_size(camera: View, width: int, height: int) -> View:
    """The camera for a picture of width x height: itself, or scaled where the aspect ratio is the same."""
    if isinstance(camera, Equirectangular):
        return Equirectangular(width, height, camera.hfov_deg, camera.vfov_deg)
    if (camera.width, camera.height) == (width, height):
        return camera
    # Resizing rounds each side to whole pixels, so the ratio is right to about a pixel.
    wanted = width * camera.height / camera.width
    if abs(wanted - height) > 1.0 + 0.002 * height:
        raise ImageError(
            f"The picture is {width}x{height}, the camera is for {camera.width}x{camera.height}, "
            "and the aspect ratios differ. A crop or a turned photo needs its own camera."
        )
    return camera.resize(width, height)
