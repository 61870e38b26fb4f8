"""The one table of camera file formats.

`offset` is what the format's principal point is smaller by than ours, whose origin is the corner of the first
pixel: 0.5 where the centre of the first pixel is (0, 0). `reading` and `writing` apply it, so the format
modules deal in their file's own pixels. `holds` lists what a writer accepts as it stands; `embedding` gets
other models there where that loses nothing.

To add a format: a module with `parse(source, size)` and / or `render(cameras, **options)`, and a row here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import import_module
from typing import Any

from anylens.errors import FormatError
from anylens.profiles import models

COLMAP_MODELS = ("simple_pinhole", "pinhole", "simple_radial:1", "simple_radial:2", "radial:2", "radial:3",
                 "simple_kb:1", "simple_kb:2", "kb:4", "fov", "simple_division:1", "division:1",
                 "simple_equidistant", "equidistant", "eucm")  # fmt: skip
BROWN = ("pinhole", "radial:2", "radial:3")
LENSFUN = tuple(f"simple_{m}" for m in ("pinhole", "radial:2", "equidistant", "equisolid", "stereographic",
                                        "orthographic", "kb:2"))  # fmt: skip


@dataclass(frozen=True)
class Format:
    """What a camera file of one kind can hold. `many`: more than one camera in a file."""

    name: str
    title: str
    module: str
    patterns: tuple[str, ...]
    holds: tuple[str, ...]
    offset: float = 0.0
    many: bool = False
    reads: bool = True
    writes: bool = True

    def load(self) -> Any:
        return import_module(f"anylens.formats.{self.module}")


ALL = tuple(models())
_ROWS = (
    Format("anylens", "anylens JSON", "native", ("*.json", "*.jsonl"), ALL, many=True),
    Format("colmap_text", "COLMAP text", "colmap_text", ("cameras*.txt", "*.txt"), COLMAP_MODELS, many=True),
    Format("colmap_binary", "COLMAP binary", "colmap_binary", ("cameras*.bin", "*.bin"), COLMAP_MODELS, many=True),
    Format("opencv", "OpenCV YAML", "opencv", ("*.yml", "*.yaml"), BROWN, offset=0.5),
    Format("opencv_fisheye", "OpenCV fisheye YAML", "opencv_fisheye", ("*fisheye*.y*ml",), ("kb:4",), offset=0.5),
    Format("ros", "ROS CameraInfo", "ros", ("camera_info*.y*ml", "ost.yaml"), (*BROWN, "kb:4"), offset=0.5),
    Format(
        "kalibr",
        "Kalibr camchain",
        "kalibr",
        ("*camchain*.y*ml",),
        ("pinhole", "radial:2", "kb:4", "fov", "ucm", "eucm", "ds"),
        offset=0.5,
        many=True,
    ),
    Format(
        "nerfstudio",
        "nerfstudio transforms.json",
        "nerfstudio",
        ("transforms*.json",),
        (*BROWN, "kb:4"),
        many=True,
    ),
    Format(
        "metashape",
        "Metashape XML",
        "metashape",
        ("*.xml",),
        ("pinhole", "radial:4", "kb:4", "equisolid"),
        many=False,
    ),
    Format("lensfun", "Lensfun XML", "lensfun", ("lensfun*.xml",), LENSFUN, many=True, reads=False),
    Format("stmap", "ST-map", "stmap", ("*.exr",), ALL, reads=False),
)
FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}


def named_format(name: str) -> Format:
    """The format of that name; raises FormatError with the names that exist."""
    key = name.lower().replace("-", "_")
    if key == "colmap":
        key = "colmap_text"
    if key not in FORMATS:
        raise FormatError(f"Unknown camera format '{name}'. Known: {', '.join(FORMATS)}.")
    return FORMATS[key]


def format_by_file_name(name: str) -> Format:
    """The format whose pattern matches a file name to be written: the most particular pattern wins."""
    hits = [(len(p), row) for row in _ROWS for p in row.patterns if row.writes and fnmatch(name.lower(), p)]
    if not hits:
        raise FormatError(f"No camera format goes with the file name '{name}'. Name one: {', '.join(FORMATS)}.")
    return max(hits, key=lambda hit: hit[0])[1]
