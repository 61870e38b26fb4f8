"""`anylens undistort`: photos as an ideal camera would have taken them."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from anylens.camera import Camera
from anylens.cli.convert import parse_size
from anylens.errors import AnylensError, FormatError, ImageError
from anylens.formats.reading import read_one
from anylens.undistortion.files import UndistortedFile, undistort_file, upright_camera
from anylens.undistortion.pairs import find_photos
from anylens.undistortion.targets import TARGETS
from anylens.undistortion.upright import level_rotation

EDGES_NEED = 960  # pixels of the longer side at which edges are looked for


@dataclass
class Undistort:
    """Undistort photos with a known camera, or with the one that calibration finds.

    1. `anylens undistort photo.jpg --camera camera.json`
    2. `anylens undistort FOLDER --camera cameras.bin --name 1 --out straight --fov 90`
    3. `anylens undistort fisheye.jpg --camera c.yaml --to equirectangular`
    4. `anylens undistort photo.jpg --camera c.json --balance 1 --mask` keeps all of the photo.
    5. `anylens undistort photo.jpg --upright` levels the horizon, `--upright full` makes verticals parallel.

    Each picture gets its new camera beside it as JSON; EXIF, colour profile and depth are kept.
    """

    photos: Annotated[
        tuple[Path, ...],
        tyro.conf.Positional,
        tyro.conf.arg(metavar="PHOTO…", help="Photos, folders, example:NAME.", help_behavior_hint="(one or more)"),
    ]
    camera: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Camera file in any known format; without one, each photo is calibrated."""
    name: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """Which camera of the file."""
    out: Path = Path("undistorted")
    """Folder to write to."""
    to: str = "pinhole"
    """pinhole, equidistant, equisolid, stereographic, orthographic, equirectangular, or a camera file."""
    fov: Annotated[float | None, tyro.conf.arg(metavar="DEGREES")] = None
    """Horizontal field of view of the new pictures in degrees."""
    upright: Annotated[Literal["roll", "full"] | None, tyro.conf.arg(metavar="[full]")] = None
    """Turn the photo level by the vertical that its edges show; with full, take its tilt away too."""
    balance: float = 0.0
    """Pinhole: from 0, no empty pixels, to 1, all of the photo."""
    alpha: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None
    """Pinhole: like balance, but the picture is fitted to the frame, as OpenCV's alpha does."""
    size: Annotated[str | None, tyro.conf.arg(metavar="WxH")] = None
    """Size of the new pictures, WIDTHxHEIGHT; that of the photo otherwise."""
    interpolation: Literal["linear", "cubic", "nearest"] = "linear"
    """How pixels are sampled."""
    mask: bool = False
    """Also write which pixels the photo shows, as PNG."""
    quality: int = 95
    """Of JPEG, WebP and AVIF."""
    refit: bool = False
    """Accept a camera file whose distortion has to be refitted."""
    max_error: float = 1.0
    """Largest pixel error that such a refit may leave."""
    overwrite: bool = False
    """Replace existing pictures."""
    jobs: int = 0
    """Photos at a time; as many as processors otherwise."""

    def run(self) -> int:
        self._check()
        pairs = find_photos(self.photos, self.out)
        to = self.to if self.to in TARGETS else self._target()
        find_camera = self._find_camera()
        jobs = min(self.jobs or os.cpu_count() or 1, len(pairs))
        undistort_one = partial(self._undistort, to=to, find_camera=find_camera, threads=1 if jobs > 1 else None)
        with ThreadPoolExecutor(max(1, jobs)) as pool:
            done = list(_progress(pool.map(undistort_one, pairs), len(pairs)))
        failed = [text for text in done if isinstance(text, str)]
        for item in done:
            if isinstance(item, str):
                print(f"failed   {item}", file=sys.stderr)
            else:
                empty = f", {item.empty:.1%} empty" if item.empty > 0 else ""
                print(f"{item.picture}  {describe(item)}{empty}{self._note(item)}")
        return 0 if not failed else 3 if len(failed) == len(done) else 1

    def _check(self) -> None:
        """Raises AnylensError for numbers that mean nothing, before any photo is touched."""
        for name, value, low, high in (
            ("--balance", self.balance, 0, 1),
            ("--alpha", self.alpha, 0, 1),
            ("--quality", self.quality, 1, 100),
            ("--fov", self.fov, 1e-3, 180 if self.to == "pinhole" else 360),
            ("--jobs", self.jobs, 0, math.inf),
            ("--max-error", self.max_error, 0, math.inf),
        ):
            if value is not None and not low <= value <= high:
                raise AnylensError(f"{name} lies between {low:g} and {high:g}, not {value:g}.")
        parse_size(self.size)

    def _target(self) -> Camera:
        """The camera file that --to names. Raises FormatError."""
        if not Path(self.to).exists():
            raise FormatError(f"--to is one of {', '.join(TARGETS)}, or a camera file; there is no file '{self.to}'.")
        return read_one(self.to, max_error=self.max_error).camera

    def _find_camera(self) -> Callable[[Path], tuple[Camera, Any]]:
        """A function from a photo to its camera and, where levelling is asked for and edges show it, gravity."""
        if self.camera is None:
            return calibrate_one
        camera = read_one(self.camera, self.name, refit=self.refit, max_error=self.max_error).camera
        return lambda path: (camera, gravity_of(path, camera) if self.upright else None)

    def _note(self, item: UndistortedFile) -> str:
        return ", not levelled: its edges show no vertical" if self.upright and not item.turned else ""

    def _undistort(
        self,
        pair: tuple[Path, Path],
        to: str | Camera,
        find_camera: Callable[[Path], tuple[Camera, Any]],
        threads: int | None,
    ) -> UndistortedFile | str:
        source, target = pair
        try:
            if target.exists() and source.exists() and target.samefile(source):
                raise ImageError(f"{source.name}: it would replace itself. Write to another folder: --out.")
            if target.exists() and not self.overwrite:
                raise ImageError(f"{source.name}: '{target}' exists. Allow to replace it: --overwrite.")
            camera, gravity = find_camera(source)
            turn = level_rotation(gravity.down, self.upright) if self.upright and gravity is not None else None
            return undistort_file(
                source,
                target,
                camera,
                rotation=turn,
                mask=self.mask,
                quality=self.quality,
                to=to,
                fov_deg=self.fov,
                balance=self.balance,
                alpha=self.alpha,
                size=parse_size(self.size),
                interpolation=self.interpolation,
                threads=threads,
            )
        except AnylensError as error:
            text = str(error)
            return text if text.startswith(source.name) else f"{source.name}: {text}"
        except MemoryError:
            return f"{source.name}: not enough memory."


