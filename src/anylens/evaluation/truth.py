"""True cameras as data sets write them, also in models that are not fitted here.

Names and their parameters, all with fx fy cx cy in pixels (corner convention):

    any identifier of anylens         its own coefficients
    radial                            k1 … k4
    brown_conrady                     k1 k2 p1 p2 k3
    rational                          k1 … k6 p1 p2
    kb4                               k1 … k4
    mei                               xi k1 k2 p1 p2: x = X / (Z + ξ) of the unit ray, then Brown-Conrady
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.errors import FormatError, ModelError
from anylens.evaluation.sample import Truth
from anylens.formats.brown import from_opencv
from anylens.profiles import parse

# model -> OpenCV's order k1 k2 p1 p2 k3 k4 k5 k6
BROWN = {
    "brown_conrady": ("k1", "k2", "p1", "p2", "k3"),
    "rational": ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"),
    "mei": ("k1", "k2", "p1", "p2", "k3"),
}
OTHER_NAMES = {"kb4": "kb:4", "opencv_fisheye": "kb:4", "simple_radial": "radial"}


def read_truth(model: str, params: dict[str, Any], width: int, height: int) -> Truth | None:
    """The camera of a manifest's model and parameters; None for a model that is not known.

    Raises FormatError where a known model lacks parameters or has impossible ones.
    """
    given = {name: _number(name, value) for name, value in params.items()}
    if "f" in given and "fx" not in given:
        given["fx"] = given["fy"] = given.pop("f")
    model = OTHER_NAMES.get(model, model)
    try:
        head = [given.pop(name) for name in ("fx", "fy", "cx", "cy")]
        if min(head[:2]) <= 0:
            raise FormatError(f"focal lengths are positive, not {head[0]:g}, {head[1]:g}.")
        if model in BROWN:
            return _brown(model, head, given, width, height)
        if model == "radial":
            count = max([int(n[1:]) for n in given if n[:1] == "k" and n[1:].isdigit()], default=0)
            coefs = [given.pop(f"k{i + 1}", 0.0) for i in range(count)]
            return _checked(given, Camera(f"radial:{count}" if count else "pinhole", [*head, *coefs], width, height))
        name = model.removeprefix("simple_")
        try:
            names = parse(name).profile.coefs
        except ModelError:
            return None
        return _checked(given, Camera(name, [*head, *(given.pop(n) for n in names)], width, height))
    except KeyError as error:
        if model in BROWN or model == "radial" or _known(model):
            raise FormatError(f"'{model}' needs the parameter {error}.") from None
        return None


def _brown(model: str, head: list[float], given: dict[str, float], width: int, height: int) -> Truth:
    xi = (given.pop("xi"),) if model == "mei" else ()
    vector = [given.pop(name, 0.0) for name in BROWN[model]]
    plane = "ucm" if model == "mei" else "pinhole"
    return _checked(given, from_opencv(vector, head[:2], head[2:], (width, height), model, plane, xi))


def _checked(rest: dict[str, float], camera: Truth) -> Truth:
    if any(rest.values()):
        raise FormatError(f"unknown parameters {', '.join(rest)}.")
    return camera


def _known(model: str) -> bool:
    try:
        parse(model)
    except ModelError:
        return False
    return True


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise FormatError(f"{name} is a number, not {value!r}.") from None
    if not math.isfinite(number):
        raise FormatError(f"{name} is not finite.")
    return number


# -- what the metrics ask of a camera ----------------------------------------------------------------------------


def centre(camera: Truth) -> tuple[float, float]:
    """Principal point in pixels."""
    if isinstance(camera, Camera):
        p = np.asarray(camera.full)
        return float(p[2]), float(p[3])
    return camera.centre


def paraxial_focals(camera: Truth) -> tuple[float, float]:
    """fx h'(0), fy h'(0): what a focal length means in every model."""
    if isinstance(camera, Camera):
        p = np.asarray(camera.full)
        slope = float(np.asarray(camera.profile.slope0(p[4:])).ravel()[0])
        return float(p[0]) * slope, float(p[1]) * slope
    slope = 1 / (1 + camera.plane_coefs[0]) if camera.plane == "ucm" else 1.0
    return camera.focal[0] * slope, camera.focal[1] * slope


def angle_across(camera: Truth, first: tuple[float, float], second: tuple[float, float]) -> float:
    """Signed polar angles (degrees) of two pixels on a line through the principal point, added; NaN if not valid.

    The first counts positive on the left of or above the principal point, the second on the right or below.
    """
    rays, valid = camera.unproject(np.array([first, second], dtype=float))
    if not np.all(valid):
        return math.nan
    theta = np.degrees(np.arctan2(np.linalg.norm(rays[:, :2], axis=1), rays[:, 2]))
    along = 0 if abs(second[0] - first[0]) >= abs(second[1] - first[1]) else 1
    side = np.sign(np.array([first[along], second[along]]) - centre(camera)[along])
    return float(-side[0] * theta[0] + side[1] * theta[1])


def fields_of_view(camera: Truth) -> tuple[float, float]:
    """hFoV and vFoV in degrees: the borders at 0 and W, 0 and H, through the principal point."""
    if isinstance(camera, Camera):
        return float(camera.hfov_deg), float(camera.vfov_deg)
    cx, cy = centre(camera)
    w, h = float(camera.width), float(camera.height)
    return angle_across(camera, (0.0, cy), (w, cy)), angle_across(camera, (cx, 0.0), (cx, h))
