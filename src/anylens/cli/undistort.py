"""`anylens undistort`: photos as an ideal camera would have taken them."""

from __future__ import annotations

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
from anylens.errors import AnylensError, ImageError
from anylens.examples import example_path
from anylens.formats.reading import read_one
from anylens.images.saving import PILLOW
from anylens.undistortion.files import UndistortedFile, undistort_file, upright_camera
from anylens.undistortion.targets import TARGETS
from anylens.undistortion.upright import level_rotation

EDGES_NEED = 960  # pixels of the longer side at which edges are looked for
PHOTO_SUFFIXES = (*PILLOW, ".mpo", ".gif", ".ppm", ".jfif")


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
        tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PHOTO", help="Photos, folders, example:NAME.")
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
        pairs = find_photos(self.photos, self.out)
        find_camera = self._find_camera()
        jobs = min(self.jobs or os.cpu_count() or 1, len(pairs))
        undistort_one = partial(self._undistort, find_camera=find_camera, threads=1 if jobs > 1 else None)
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

    def _find_camera(self) -> Callable[[Path], tuple[Camera, Any]]:
        """A function from a photo to its camera and, where levelling is asked for and edges show it, gravity."""
        if self.camera is None:
            return calibrate_one
        camera = read_one(self.camera, self.name, refit=self.refit, max_error=self.max_error).camera
        return lambda path: (camera, gravity_of(path, camera) if self.upright else None)

    def _note(self, item: UndistortedFile) -> str:
        return ", not levelled: its edges show no vertical" if self.upright and not item.turned else ""

    def _undistort(
        self, pair: tuple[Path, Path], find_camera: Callable[[Path], tuple[Camera, Any]], threads: int | None
    ) -> UndistortedFile | str:
        source, target = pair
        try:
            if target.exists() and source.exists() and target.samefile(source):
                raise ImageError(f"{source.name}: it would replace itself. Write to another folder: --out.")
            if target.exists() and not self.overwrite:
                raise ImageError(f"{source.name}: '{target}' exists. Allow to replace it: --overwrite.")
            to = self.to if self.to in TARGETS else read_one(self.to, max_error=self.max_error).camera
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


def find_photos(given: tuple[Path, ...], out: Path) -> list[tuple[Path, Path]]:
    """Photos with the files to write; folders are searched and keep their structure. Raises ImageError."""
    pairs: list[tuple[Path, Path]] = []
    for path in given:
        if str(path).startswith("example:"):
            path = example_path(str(path).removeprefix("example:"))
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in PHOTO_SUFFIXES and not p.is_dir())
            pairs += [(p, out / p.relative_to(path)) for p in inside if out.resolve() not in p.resolve().parents]
        else:
            pairs.append((path, out / path.name))
    if not pairs:
        raise ImageError("There are no photos to undistort in what was given.")
    pairs = [(p, t if t.suffix.lower() in PILLOW else t.with_suffix(".png")) for p, t in pairs]
    targets = [t for _, t in pairs]
    twice = next((t for t in targets if targets.count(t) > 1), None) if len(set(targets)) < len(targets) else None
    if twice is not None:
        raise ImageError(f"Two photos would both become '{twice}'. Undistort their folders one by one.")
    return pairs


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