def describe(item: UndistortedFile) -> str:
    camera = item.camera
    model = camera.model if isinstance(camera, Camera) else "equirectangular"
    return f"{model} {int(camera.width)}x{int(camera.height)} hfov {float(camera.hfov_deg):.1f}°"


def calibrate_one(path: Path) -> tuple[Camera, Any]:
    """The camera that calibration finds for a photo, and gravity or None."""
    try:
        from anylens import calibrate  # type: ignore[attr-defined]
    except ImportError:
        raise AnylensError("This installation cannot calibrate photos. Give the camera: --camera FILE.") from None
    result = calibrate(path)
    return result.camera, result.gravity


def gravity_of(path: Path, camera: Camera) -> Any:
    """Gravity as the edges of a photo of a known camera show it, or None."""
    from anylens.edges import evidence
    from anylens.evidence import log_focal, normal
    from anylens.images import read_photo

    photo = read_photo(path, at_least=EDGES_NEED)
    camera = upright_camera(camera, photo.exif.orientation, photo.width, photo.height)
    camera = camera.resize(photo.rgb.shape[1], photo.rgb.shape[0])
    return evidence(photo.rgb, camera, prior=normal(log_focal(camera), 0.02)).gravity


def _progress(items, total: int):
    if total < 3 or not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, total=total, unit="photo")
