"""Photographs with a known focal length: the manifest, and one memory map of all of them.

A folder holds `manifest.jsonl` with one object per line: file, width, height, hfov_deg, vfov_deg, source, trust.
"""

from __future__ import annotations

import json
import logging
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from anylens.data.folders import cache_folder, write_atomically
from anylens.data.splits import assign_splits, stable_number
from anylens.errors import ImageError

VERSION = 1
TRUST = {"high": 1.0, "medium": 1.0, "low": 0.5}
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Photograph:
    """A row of the manifest; focal lengths in pixels of the stored picture, principal point at its centre."""

    file: str
    width: int
    height: int
    fx: float
    fy: float
    source: str
    weight: float
    split: str = "train"


def list_photographs(folder: str | Path) -> list[Photograph]:
    """The photographs of a folder's manifest, with their split by source."""
    manifest = Path(folder) / "manifest.jsonl"
    if not manifest.is_file():
        raise ImageError(f"{folder}: no manifest.jsonl here. `anylens collect` makes such a folder from your photos.")
    rows = []
    for number, line in enumerate(manifest.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line) if line.strip() else None
        except json.JSONDecodeError as error:
            raise ImageError(f"{manifest}, line {number}: {error}.") from None
        if row:
            rows.append(row)
    if not rows:
        raise ImageError(f"{manifest}: no photographs listed.")
    splits = assign_splits(row["source"] for row in rows)
    return [
        Photograph(
            row["file"], row["width"], row["height"],
            row["width"] / 2 / math.tan(math.radians(row["hfov_deg"]) / 2),
            row["height"] / 2 / math.tan(math.radians(row["vfov_deg"]) / 2),
            row["source"], TRUST.get(row.get("trust", "medium"), 0.5), splits[row["source"]],
        )
        for row in rows
    ]  # fmt: skip


class PhotoStore:
    """All photographs of a folder decoded into one memory map, made on first use."""

    def __init__(self, folder: str | Path, cache: str | Path | None = None, progress: bool = False):
        self.photos = list_photographs(folder)
        sizes = np.array([p.width * p.height * 3 for p in self.photos], np.int64)
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        text = (Path(folder) / "manifest.jsonl").read_text(encoding="utf-8")
        where = cache_folder(cache) / "photos"
        where.mkdir(parents=True, exist_ok=True)
        file = where / f"{stable_number(text, str(folder), VERSION):016x}.pixels"
        if not file.is_file() or file.stat().st_size != self.starts[-1]:
            write_atomically(file, *self._decode(Path(folder), progress))
        self._flat = np.memmap(file, np.uint8, mode="r")

    def _decode(self, folder: Path, progress: bool):
        from tqdm import tqdm

        for photo in tqdm(self.photos, desc="photographs", unit="photo", disable=None if progress else True):
            try:
                with Image.open(folder / photo.file) as file:
                    image = np.asarray(file.convert("RGB"))
            except (OSError, SyntaxError, ValueError) as error:
                raise ImageError(
                    f"{photo.file}: cannot be read ({error}). Remove its line from the manifest."
                ) from None
            if image.shape[:2] != (photo.height, photo.width):
                found = f"{image.shape[1]}x{image.shape[0]}"
                raise ImageError(f"{photo.file}: is {found}, the manifest says {photo.width}x{photo.height}.")
            yield np.ascontiguousarray(image).tobytes()

    def picture(self, index: int) -> np.ndarray:
        """The photograph (H, W, 3) uint8, without copying."""
        photo = self.photos[index]
        flat = self._flat[self.starts[index] : self.starts[index + 1]]
        return np.asarray(flat).reshape(photo.height, photo.width, 3)
