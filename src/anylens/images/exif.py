"""What the EXIF block says about the focal length, and how far that can be believed.

The 35 mm equivalent is taken by the diagonal:  f_px = f_35 · diagonal_px / 43.27 mm.  Without it, the focal
length in mm and the focal-plane resolution give the same; without that, the focal length and the camera's
sensor.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PIL import Image

from anylens.images.sensors import crop_factor

DIAGONAL_35MM = math.hypot(36.0, 24.0)
SENSOR_ASPECTS = (4 / 3, 3 / 2)
ASPECT_TOLERANCE = 0.012  # 3:2 is stored as 1.4970 to 1.5023 by real cameras
AGREEMENT = 1.10  # two ways to the focal length that differ by more make both doubtful
UNIT_MM = {
    1: 25.4,
    2: 25.4,
    3: 10.0,
    4: 1.0,
    5: 0.001,
}  # EXIF's focal-plane units; 1 is "none", meant as inches
EDITORS = re.compile(
    r"photoshop|lightroom|gimp|snapseed|picasa|picnik|photoscape|affinity|darktable|rawtherapee|capture one|"
    r"luminar|dxo|acdsee|paint|instagram|vsco|facetune|pixelmator|photos? \d|preview|imagemagick|polarr|"
    r"prisma|canva|corel|irfanview|faststone|digikam|shotwell|aperture|iphoto|on1|topaz|hugin|ptgui|"
    r"microsoft|google|meitu|beauty|camera\+",
    re.IGNORECASE,
)
ORIENTATION, MAKE, MODEL, SOFTWARE, PROCESSING = 0x0112, 0x010F, 0x0110, 0x0131, 0x000B
EXIF_IFD, FOCAL, FOCAL_35, ZOOM, LENS = 0x8769, 0x920A, 0xA405, 0xA404, 0xA434
WIDTH, HEIGHT, PLANE_X, PLANE_Y, PLANE_UNIT, RENDERED = 0xA002, 0xA003, 0xA20E, 0xA20F, 0xA210, 0xA401
PANORAMA = 6  # Apple's value of CustomRendered


@dataclass(frozen=True)
class ExifTags:
    """The tags that bear on the camera; 0 or "" where one is missing or makes no sense."""

    orientation: int = 1
    make: str = ""
    model: str = ""
    lens: str = ""
    software: str = ""
    focal_mm: float = 0.0
    focal_35mm: float = 0.0
    digital_zoom: float = 0.0
    width: int = 0
    height: int = 0
    plane_x: float = 0.0  # focal-plane resolution in pixels per mm
    plane_y: float = 0.0
    rendered: int = 0

    @property
    def group(self) -> str:
        """Key of photographs of one camera and focal length; "" where the tags do not say."""
        if not (self.make or self.model) or not (self.focal_mm or self.focal_35mm):
            return ""
        size = "x".join(str(s) for s in sorted((self.width, self.height)))
        return "|".join((self.make, self.model, self.lens, f"{self.focal_mm or self.focal_35mm:g}", size))


@dataclass(frozen=True)
class FocalTag:
    """A focal length from EXIF, trusted if there are no `doubts`: phrases for a warning."""

    focal_px: float  # in pixels of the picture asked about, pixels taken as square
    focal_35mm: float  # by the diagonal
    source: str  # "35 mm equivalent", "focal-plane resolution" or "sensor size"
    doubts: tuple[str, ...] = ()

    @property
    def trusted(self) -> bool:
        return not self.doubts


def read_exif(source: Image.Image | Image.Exif | bytes | None) -> ExifTags:
    """Tags of a Pillow image, an Exif object or a raw block; never raises, a damaged one is empty."""
    try:
        if isinstance(source, bytes):
            block = Image.Exif()
            block.load(source)
        elif isinstance(source, Image.Image):
            block = source.getexif()
        elif source is None:
            return ExifTags()
        else:
            block = source
        inner = block.get_ifd(EXIF_IFD)
    except Exception:  # damaged blocks raise nearly everything, and say nothing about the picture
        return ExifTags()
    tags = {**dict(inner), **dict(block)}
    unit = UNIT_MM.get(_whole(tags, PLANE_UNIT) or 2, 25.4)
    orientation = _whole(tags, ORIENTATION)
    return ExifTags(
        orientation=orientation if orientation in range(1, 9) else 1,
        make=_text(tags, MAKE),
        model=_text(tags, MODEL),
        lens=_text(tags, LENS),
        software=" ".join(t for t in (_text(tags, SOFTWARE), _text(tags, PROCESSING)) if t),
        focal_mm=_positive(tags, FOCAL, 2000),
        focal_35mm=_positive(tags, FOCAL_35, 5000),
        digital_zoom=_positive(tags, ZOOM, 1000),
        width=_whole(tags, WIDTH),
        height=_whole(tags, HEIGHT),
        plane_x=_positive(tags, PLANE_X, 1e7) / unit,
        plane_y=_positive(tags, PLANE_Y, 1e7) / unit,
        rendered=_whole(tags, RENDERED),
    )


def focal_from_exif(tags: ExifTags, width: int, height: int) -> FocalTag | None:
    """The focal length for a picture of width x height (either way up); None without tags for it."""
    diagonal = math.hypot(width, height)
    per_mm = diagonal / DIAGONAL_35MM
    ways: list[tuple[str, float]] = []
    if tags.focal_35mm:
        ways.append(("35 mm equivalent", tags.focal_35mm))
    plane = _from_plane(tags, width, height) / per_mm
    if plane:
        ways.append(("focal-plane resolution", plane))
    crop = crop_factor(tags.make, tags.model)
    if tags.focal_mm and crop:
        ways.append(("sensor size", tags.focal_mm * crop))
    ways = [(name, value) for name, value in ways if 3.0 < value < 3000.0]
    if not ways:
        return None
    source, focal = ways[0]
    return FocalTag(focal * per_mm, focal, source, tuple(_doubts(tags, width, height, ways)))


def _from_plane(tags: ExifTags, width: int, height: int) -> float:
    """f_px = f_mm · pixels per mm, scaled from the size that was tagged; 0 where tags are missing."""
    if not (tags.focal_mm and tags.plane_x and tags.width and tags.height):
        return 0.0
    scale = max(width, height) / max(tags.width, tags.height)
    return tags.focal_mm * tags.plane_x * scale


def _doubts(tags: ExifTags, width: int, height: int, ways: list[tuple[str, float]]) -> list[str]:
    aspect = max(width, height) / min(width, height)
    out = []
    if not any(abs(aspect / a - 1) < ASPECT_TOLERANCE for a in SENSOR_ASPECTS):
        out.append(f"an aspect ratio of {aspect:.3g} is no sensor's, so the photo was probably cropped")
    if tags.width and tags.height:
        tagged = max(tags.width, tags.height) / min(tags.width, tags.height)
        if abs(aspect / tagged - 1) > ASPECT_TOLERANCE:
            out.append(f"the tags are for {tags.width}x{tags.height}, the photo is {width}x{height}")
    if tags.digital_zoom > 1.01:
        out.append(f"digital zoom {tags.digital_zoom:.3g}x")
    if EDITORS.search(tags.software):
        out.append(f"edited with {tags.software[:40]}")
    if tags.rendered == PANORAMA:
        out.append("a stitched panorama")
    values = [value for _, value in ways]
    if max(values) / min(values) > AGREEMENT:
        out.append(" and ".join(f"{value:.0f} mm by {name}" for name, value in ways) + " disagree")
    if tags.focal_mm and tags.focal_35mm and not 0.5 < tags.focal_35mm / tags.focal_mm < 14:
        out.append(f"{tags.focal_mm:g} mm cannot be equivalent to {tags.focal_35mm:g} mm")
    return out


def _guarded(read: Callable[[Any], Any], empty: Any) -> Callable[[dict, int], Any]:
    def get(tags: dict, tag: int) -> Any:
        try:
            value = tags[tag]
            return read(value[0] if isinstance(value, tuple) and len(value) else value)
        except Exception:  # wrong types, zero denominators, odd encodings
            return empty

    return get


def _clean(value: Any) -> str:
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    return " ".join(text.replace("\0", " ").split())[:120]


_text = _guarded(_clean, "")
_whole = _guarded(lambda v: max(0, int(v)), 0)
_number = _guarded(float, 0.0)


def _positive(tags: dict, tag: int, most: float) -> float:
    value = _number(tags, tag)
    return value if math.isfinite(value) and 0 < value < most else 0.0
