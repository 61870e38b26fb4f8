"""Write camera files: into a model that the format holds, with its pixel offset, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anylens.arrays import as_numpy
from anylens.camera import Camera
from anylens.errors import FormatError
from anylens.formats.named import NamedCamera
from anylens.formats.remodelling import DEFAULT_LIMIT, to_format, to_model
from anylens.formats.table import Format, format_by_file_name, named_format
from anylens.whole_file import write_whole

Cameras = Camera | NamedCamera | Mapping[str, Camera] | Iterable[Camera | NamedCamera]


def write(
    cameras: Cameras,
    path: str | Path,
    format: str | None = None,
    *,
    model: str | None = None,
    refit: bool = False,
    max_error: float = DEFAULT_LIMIT,
    **options: Any,
) -> list[NamedCamera]:
    """Write cameras to `path`; returns them as written, with the largest pixel error of a refit.

    A model that the format does not hold raises FormatError, unless `model` names another one or `refit` lets
    the best of the format's own be chosen; a refit beyond `max_error` pixels raises. A format of one camera
    per file takes several when the path has `{name}` in it. The file appears complete or not at all.
    """
    path = Path(path)
    found = named_format(format) if format else format_by_file_name(path.name)
    if not found.writes:
        raise FormatError(f"{found.title} files can only be read, not written.")
    prepared = []
    for named in name_cameras(cameras):
        named = to_model(named, model, max_error) if model else named
        prepared.append(to_format(named, found, refit, max_error))
    if not prepared:
        raise FormatError("There is no camera to write.")
    for part, group in _files(path, found, prepared):
        save_whole(part, render(group, found, **options))
    return prepared


def render(cameras: list[NamedCamera], target: Format, **options: Any) -> bytes:
    """The file's content for cameras whose models the format holds."""
    shift = target.offset
    moved = [replace(n, camera=n.camera.crop(shift, shift, n.camera.width, n.camera.height)) for n in cameras]
    content = target.load().render(moved if shift else cameras, **options)
    return content.encode() if isinstance(content, str) else content


def name_cameras(cameras: Cameras) -> list[NamedCamera]:
    """Cameras with names (1, 2, … where none are given) and plain float64 parameters."""
    if isinstance(cameras, (Camera, NamedCamera)):
        cameras = [cameras]
    if isinstance(cameras, Mapping):
        cameras = [NamedCamera(name, camera) for name, camera in cameras.items()]
    out = [c if isinstance(c, NamedCamera) else NamedCamera(str(i + 1), c) for i, c in enumerate(cameras)]
    for named in out:
        if named.camera.params.ndim != 1 or not np.all(np.isfinite(as_numpy(named.camera.params))):
            raise FormatError(f"Camera '{named.name}' is a batch or has parameters that are not finite.")
    return [replace(n, camera=Camera(n.camera.model, as_numpy(n.camera.params).astype(float), n.camera.width,
                                     n.camera.height)) for n in out]  # fmt: skip


def _files(path: Path, target: Format, cameras: list[NamedCamera]) -> list[tuple[Path, list[NamedCamera]]]:
    if "{name}" in path.name:
        return [(path.with_name(path.name.replace("{name}", _file_name(n.name))), [n]) for n in cameras]
    if len(cameras) > 1 and not target.many:
        raise FormatError(f"{target.title} holds one camera per file, not {len(cameras)}. "
                          f"Put {{name}} into the file name to write one file each.")  # fmt: skip
    return [(path, cameras)]


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name)


def save_whole(path: Path, content: bytes) -> None:
    """Write a camera file whole or not at all. Raises FormatError."""
    write_whole(path, content, FormatError)
