"""Pictures for the tests: a smooth scene without symmetry, so that every turn and every channel shows."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image


def scene(width: int = 96, height: int = 64) -> np.ndarray:
    """RGB (H, W, 3) uint8."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    rgb = np.stack([255 * x, 255 * y, 255 * (0.5 + 0.5 * np.sin(6 * x * y))], axis=-1)
    return np.rint(rgb).astype(np.uint8)


def encode(picture: Image.Image, kind: str, **options) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, kind, **options)
    return stream.getvalue()


def exif_block(orientation: int | None = None, **tags) -> Image.Exif:
    """An EXIF block from names: focal, f35, zoom, software, make, model, size, plane, unit, rendered."""
    exif = Image.Exif()
    if orientation is not None:
        exif[0x0112] = orientation
    for name, tag in (("make", 0x010F), ("model", 0x0110), ("software", 0x0131)):
        if name in tags:
            exif[tag] = tags[name]
    inner: dict = {}
    numbers = (("focal", 0x920A), ("f35", 0xA405), ("zoom", 0xA404), ("unit", 0xA210), ("rendered", 0xA401))
    inner |= {tag: tags[name] for name, tag in numbers if name in tags}
    if "size" in tags:
        inner[0xA002], inner[0xA003] = tags["size"]
    if "plane" in tags:
        inner[0xA20E] = inner[0xA20F] = tags["plane"]
    if inner:
        exif[0x8769] = inner
    block = Image.Exif()
    block.load(exif.tobytes())
    return block
