"""A folder of panoramas, decoded once into memory-mapped pyramids.

Each panorama becomes one file in the cache folder (all levels, one after the other), named after its path,
size and time of change; the second start only looks the names up. With a `manifest.csv` (columns `file`, and
if known `id`, `place`, `black_nadir_deg`, `black_zenith_deg`) places and caps come from there, otherwise
every panorama is its own place and the caps are measured.
"""

from __future__ import annotations

import csv
import json
import logging
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from anylens.data.folders import cache_folder, write_atomically
from anylens.data.panorama_file import SUFFIXES, black_caps, read_panorama
from anylens.data.pyramid import BORDER, Pyramid, build_pyramid, level_sizes
from anylens.data.splits import assign_splits, stable_number
from anylens.errors import ImageError

VERSION = 3  # of the cache layout
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Panorama:
    """One panorama of a folder: where it is, the place it belongs to, and black caps in degrees."""

    id: str
    path: str
    place: str
    split: str = "train"
    nadir_deg: float | None = None
    zenith_deg: float | None = None


def list_panoramas(folder: str | Path) -> list[Panorama]:
    """The panoramas of a folder (or one file), in the order of their ids, with their split by place."""
    folder = Path(folder)
    if folder.is_file():
        found = [Panorama(folder.stem, str(folder), folder.stem)]
    elif (folder / "manifest.csv").is_file():
        found = _from_manifest(folder)
    else:
        files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES) if folder.is_dir() else []
        found = [Panorama(p.relative_to(folder).as_posix(), str(p), p.relative_to(folder).as_posix()) for p in files]
    if not found:
        raise ImageError(f"{folder}: no panoramas here. Expected equirectangular {', '.join(SUFFIXES)} files.")
    splits = assign_splits(p.place for p in found)
    return sorted((replace(p, split=splits[p.place]) for p in found), key=lambda p: p.id)


def _from_manifest(folder: Path) -> list[Panorama]:
    def number(text: str | None) -> float | None:
        return float(text) if text else None

    with open(folder / "manifest.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if rows and "file" not in rows[0]:
        raise ImageError(f"{folder / 'manifest.csv'}: the column 'file' is missing.")
    return [
        Panorama(
            row.get("id") or row["file"], str(folder / row["file"]), row.get("place") or row["file"],
            nadir_deg=number(row.get("black_nadir_deg")), zenith_deg=number(row.get("black_zenith_deg")),
        )
        for row in rows
    ]  # fmt: skip


@dataclass(frozen=True)
class Cached:
    """What the cache knows of a panorama: file name, size and black caps in degrees."""

    file: str
    width: int
    height: int
    nadir_deg: float
    zenith_deg: float


def stored_bytes(cached: Cached) -> int:
    """Size of the pyramid's file: all levels with their borders."""
    sizes = level_sizes(cached.width, cached.height)
    return sum((w + 2 * BORDER) * (h + 2 * BORDER) * 3 for w, h in sizes)


class PanoramaStore:
    """Pyramids of many panoramas, read through memory maps; safe to share between processes."""

    def __init__(self, cache: str | Path | None = None, max_width: int = 4096):
        self.folder = cache_folder(cache) / "panoramas"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.max_width = max_width
        self._open: dict[str, Pyramid] = {}

    def prepare(self, panorama: Panorama) -> Cached:
        """Decode a panorama into the cache unless it is there already. Raises ImageError."""
        try:
            stat = Path(panorama.path).stat()
        except OSError as error:
            raise ImageError(f"{panorama.id}: {error.strerror or error}.") from None
        name = f"{stable_number(panorama.path, stat.st_size, stat.st_mtime_ns, self.max_width, VERSION):016x}"
        note = self.folder / f"{name}.json"
        try:
            cached = Cached(**json.loads(note.read_text()))
            if (self.folder / cached.file).stat().st_size == stored_bytes(cached):
                return cached
        except (OSError, ValueError, TypeError):
            pass
        image = read_panorama(panorama.path, self.max_width)
        pyramid = build_pyramid(image)
        nadir, zenith = black_caps(image)
        parts = (level.tobytes() for level in pyramid.levels)
        write_atomically(self.folder / f"{name}.levels", *parts, sync=False)
        known = (panorama.nadir_deg, panorama.zenith_deg)
        caps = [max(found, 0.0 if given is None else given) for found, given in zip((nadir, zenith), known)]
        cached = Cached(f"{name}.levels", pyramid.width, pyramid.height, *caps)
        write_atomically(note, json.dumps(asdict(cached)).encode())
        return cached

    def pyramid(self, cached: Cached) -> Pyramid:
        """The memory-mapped pyramid of a prepared panorama."""
        if cached.file not in self._open:
            flat = np.memmap(self.folder / cached.file, np.uint8, mode="r")
            levels, start = [], 0
            for width, height in level_sizes(cached.width, cached.height):
                shape = (height + 2 * BORDER, width + 2 * BORDER, 3)
                size = int(np.prod(shape))
                levels.append(np.asarray(flat[start : start + size]).reshape(shape))
                start += size
            self._open[cached.file] = Pyramid(tuple(levels), cached.width, cached.height)
        return self._open[cached.file]

    def prepare_all(self, panoramas: list[Panorama], progress: bool = False) -> tuple[dict[str, Cached], list[str]]:
        """Prepare every panorama; returns what is cached by id, and one line for each that was refused."""
        from tqdm import tqdm

        cached, refused = {}, []
        for panorama in tqdm(panoramas, desc="panoramas", unit="pano", disable=None if progress else True):
            try:
                cached[panorama.id] = self.prepare(panorama)
            except ImageError as error:
                refused.append(str(error))
                log.warning("skipped %s", error)
        return cached, refused
