"""COLMAP reconstructions as data sets: MegaDepth, ScanNet++, and anyone's own.

A reconstruction is a folder with cameras and images as .bin or .txt; its pictures are in the nearest folder above it
that is called images, resized_images or imgs (ScanNet++ has resized_images beside colmap, MegaDepth images beside
sparse). Group: the camera model, so that MegaDepth's pinhole and radial cameras have a row each.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from anylens.errors import AnylensError
from anylens.evaluation.sample import DataSet, Problem, Truth
from anylens.evaluation.sets.listing import Entry, to_set
from anylens.formats import colmap_binary, colmap_text

PICTURES = ("resized_images", "images", "imgs")
HEAD = struct.Struct("<i7di")  # id, rotation and translation, camera


def find_reconstructions(folder: Path) -> list[Path]:
    """Folders below `folder` (itself included) with cameras and images; text is taken where both are there."""
    found = {p.parent for kind in ("txt", "bin") for p in folder.rglob(f"cameras.{kind}")}
    return sorted(p for p in found if any((p / f"images.{kind}").is_file() for kind in ("txt", "bin")))


def is_reconstruction(folder: Path) -> bool:
    return bool(find_reconstructions(folder))


def is_megadepth(folder: Path) -> bool:
    return any(folder.glob("*/sparse/manhattan/*/cameras.*")) or any(folder.glob("*/*/sparse/manhattan/*/cameras.*"))


def is_scannetpp(folder: Path) -> bool:
    return any(folder.glob("*/dslr/colmap/cameras.*")) or any(folder.glob("data/*/dslr/colmap/cameras.*"))


def read_reconstructions(folder: Path) -> DataSet:
    """All reconstructions below a folder. Files that cannot be read are problems."""
    entries: list[Entry] = []
    problems: list[Problem] = []
    for place in find_reconstructions(folder):
        try:
            cameras = read_cameras(place)
            pictures = _pictures(place, folder)
            for name, number in read_images(place):
                if number not in cameras:
                    problems.append(Problem(name, f"its camera {number} is not in {place.name}"))
                    continue
                camera = cameras[number]
                path = pictures / name
                entries.append(Entry(_name(path, folder), path, camera, group_of(camera), f"{place}:{number}"))
        except (AnylensError, OSError, ValueError, IndexError, struct.error) as error:
            problems.append(Problem(str(place.relative_to(folder)), f"{type(error).__name__}: {error}"))
    return to_set(folder.name, folder, entries, problems)


def read_cameras(place: Path) -> dict[str, Truth]:
    """Cameras by their COLMAP number, foreign ones (tangential terms) as they are."""
    text = place / "cameras.txt"
    if text.is_file():
        return dict(colmap_text.parse(text.read_bytes()))
    return dict(colmap_binary.parse((place / "cameras.bin").read_bytes()))


def read_images(place: Path) -> Iterator[tuple[str, str]]:
    """Name and camera number of every image; poses and points are passed over."""
    text = place / "images.txt"
    if text.is_file():
        lines = [line for line in text.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        for line in lines[::2]:  # every second line lists the image's points, and may be empty
            if line.strip():
                words = line.split(None, 9)
                yield words[9].strip(), words[8]
        return
    data = (place / "images.bin").read_bytes()
    (count,), at = struct.unpack_from("<Q", data), 8
    for _ in range(count):
        head = HEAD.unpack_from(data, at)
        end = data.index(b"\0", at + HEAD.size)
        name = data[at + HEAD.size : end].decode()
        (points,) = struct.unpack_from("<Q", data, end + 1)
        at = end + 9 + 24 * points
        yield name, str(head[8])


def group_of(camera: Truth) -> str:
    """The model without `simple_` and order: pinhole, radial, kb, …; a foreign camera's own title."""
    model = getattr(camera, "model", None)
    return model.removeprefix("simple_").partition(":")[0] if model else getattr(camera, "title", "other")


def _pictures(place: Path, top: Path) -> Path:
    at = place
    while True:
        for name in PICTURES:
            if (at / name).is_dir():
                return at / name
        if at in (top, at.parent):
            return top
        at = at.parent


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()
