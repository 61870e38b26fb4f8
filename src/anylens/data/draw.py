"""Drawing one camera and its pose from a recipe."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from anylens.camera import Camera
from anylens.data.recipes import Lens, Recipe, Setting
from anylens.data.rotation import rotation_from_angles
from anylens.profiles import parse

DIAGONAL_35 = 43.2666  # mm of a 36 x 24 mm frame
INSIDE = 0.9995  # the image ends this far inside a model's fold


@dataclass(frozen=True)
class Drawn:
    """A camera, its pose, the values as drawn, whether a guard had to lengthen the focal length, and whether the
    picture is cropped, stretched or shifted."""

    camera: Camera
    rotation: np.ndarray
    values: dict[str, float] = field(default_factory=dict)
    clamped: bool = False
    edited: bool = False


def draw_view(recipe: Recipe, rng: np.random.Generator, width: int, height: int, yaw_deg: float | None = None) -> Drawn:
    """A camera of width x height pixels held as the recipe says; yaw uniform unless given."""
    setting = _choose(recipe.settings, [s.weight for s in recipe.settings], rng)
    yaw = float(rng.uniform(-180, 180)) if yaw_deg is None else yaw_deg
    pitch, roll = setting.pitch_deg.draw(rng), setting.roll_deg.draw(rng)
    camera, values, clamped = draw_camera(setting, rng, width, height)
    values |= {"yaw_deg": yaw, "pitch_deg": pitch, "roll_deg": roll}
    return Drawn(camera, rotation_from_angles(yaw, pitch, roll), values, clamped, setting.edited)


def draw_camera(
    setting: Setting, rng: np.random.Generator, width: int, height: int
) -> tuple[Camera, dict[str, float], bool]:
    """The camera of one view. With stretch and crop it is that of the edited picture, width x height
    afterwards.
    """
    lens = _choose(setting.lenses, [lens.share for lens in setting.lenses], rng)
    keep = [1.0 if setting.keep is None else setting.keep.draw(rng) for _ in range(2)]
    offset = [0.5 if setting.keep is None else float(rng.random()) for _ in range(2)]
    aspect = 1.0 if setting.stretch is None else setting.stretch.draw(rng)
    shift = [setting.shift.draw(rng) for _ in range(2)]
    # The picture before editing: not cropped, pixels square. Its scale does not matter, only its shape.
    sx, sy = 1 / math.sqrt(aspect), math.sqrt(aspect)
    whole_w, whole_h = width / keep[0], height / keep[1]
    values, focal, coefs = draw_lens(lens, rng, whole_w / sx, whole_h / sy)
    cx = whole_w * (0.5 + shift[0]) - offset[0] * (whole_w - width)
    cy = whole_h * (0.5 + shift[1]) - offset[1] * (whole_h - height)
    corner = math.hypot(max(cx, width - cx) / sx, max(cy, height - cy) / sy)
    least = corner / (INSIDE * float(np.asarray(parse(lens.model).profile.limits(np.array(coefs))[1])[0]))
    clamped = focal < least
    focal = max(focal, least)
    simple = parse(lens.model).simple and aspect == 1
    head = [focal] if simple else [focal * sx, focal * sy]
    model = lens.model if simple else lens.model.removeprefix("simple_")
    values |= {"aspect": aspect, "keep_x": keep[0], "keep_y": keep[1]}
    return Camera(model, np.array([*head, cx, cy, *coefs]), width, height), values, clamped


def draw_lens(
    lens: Lens, rng: np.random.Generator, width: float, height: float
) -> tuple[dict[str, float], float, list[float]]:
    """Values as drawn, the focal length in pixels and the coefficients, for a picture of width x height.

    f = (S/2) / h(FoV/2), S the longer side; for radial with k = k̂ f / S and t = tan(FoV/2):
    f = S / (t (1 + √(1 + 2 k̂ t))).
    """
    S, profile = max(width, height), parse(lens.model).profile
    if lens.fixed:
        fov, *coefs = lens.fixed[int(rng.integers(len(lens.fixed)))]
        return {"fov_deg": fov}, S / 2 / radius_at(profile, fov, coefs), coefs
    values = {name: distribution.draw(rng) for name, distribution in lens.coefs.items()}
    k_hat = values.get("k1_hat")
    if lens.f35 is not None:
        values["f35"] = lens.f35.draw(rng)
        focal = values["f35"] / DIAGONAL_35 * math.hypot(width, height)
    else:
        assert lens.fov_deg is not None
        values["fov_deg"] = fov = lens.fov_deg.draw(rng)
        if k_hat is not None:
            t = math.tan(math.radians(fov) / 2)
            focal = S / (t * (1 + math.sqrt(max(1 + 2 * k_hat * t, 0.0))))
        else:
            focal = S / 2 / radius_at(profile, fov, [values[name] for name in profile.coefs])
    if k_hat is not None:
        values["k1"] = k_hat * focal / S
    return values, focal, [values.get(name, 0.0) for name in profile.coefs]


def radius_at(profile, fov_deg: float, coefs: list[float]) -> float:
    k = np.array(coefs, dtype=np.float64)
    theta = min(math.radians(fov_deg) / 2, float(np.asarray(profile.limits(k)[0])[0]) * (1 - 1e-9))
    return float(np.asarray(profile.radius(np.array([theta]), k))[0])


def _choose(items: tuple, weights: list[float], rng: np.random.Generator):
    if len(items) == 1:
        return items[0]
    share = np.cumsum(weights)
    return items[min(int(np.searchsorted(share, rng.random() * share[-1], side="right")), len(items) - 1)]
