"""Checked access to the fields of a camera file: what is missing or not a number becomes a FormatError."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.errors import FormatError


def field(data: Any, *names: str, where: str) -> Any:
    """The first of `names` that the mapping holds. Raises FormatError with the names."""
    if not isinstance(data, dict):
        raise FormatError(f"{where}: expected named fields, found {type(data).__name__}.")
    for name in names:
        if data.get(name) is not None:
            return data[name]
    raise FormatError(f"{where}: the field '{names[0]}' is missing.")


def number(value: Any, where: str) -> float:
    """A finite float. Raises FormatError."""
    try:
        out = float(value)
    except (TypeError, ValueError):
        raise FormatError(f"{where}: {value!r} is not a number.") from None
    if not math.isfinite(out):
        raise FormatError(f"{where}: {value!r} is not finite.")
    return out


def numbers(values: Any, where: str, count: int | None = None) -> list[float]:
    """Finite floats from a list, nested lists or a matrix node {rows, cols, data}. Raises FormatError."""
    if isinstance(values, dict):
        values = values.get("data")
    if values is None:
        values = []
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise FormatError(f"{where}: expected a list of numbers, found {values!r}.")
    flat = [v for row in values for v in (row if isinstance(row, (list, tuple)) else [row])]
    if count is not None and len(flat) != count:
        raise FormatError(f"{where}: {len(flat)} numbers, {count} are needed.")
    return [number(v, where) for v in flat]


def image_size(width: Any, height: Any, where: str) -> tuple[int, int]:
    """A positive whole image size. Raises FormatError."""
    w, h = number(width, where), number(height, where)
    if not (w >= 1 and h >= 1 and w == int(w) and h == int(h) and max(w, h) < 2**31):
        raise FormatError(f"{where}: an image of {width} x {height} pixels does not exist.")
    return int(w), int(h)


def make_camera(model: str, params: Sequence[float], size: tuple[int, int], where: str) -> Camera:
    """A camera with positive focal lengths. Raises FormatError."""
    camera = Camera(model, np.array(params, dtype=np.float64), *size)
    if not (float(camera.full[0]) > 0 and float(camera.full[1]) > 0):
        raise FormatError(f"{where}: the focal length must be positive.")
    return camera
