"""Views to undistort into: a pinhole with a chosen field of view or border, an ideal fisheye, a panorama."""

from __future__ import annotations

import math

import numpy as np

from anylens.camera import Camera
from anylens.errors import ModelError
from anylens.profiles import parse
from anylens.undistortion.panorama import Equirectangular

FISHEYES = ("equidistant", "equisolid", "stereographic", "orthographic")
# Half-angles at which pinhole views of wider lenses are cut off: beyond 120° a picture is stretched past use,
# so a view without empty pixels ends there; one that is to keep everything goes on to 160°.
INNER_LIMIT, OUTER_LIMIT = math.radians(60.0), math.radians(80.0)
TARGETS = ("pinhole", *FISHEYES, "equirectangular")


def make_target(
    camera: Camera,
    to: str = "pinhole",
    *,
    fov_deg: float | None = None,
    balance: float = 0.0,
    alpha: float | None = None,
    size: tuple[int, int] | None = None,
) -> Camera | Equirectangular:
    """The view called `to` of a camera's picture; `size` (width, height) is the camera's own by default.

    `fov_deg`, the horizontal field of view, centres the principal point. A pinhole without it follows
    `balance` or `alpha`, from 0 (no empty pixels, up to 120°) to 1 (every source pixel kept, up to 160°); see
    `pinhole_target`.
    """
    if to == "pinhole":
        return pinhole_target(camera, fov_deg=fov_deg, balance=balance, alpha=alpha, size=size)
    if to in FISHEYES:
        return fisheye_target(camera, to, fov_deg=fov_deg, size=size)
    if to == "equirectangular":
        return panorama_target(camera, fov_deg=fov_deg, size=size)
    raise ModelError(f"Cannot undistort to '{to}'. Known: {', '.join(TARGETS)}, or a camera file.")


def pinhole_target(
    camera: Camera,
    *,
    fov_deg: float | None = None,
    balance: float = 0.0,
    alpha: float | None = None,
    size: tuple[int, int] | None = None,
) -> Camera:
    """A pinhole camera for the undistorted picture.

    The border of the photo becomes a curved frame on the pinhole's plane; the largest upright rectangle
    inside it has no empty pixels, the smallest around it keeps everything. `balance` moves the focal length
    between the two and keeps the camera's centre and aspect (a pinhole camera stays as it is). `alpha` fits
    the rectangle itself, with its own centre and fx, fy, as OpenCV's getOptimalNewCameraMatrix does.
    """
    width, height = size or (int(camera.width), int(camera.height))
    if fov_deg is not None:
        if not 0 < fov_deg < 180:
            raise ModelError(f"A pinhole view sees more than 0° and less than 180°, not {fov_deg:g}°.")
        f = 0.5 * width / math.tan(math.radians(0.5 * fov_deg))
        return _pinhole(f, f, 0.5 * width, 0.5 * height, width, height)
    for name, value in (("balance", balance), ("alpha", alpha)):
        if value is not None and not 0 <= value <= 1:
            raise ModelError(f"{name} lies between 0 (no empty pixels) and 1 (all of the photo), not {value:g}.")
    inner, outer = frame_rectangles(camera)
    if alpha is not None:
        params = [[width / (r - l), height / (b - t), -l * width / (r - l), -t * height / (b - t)]
                  for l, t, r, b in (inner, outer)]  # fmt: skip
        fx, fy, cx, cy = (1 - alpha) * np.array(params[0]) + alpha * np.array(params[1])
        return _pinhole(fx, fy, cx, cy, width, height)
    fx, fy, cx, cy = (float(v) for v in camera.full[:4])
    sx, sy = width / camera.width, height / camera.height
    aspect, cx, cy = fy * sy / (fx * sx), cx * sx, cy * sy
    if not (0 < cx < width and 0 < cy < height):
        raise ModelError("The principal point lies outside the photo: use alpha or fov_deg, not balance.")
    tight, wide = (
        [cx / -l, (width - cx) / r, cy / -t / aspect, (height - cy) / b / aspect] for l, t, r, b in (inner, outer)
    )
    f = (1 - balance) * max(tight) + balance * min(wide)
    return _pinhole(f, f * aspect, cx, cy, width, height)


