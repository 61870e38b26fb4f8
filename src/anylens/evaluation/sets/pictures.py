"""Pictures that are not plain files, and the check that a picture is there and has the size its camera is for."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from anylens.errors import ImageError
from anylens.evaluation.sample import Sample


@dataclass(frozen=True)
class TarMember:
    """A file inside an uncompressed tar: where its bytes start and how many there are."""

    path: Path
    offset: int
    size: int

    def load(self) -> bytes:
        with open(self.path, "rb") as file:
            file.seek(self.offset)
            return file.read(self.size)


@dataclass(frozen=True)
class ZipMember:
    """A file inside a zip."""

    path: Path
    name: str

    def load(self) -> bytes:
        with ZipFile(self.path) as archive:
            return archive.read(self.name)


def picture_size(source: Any) -> tuple[int, int]:
    """Upright width and height, from the header alone. Raises ImageError."""
    from PIL import Image, UnidentifiedImageError

    from anylens.images import read_exif

    loaded = source.load() if hasattr(source, "load") else source
    if hasattr(loaded, "shape"):
        return loaded.shape[1], loaded.shape[0]
    data = io.BytesIO(loaded) if isinstance(loaded, bytes) else loaded
    try:
        with Image.open(data) as picture:
            size = picture.size
            turned = read_exif(picture).orientation > 4
    except FileNotFoundError:
        raise ImageError("there is no such file") from None
    except (OSError, UnidentifiedImageError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ImageError(f"not a readable picture ({type(error).__name__})") from None
    return (size[1], size[0]) if turned else size


def check_picture(sample: Sample) -> None:
    """Raises ImageError where the picture is missing, unreadable, or of another size than its camera."""
    found = picture_size(sample.source)
    if found != (sample.width, sample.height):
        raise ImageError(f"the picture is {found[0]}x{found[1]}, its camera {sample.width}x{sample.height}")
