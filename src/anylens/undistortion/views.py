"""Undistort a picture that is in memory."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.errors import ImageError, ModelError
from anylens.undistortion.maps import Mapping, View
from anylens.undistortion.panorama import Equirectangular
from anylens.undistortion.resampling import find_opencv, sample
from anylens.undistortion.targets import make_target

STRIP = 2**18  # pixels: the maps of a strip fit the processor's cache


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
    ratio is the picture's. `rotation` (3, 3) turns rays of the new view into rays of the photo's camera.
    """
    image = np.asarray(image)
    if image.ndim not in (2, 3) or image.size == 0 or image.dtype.kind not in "uif":
        raise ImageError(
            f"Expected a picture (H, W) or (H, W, C) of numbers, not {image.shape} {image.dtype}."
        )
    if image.dtype.name in ("float16", "int32", "uint32", "int64", "uint64"):
        work = np.float32 if image.dtype == np.float16 else np.float64
        done = undistort(
            image.astype(work),
            camera,
            to,
            fov_deg=fov_deg,
            balance=balance,
            alpha=alpha,
            size=size,
            rotation=rotation,
            interpolation=interpolation,
            fill=fill,
            backend=backend,
            threads=threads,
        )
        values = np.rint(done.image) if image.dtype.kind in "ui" else done.image
        return Undistorted(values.astype(image.dtype), done.camera, done.valid)
    camera = match_size(camera, image.shape[1], image.shape[0])
    if not isinstance(to, str):
        target: View = to
    elif isinstance(camera, Camera):
        target = make_target(camera, to, fov_deg=fov_deg, balance=balance, alpha=alpha, size=size)
    else:
        raise ModelError("A view out of a panorama needs a camera: to=Camera(…).")
    mapping = Mapping(camera, target, rotation)
    out = np.empty((target.height, target.width, *image.shape[2:]), dtype=image.dtype)
    valid = None if mapping.covered else np.empty(out.shape[:2], dtype=bool)
    image = np.ascontiguousarray(image)

    def work_on(top: int) -> None:
        bottom = min(top + rows, target.height)
        u, v, seen = mapping.rows(top, bottom)
        if isinstance(camera, Equirectangular) and camera.hfov_deg == 360:
            out[top:bottom] = _sample_wrapped(image, u, v, interpolation, backend)
        else:
            out[top:bottom] = sample(image, u, v, interpolation, backend)
        if valid is not None and seen is not None:
            valid[top:bottom] = seen
            if not seen.all():
                out[top:bottom][~seen] = fill

    rows = max(1, STRIP // max(1, int(target.width)))
    threads = threads or min(8, os.cpu_count() or 1)
    tops = range(0, int(target.height), rows)
    if backend != "numpy":
        find_opencv()  # imported here, once, not by several threads at a time
    if threads == 1 or len(tops) == 1:
        for top in tops:
            work_on(top)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work_on, tops))
    return Undistorted(out, target, None if valid is None or valid.all() else valid)


def match_size(camera: View, width: int, height: int) -> View:
    """The camera for a picture of width x height: itself, or scaled where the aspect ratio is the same."""
    if (camera.width, camera.height) == (width, height) or isinstance(camera, Equirectangular):
        return (
            camera
            if isinstance(camera, Camera)
            else Equirectangular(width, height, camera.hfov_deg, camera.vfov_deg)
        )
    # Resizing rounds each side to whole pixels, so the ratio is right to about a pixel.
    wanted = width * camera.height / camera.width
    if abs(wanted - height) > 1.0 + 0.002 * height:
        raise ImageError(
            f"The picture is {width}x{height}, the camera is for {camera.width}x{camera.height}, "
            "and the aspect ratios differ. A crop or a turned photo needs its own camera."
        )
    return camera.resize(width, height)


def _sample_wrapped(
    image: np.ndarray, u: np.ndarray, v: np.ndarray, interpolation: str, backend: str
) -> np.ndarray:
    """Sample a full panorama: its left and right border meet, so two columns are repeated on either side."""
    pad = 2
    wide = np.concatenate([image[:, -pad:], image, image[:, :pad]], axis=1)
    return sample(wide, u + np.float32(pad), v, interpolation, backend)
