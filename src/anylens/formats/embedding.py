"""Exact changes of model: the same rays under another name, nothing fitted.

simple_x → x;  x → simple_x where fx = fy;  more coefficients (zeros), or fewer where the last are zero;
pinhole → radial, division, ucm, eucm and back where nothing bends;  equidistant → kb;
ucm → eucm:  β = 1, α = ξ/(1+ξ), f' = f/(1+ξ),  since  f R/(ξ + Z) = f' R/(α + (1-α) Z).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from anylens.arrays import as_numpy
from anylens.camera import Camera
from anylens.profiles import parse

# family whose coefficients are all zero -> the plain family that it then is
PLAIN = {"radial": "pinhole", "division": "pinhole", "kb": "equidistant"}


def embed(camera: Camera, model: str) -> Camera | None:
    """The camera in `model` with exactly the same rays, or None where that would need a fit."""
    target = parse(model)
    family, k, scale = _family(camera.model), _coefs(camera), 1.0
    wanted, size = target.profile.name, len(target.profile.coefs)
    if family != wanted:
        moved = _move(family, k, wanted)
        if moved is None:
            return None
        k, scale = moved
    if any(k[size:]):
        return None
    k = [*k[:size], *([0.0] * (size - len(k)))]
    fx, fy, cx, cy = (float(v) for v in as_numpy(camera.full)[:4])
    if target.simple and fx != fy:
        return None
    focals = [fx * scale] if target.simple else [fx * scale, fy * scale]
    return Camera(model, np.array([*focals, cx, cy, *k]), camera.width, camera.height)


def embed_first(camera: Camera, models: Iterable[str]) -> Camera | None:
    """The camera in the first of `models` that holds it: its own, its family's, as many focal lengths."""
    simple, family = camera.model.startswith("simple_"), _family(camera.model)

    def rank(model: str) -> tuple[bool, bool, bool]:
        return model != camera.model, _family(model) != family, model.startswith("simple_") != simple

    return next((found for m in sorted(models, key=rank) if (found := embed(camera, m)) is not None), None)


def _family(model: str) -> str:
    return parse(model).profile.name


def _coefs(camera: Camera) -> list[float]:
    return [float(v) for v in as_numpy(camera.coefs)]


def _move(family: str, k: list[float], wanted: str) -> tuple[list[float], float] | None:
    """Coefficients in the family `wanted` and the factor on the focal length; None without exact way."""
    if not any(k) and PLAIN.get(family) == wanted:
        return [], 1.0
    if not any(k) and PLAIN.get(family, family) == PLAIN.get(wanted):
        return [], 1.0
    if family == "ucm" and wanted == "eucm":
        return [k[0] / (1 + k[0]), 1.0], 1 / (1 + k[0])
    if family == "eucm" and wanted == "ucm" and k[1] == 1.0 and k[0] < 1:
        return [k[0] / (1 - k[0])], 1 / (1 - k[0])
    if family == "pinhole" and wanted == "ucm":
        return [0.0], 1.0
    if family == "pinhole" and wanted == "eucm":
        return [0.0, 1.0], 1.0
    if wanted == "pinhole" and family in ("ucm", "eucm") and k[0] == 0:
        return [], 1.0
    return None
