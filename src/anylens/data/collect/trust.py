"""Whether a photograph's focal length may be believed: a reason to drop it, or its focal length and trust."""

from __future__ import annotations

from anylens.data.collect.exif import Shot, equivalents

SENSORS = (4 / 3, 3 / 2, 5 / 4)  # longer over shorter side
EDITORS = (
    "photoshop", "lightroom", "gimp", "snapseed", "picasa", "paint", "capture one", "darktable", "affinity",
    "pixelmator", "acdsee", "photoscape", "instagram", "vsco", "polarr", "canva", "luminar", "rawtherapee",
    "imagemagick",
)  # fmt: skip
SHORTEST, LONGEST = 9.0, 1200.0  # mm
AGREEMENT = 0.12  # relative difference between two ways to the focal length that rounding explains


class Doubt(Exception):
    """Why a photograph is dropped."""


def believe(shot: Shot, width: int, height: int, crop: float | None) -> tuple[float, str]:
    """35 mm equivalent focal length by the diagonal, and trust (medium or low). Raises Doubt.

    `width`, `height` are those of the picture as stored; `crop` the sensor's crop factor if it is known.
    """
    ratio = max(width, height) / min(width, height)
    if shot.panorama or ratio > 2.2:
        raise Doubt("a panorama")
    if shot.zoom and shot.zoom > 1.02:
        raise Doubt(f"digital zoom {shot.zoom:.2f}")
    if all(abs(ratio / sensor - 1) > 0.012 for sensor in SENSORS):
        raise Doubt(f"aspect ratio {ratio:.3f} is not a sensor's: cropped")
    if shot.pixels:
        written = max(shot.pixels) / min(shot.pixels)
        if abs(written / ratio - 1) > 0.012:
            raise Doubt("cropped after the camera wrote it")
    if "fisheye" in shot.lens.lower() or "fish-eye" in shot.lens.lower():
        raise Doubt("a fisheye lens")
    found = equivalents(shot, crop)
    if not found:
        raise Doubt("no focal length")
    values = list(found.values())
    if max(values) / min(values) > 1 + AGREEMENT:
        said = ", ".join(f"{name} {value:.0f} mm" for name, value in found.items())
        raise Doubt(f"focal lengths disagree ({said})")
    f35 = found.get("plane") or found.get("crop") or found["tag"]
    if not SHORTEST <= f35 <= LONGEST:
        raise Doubt(f"focal length of {f35:.1f} mm is not believable")
    edited = any(name in shot.software.lower() for name in EDITORS)
    return f35, "low" if edited else "medium"
