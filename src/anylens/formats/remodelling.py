"""Change the model of a camera on request: exactly where possible, else by a refit whose error is stated."""

from __future__ import annotations

import math
from dataclasses import replace

from anylens.errors import FitError, FormatError
from anylens.formats.embedding import embed, embed_first
from anylens.formats.named import NamedCamera
from anylens.formats.table import Format
from anylens.profiles import parse

DEFAULT_LIMIT = 1.0  # pixels: a refit that is worse is refused unless the caller allows it
GOOD = 0.01  # pixels: good enough to stop looking for a better model


def to_model(named: NamedCamera, model: str, limit: float = DEFAULT_LIMIT) -> NamedCamera:
    """The camera in `model`. Raises FormatError where a refit leaves more than `limit` pixels."""
    parse(model)
    exact = embed(named.camera, model)
    if exact is not None:
        return replace(named, camera=exact)
    try:
        camera, error = named.camera.convert(model)
    except FitError as reason:
        raise FormatError(f"Camera '{named.name}' cannot be refitted as {model}: {reason}") from None
    check_error(named.name, model, error, limit)
    note = f"{named.camera.model} refitted as {model}"
    return replace(named, camera=camera, error=named.error + error, note=note)


def to_format(named: NamedCamera, target: Format, refit: bool, limit: float) -> NamedCamera:
    """The camera in a model that the format holds. Raises FormatError with the way out."""
    exact = embed_first(named.camera, target.holds)
    if exact is not None:
        return replace(named, camera=exact)
    if not refit:
        nearest = nearest_model(named.camera.model, target)
        raise FormatError(
            f"{target.title} cannot hold '{named.camera.model}'. It holds {', '.join(target.holds)}. "
            f"Convert first: --model {nearest}, or let it choose: --refit."
        )
    best: NamedCamera | None = None
    for model in _candidates(named.camera.model, target):
        try:
            found = to_model(named, model, math.inf)
        except FormatError:
            continue
        if best is None or found.error < best.error:
            best = found
        if best.error < GOOD:
            break
    if best is None:
        raise FormatError(f"No model that {target.title} holds could be fitted to camera '{named.name}'.")
    check_error(best.name, best.camera.model, best.error, limit)
    return best


def check_error(name: str, model: str, error: float, limit: float) -> None:
    """Raises FormatError for a refit that is worse than the limit."""
    if error <= limit:
        return
    found = f"is up to {error:.3g} px off" if math.isfinite(error) else "does not reach the corners of the image"
    raise FormatError(f"Camera '{name}' refitted as {model} {found}; {limit:g} px are allowed. "
                      "Choose another --model, or allow more: --max-error.")  # fmt: skip


def nearest_model(model: str, target: Format) -> str:
    """The model of the format that is likeliest to come near."""
    return _candidates(model, target)[0]


def _candidates(model: str, target: Format) -> list[str]:
    """Models of the format: same family first, then same reach (beyond 90° or not), many coefficients."""
    narrow = ("pinhole", "radial", "fov")

    def rank(other: str) -> tuple:
        a, b = parse(model), parse(other)
        reach = (a.profile.name in narrow) != (b.profile.name in narrow)
        return (a.profile.name != b.profile.name, reach, a.simple and not b.simple, b.simple and not a.simple,
                -len(b.profile.coefs))  # fmt: skip

    return sorted(target.holds, key=rank)
