"""A camera as a file names it."""

from __future__ import annotations

from dataclasses import dataclass

from anylens.camera import Camera


@dataclass(frozen=True)
class NamedCamera:
    """`name` is the file's own (a COLMAP id, `cam0`, a file name); `note` says what was changed on the way.

    `error` is the largest pixel error of a refit over the image, 0 where nothing was lost.
    """

    name: str
    camera: Camera
    error: float = 0.0
    note: str = ""