def fisheye_target(
    camera: Camera, model: str, *, fov_deg: float | None = None, size: tuple[int, int] | None = None
) -> Camera:
    """An ideal fisheye with the camera's horizontal field of view (or `fov_deg`), centred."""
    width, height = size or (int(camera.width), int(camera.height))
    profile = parse(model).profile
    fov = math.radians(float(camera.hfov_deg) if fov_deg is None else fov_deg)
    widest = 2 * float(profile.limits(np.zeros(0))[0][0])
    if fov_deg is not None and not 0 < fov < widest + 1e-9:
        raise ModelError(f"A view in '{model}' sees up to {math.degrees(widest):.0f}°, not {fov_deg:g}°.")
    half = 0.5 * min(fov, 0.999 * widest)
    f = 0.5 * width / float(profile.radius(np.array([half]), np.zeros(0))[0])
    return Camera(f"simple_{model}", np.array([f, 0.5 * width, 0.5 * height]), width, height)


def panorama_target(
    camera: Camera,
    *,
    fov_deg: float | None = None,
    size: tuple[int, int] | None = None,
    rotation: np.ndarray | None = None,
) -> Equirectangular:
    """A panorama that covers the photo with its angular resolution at the centre, or the sphere for 360°."""
    if fov_deg is None:
        around, up = _reach(camera, np.eye(3) if rotation is None else rotation)
        hfov = float(camera.hfov_deg)
        if float(camera.dfov_deg) > 180:
            hfov = min(360.0, float(camera.dfov_deg))
        elif rotation is not None:
            hfov = min(360.0, around)
        vfov = min(180.0, up)
    else:
        hfov, vfov = fov_deg, min(180.0, fov_deg if fov_deg < 180 else 180.0)
    if size is None:
        fx = float(camera.full[0]) * float(parse(camera.model).profile.slope0(camera.coefs)[0])
        size = max(1, round(fx * math.radians(hfov))), max(1, round(fx * math.radians(vfov)))
    return Equirectangular(size[0], size[1], hfov, vfov)


def frame_rectangles(camera: Camera, points: int = 200) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Largest rectangle inside, smallest around the photo's border on Z = 1: left top right bottom."""
    left, top, right, bottom = _border(camera, points, INNER_LIMIT)
    inner = left[:, 0].max(), top[:, 1].max(), right[:, 0].min(), bottom[:, 1].min()
    everything = np.concatenate(_border(camera, points, OUTER_LIMIT))
    outer = (*everything.min(axis=0), *everything.max(axis=0))
    if not (inner[0] < inner[2] and inner[1] < inner[3]):
        raise ModelError("The photo's border folds over: no pinhole view without empty pixels. Use fov_deg.")
    return tuple(map(float, inner)), tuple(map(float, outer))


def _border(camera: Camera, points: int, limit: float) -> list[np.ndarray]:
    """The photo's left, top, right, bottom border on Z = 1, (points, 2), no farther out than `limit`."""
    rays = border_rays(camera, points)
    R = np.hypot(rays[:, 0], rays[:, 1])
    theta = np.minimum(np.arctan2(R, rays[:, 2]), limit)
    plane = rays[:, :2] * (np.tan(theta) / np.where(R > 0, R, 1.0))[:, None]
    return np.split(plane, 4)


def border_rays(camera: Camera, points: int = 200) -> np.ndarray:
    """Rays (4 points, 3) of the photo's left, top, right and bottom border."""
    w, h, t = float(camera.width), float(camera.height), np.linspace(0.0, 1.0, points)
    zero, one = np.zeros(points), np.ones(points)
    x, y = np.concatenate([zero, t, one, t]), np.concatenate([t, zero, t, one])
    return camera.unproject(np.stack([w * x, h * y], axis=-1))[0]


def _reach(camera: Camera, rotation: np.ndarray, points: int = 100) -> tuple[float, float]:
    """Twice the largest longitude and latitude on the photo, in degrees, as a view turned by `rotation` has them."""
    x, y = np.meshgrid(np.linspace(0, camera.width, points), np.linspace(0, camera.height, points))
    rays, valid = camera.unproject(np.stack([x.ravel(), y.ravel()], axis=-1))
    X, Y, Z = (rays[valid] @ rotation).T
    around, up = np.abs(np.arctan2(X, Z)).max(), np.arcsin(np.clip(np.abs(Y).max(), 0, 1))
    return float(np.degrees(2 * around)), float(np.degrees(2 * up))


def _pinhole(fx: float, fy: float, cx: float, cy: float, width: int, height: int) -> Camera:
    return Camera("pinhole", np.array([fx, fy, cx, cy], dtype=np.float64), width, height)
