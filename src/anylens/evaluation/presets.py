"""The paper's settings by name."""

from __future__ import annotations

from dataclasses import dataclass

from anylens.errors import FormatError


@dataclass(frozen=True)
class Preset:
    """layout of the folder, camera model to fit, images drawn at random, groups, editing, sequences from the end."""

    layout: str
    model: str
    limit: int | None = None
    groups: tuple[str, ...] = ()
    edited: str = "no"
    last_cameras: int | None = None


PRESETS = {
    "stanford2d3d": Preset("stanford2d3d", "simple_pinhole"),
    "tartanair": Preset("tartanair", "simple_pinhole"),
    "lamar": Preset("lamar", "simple_pinhole"),
    "megadepth": Preset("megadepth", "simple_pinhole", groups=("pinhole",)),
    "megadepth-distorted": Preset("megadepth", "simple_radial:1", groups=("radial",)),
    "scannetpp": Preset("scannetpp", "kb:4", limit=2000),
    "tum-mono": Preset("tum_mono", "ucm", limit=2000, last_cameras=16),
    "stanford2d3d-edited": Preset("stanford2d3d", "pinhole", edited="both"),
    "tartanair-edited": Preset("tartanair", "pinhole", edited="both"),
    "lamar-edited": Preset("lamar", "pinhole", edited="both"),
}


def find_preset(name: str) -> Preset:
    if name not in PRESETS:
        raise FormatError(f"Unknown preset '{name}'. Presets: {', '.join(PRESETS)}.")
    return PRESETS[name]
