"""What a photograph's EXIF says about its camera, as plain numbers and words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PIL import Image

DIAGONAL_35 = 43.2666  # mm
UNITS = {2: 25.4, 3: 10.0, 4: 1.0}  # FocalPlaneResolutionUnit in mm
PANORAMA = (6, 8)  # CustomRendered


@dataclass(frozen=True)
class Shot:
    """EXIF of one photograph; None where a tag is missing or nonsense. Sizes are those before orientation."""

    maker: str
    model: str
    lens: str
    software: str
    focal_mm: float | None
    f35: float | None
    plane_x: float | None  # sensor pixels per mm
    plane_y: float | None
    pixels: tuple[float, float] | None  # size the camera wrote
    zoom: float | None
    panorama: bool

    @property
    def camera(self) -> str:
        return self.model if self.model.lower().startswith(self.maker.lower()) else f"{self.maker} {self.model}".strip()


def read_shot(image: Image.Image) -> Shot:
    """The tags of an opened picture."""
    base = image.getexif()
    tags = base.get_ifd(0x8769)

    def text(value: object) -> str:
        plain = value.decode("latin-1") if isinstance(value, bytes) else str(value or "")
        return plain.replace("\0", "").strip()

    unit = UNITS.get(tags.get(0xA210, 2), 25.4)
    plane = [p / unit if p else None for p in (number(tags.get(0xA20E)), number(tags.get(0xA20F)))]
    size = number(tags.get(0xA002)), number(tags.get(0xA003))
    xmp = image.info.get("xmp") or b""
    marked = b"GPano" in (xmp if isinstance(xmp, bytes) else str(xmp).encode())
    return Shot(
        text(base.get(0x010F)), text(base.get(0x0110)), text(tags.get(0xA434)), text(base.get(0x0131)),
        number(tags.get(0x920A)), number(tags.get(0xA405)), plane[0], plane[1],
        (size[0], size[1]) if size[0] and size[1] else None, number(tags.get(0xA404)),
        tags.get(0xA401) in PANORAMA or marked,
    )  # fmt: skip


def number(value: object) -> float | None:
    """A positive finite number, or None."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    return found if math.isfinite(found) and found > 0 else None


def equivalents(shot: Shot, crop: float | None) -> dict[str, float]:
    """35 mm equivalent focal lengths by every way there is: the tag, the sensor's crop factor, the focal
    plane.

    f35 = f · crop;   f35 = f · 43.27 mm / sensor diagonal, the diagonal from pixels and pixels per mm.
    """
    found = {}
    if shot.f35:
        found["tag"] = shot.f35
    if shot.focal_mm and crop:
        found["crop"] = shot.focal_mm * crop
    if shot.focal_mm and shot.plane_x and shot.plane_y and shot.pixels:
        diagonal = math.hypot(shot.pixels[0] / shot.plane_x, shot.pixels[1] / shot.plane_y)
        if 3 < diagonal < 100:
            found["plane"] = shot.focal_mm * DIAGONAL_35 / diagonal
    return found
