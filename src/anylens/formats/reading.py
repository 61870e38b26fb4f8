"""Read camera files: find the format, undo its pixel offset, and never drop distortion silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anylens.camera import Camera
from anylens.errors import FitError, FormatError, ModelError
from anylens.formats.foreign import ForeignCamera
from anylens.formats.named import NamedCamera
from anylens.formats.remodelling import DEFAULT_LIMIT, check_error, to_model
from anylens.formats.sniffing import load, sniff
from anylens.formats.table import Format, named_format


def read(
    source: str | Path | bytes,
    format: str | None = None,
    *,
    model: str | None = None,
    refit: bool = False,
    max_error: float = DEFAULT_LIMIT,
    size: tuple[int, int] | None = None,
) -> list[NamedCamera]:
    """Cameras of a file (or of its text or bytes), in our pixel convention.

    `format` is found from content and file name if not given. Distortion that none of our models hold
    (tangential, rational, thin prism, skew) raises FormatError unless `refit`, or a `model` to fit, is given;
    then `error` is the largest pixel error, and one above `max_error` pixels raises. A `model` applies to
    every camera of the file. `size` (width, height) is for files without an image size.
    """
    given = named_format(format) if format else None
    content, name = load(source)
    found = given or sniff(content, name)
    if not found.reads:
        raise FormatError(f"{found.title} files can only be written, not read.")
    try:
        cameras = found.load().parse(content, size)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        if isinstance(error, ModelError):
            raise FormatError(f"{name}: {error}") from None
        raise FormatError(f"{name} is damaged or not a {found.title} file ({error or type(error).__name__}).") from None
    if not cameras:
        raise FormatError(f"{name} holds no camera.")
    return [_finish(n, camera, found, model, refit, max_error) for n, camera in cameras]


def read_one(source: str | Path | bytes, name: str | None = None, **options: Any) -> NamedCamera:
    """The only camera of a file, or the one called `name`. Options as in `read`."""
    cameras = read(source, **options)
    if name is not None:
        cameras = [c for c in cameras if c.name == name] or cameras
        if cameras[0].name != name:
            raise FormatError(f"No camera is called '{name}'; there are {', '.join(c.name for c in cameras)}.")
    if len(cameras) > 1:
        names = ", ".join(c.name for c in cameras[:10])
        raise FormatError(f"The file holds {len(cameras)} cameras ({names}). Name one of them.")
    return cameras[0]


def _finish(
    name: str, camera: Camera | ForeignCamera, found: Format, model: str | None, refit: bool, limit: float
) -> NamedCamera:
    if isinstance(camera, ForeignCamera):
        camera = camera.moved(found.offset)
        if not (refit or model):
            raise FormatError(
                f"Camera '{name}' ({camera.title}) has {camera.lost_terms()}, which no model here "
                "holds. Ask for a refit: --refit, or --model radial:3."
            )
        try:
            fitted, error = camera.refit(model)
        except FitError as reason:
            raise FormatError(f"Camera '{name}' ({camera.title}) could not be refitted: {reason}") from None
        check_error(name, fitted.model, error, limit)
        return NamedCamera(name, fitted, error, f"{camera.title} refitted as {fitted.model}")
    if found.offset:
        camera = camera.crop(-found.offset, -found.offset, camera.width, camera.height)
    if model:
        return to_model(NamedCamera(name, camera), model, limit)
    return NamedCamera(name, camera)
