"""Example photos with known cameras, made in code; `anylens calibrate example:room` takes one from anywhere.

Each NAME.jpg has its true camera in NAME.json, as `Camera.from_dict` reads it.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from anylens.camera import Camera
from anylens.errors import ImageError


def _folder() -> Path:
    return Path(str(files(__package__)))


def example_names() -> list[str]:
    return sorted(path.stem for path in _folder().glob("*.jpg"))


def example_path(name: str) -> Path:
    """The photo of that name. Raises ImageError with the names that exist."""
    if name not in example_names():
        raise ImageError(f"There is no example '{name}'. There are {', '.join(example_names())}.")
    return _folder() / f"{name}.jpg"


def example_camera(name: str) -> Camera:
    """The true camera of an example."""
    return Camera.from_dict(json.loads(example_path(name).with_suffix(".json").read_text(encoding="utf-8")))
