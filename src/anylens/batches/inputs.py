"""What a user named: photos, folders, globs, videos and the bundled examples, as one list in a fixed order."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path

from anylens.errors import ImageError

PHOTOS = (".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".png", ".tif", ".tiff", ".webp", ".bmp", ".gif", ".ppm", ".pgm",
          ".jp2", ".j2k", ".avif", ".heic", ".heif", ".tga", ".exr")  # fmt: skip
VIDEOS = (".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v", ".mpg", ".mpeg", ".wmv", ".3gp")
EXAMPLE = "example:"


@dataclass(frozen=True)
class Item:
    """file: its name in results; path: where it is; video: whether it has frames; error: why it cannot be opened."""

    file: str
    path: str
    video: bool = False
    error: str = ""


def find_inputs(given: list[str]) -> list[Item]:
    """Every photo once, folders and globs sorted. A path that is not there is an item: it fails with its name.

    Folders are searched with everything below them, links to folders and hidden files left out. Raises ImageError
    where nothing at all is found.
    """
    items: list[Item] = []
    for text in given:
        items += _one(text)
    unique = list({item.file: item for item in items}.values())
    if not unique:
        raise ImageError(f"There are no photos in {', '.join(given) or 'what was given'}.")
    return unique


def _one(text: str) -> list[Item]:
    if text.startswith(EXAMPLE):
        from anylens.examples import example_path

        return [Item(text, str(example_path(text.removeprefix(EXAMPLE))))]
    if os.path.isdir(text):
        return _folder(text)
    if glob.has_magic(text) and not os.path.lexists(text):
        found = sorted(glob.glob(text, recursive=True))
        return [item for path in found for item in (_folder(path) if os.path.isdir(path) else [_file(path)])]
    return [_file(text)]


def _file(path: str) -> Item:
    return Item(path, path, video=Path(path).suffix.lower() in VIDEOS)


def _folder(path: str) -> list[Item]:
    items: list[Item] = []

    def refused(error: OSError) -> None:
        items.append(Item(str(error.filename), str(error.filename), error="no permission to read this folder."))

    for folder, below, names in os.walk(path, onerror=refused):
        below[:] = sorted(b for b in below if not b.startswith("."))
        chosen = sorted(n for n in names if Path(n).suffix.lower() in PHOTOS and not n.startswith("."))
        items += [_file(os.path.join(folder, name)) for name in chosen]
    return items
