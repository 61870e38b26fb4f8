"""Which photos are of one camera: all of them, or by EXIF, folder or size; crops of another aspect ratio apart."""

from __future__ import annotations

import os
from typing import Any, Literal

from anylens.batches.inputs import Item
from anylens.calibration.turning import aspect_key
from anylens.errors import AnylensError
from anylens.images.exif import read_exif
from anylens.images.opening import open_picture, read_bytes

Shared = Literal["all", "by-exif", "by-folder", "by-size"]


def group_items(items: list[Item], how: Shared) -> list[tuple[str, list[Item]]]:
    """Groups with their names, in the order of their first photo; unreadable photos have groups of their own."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(_name(item, how), []).append(item)
    return list(groups.items())


def _name(item: Item, how: Shared) -> str:
    try:
        size, camera = look(item)
    except AnylensError:
        return f"unreadable {item.file}"
    folder = os.path.dirname(item.file) or "."
    aspect = f"{aspect_key(*size):.2f}:1"
    exact = "x".join(str(s) for s in sorted(size, reverse=True))
    if how == "by-exif":
        # Photos without tags say nothing about being of one camera.
        return f"{camera} {aspect}" if camera else f"no tags {item.file}"
    return {"all": f"all {aspect}", "by-folder": f"{folder} {aspect}", "by-size": exact}[how]


def look(item: Item) -> tuple[tuple[int, int], str]:
    """Size of a photo and the key of its camera, from the header alone. Raises ImageError."""
    picture: Any = open_picture(read_bytes(item.path), item.file)
    return picture.size, read_exif(picture).group
