"""A camera: model, parameters and image size; pixels to rays and back.

Pixel coordinates have their origin at the top-left corner of the top-left pixel, whose centre is (0.5, 0.5).
Camera frame: x right, y down, z forward.
"""

from __future__ import annotations

import json
import math
from typing import Any

from anylens.arrays import Array, as_float64, as_numpy, like, namespace, safe_norm
from anylens.errors import ModelError
from anylens.jacobians import project_jacobian, unproject_jacobian
from anylens.profiles import parse
from anylens.profiles.base import INSIDE, Profile


class Camera:
    """`Camera("kb:4", [fx, fy, cx, cy, k1, k2, k3, k4], width, height)`.

    `params` may carry leading batch axes (..., P): one model and image size, many cameras. Arrays keep their
    library, device and dtype. Cameras are values: every method returns a new one.
    """

    __slots__ = ("_model", "height", "params", "width")

    def __init__(self, model: str, params: Any, width: int, height: int):
        self._model = parse(model)
        xp = namespace(params)
        params = params if hasattr(params, "dtype") else as_float64(params, xp)
        if not xp.isdtype(params.dtype, "real floating"):
            params = as_float64(params, xp)
        names = self._model.param_names
        if params.ndim < 1 or params.shape[-1] != len(names):
            raise ModelError(f"'{model}' takes {len(names)} parameters ({' '.join(names)}), not {tuple(params.shape)}.")
        if not (width > 0 and height > 0 and math.isfinite(width) and math.isfinite(height)):
            raise ModelError(f"An image size must be positive, not {width}x{height}.")
        self.params, self.width, self.height = params, width, height

    # -- what it is ----------------------------------------------------------------------------------------

    @property
    def model(self) -> str:
        return self._model.id

    @property
    def profile(self) -> Profile:
        """The radial profile r = h(ϑ; k) behind the model."""
        return self._model.profile

    @property
    def simple(self) -> bool:
        """Whether fx and fy are one parameter."""
        return self._model.simple

    @property
    def full(self) -> Array:
        """Parameters (..., 4 + K) as fx fy cx cy and coefficients in float64, also for `simple_` models."""
        p = as_float64(self.params)
        return namespace(p).concat([p[..., :1], p], axis=-1) if self._model.simple else p

    @property
    def coefs(self) -> Array:
        return self.full[..., 4:]

    @property
    def K(self) -> Array:
        """Pinhole matrix (..., 3, 3)."""
        p, xp = self.full, namespace(self.params)
        fx, fy, cx, cy = (p[..., i] for i in range(4))
        zero, one = xp.zeros_like(fx), xp.ones_like(fx)
        rows = [[fx, zero, cx], [zero, fy, cy], [zero, zero, one]]
        return like(xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2), self.params)

    def named(self) -> dict[str, Any]:
        """Parameter values by name: floats, or arrays for a batch."""
        values = (self.params[..., i] for i in range(self.params.shape[-1]))
        return {n: float(v) if v.ndim == 0 else v for n, v in zip(self._model.param_names, values)}

    def __repr__(self) -> str:
        size = f"{self.width}x{self.height}"
        if self.params.ndim > 1:
            return f"Camera({self.model!r}, batch {tuple(self.params.shape[:-1])}, {size})"
        values = " ".join(f"{n}={v:.6g}" for n, v in self.named().items())
        return f"Camera({self.model!r}, {values}, {size}, hfov {float(self.hfov_deg):.2f}°)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Camera):
            return NotImplemented
        same = (self.model, self.width, self.height) == (other.model, other.width, other.height)
        return same and as_numpy(self.params).tolist() == as_numpy(other.params).tolist()

    __hash__ = None  # type: ignore[assignment]

    # -- pixels and rays -------------------------------------------------------------------------------------

    def project(self, points: Any) -> tuple[Array, Array]:
        """Pixels (..., N, 2) of points (..., N, 3) in front of or behind the camera, and which are valid.

        A point is valid where the model is monotone at its angle; the pixels of the others are finite but mean
        nothing. A point at the camera centre is not valid. A single point may be given as (3,).
        """
        xp, p, given = self._prepare(points, 3)
        k, profile = p[..., 4:], self._model.profile
        X, Y, Z = given[..., 0], given[..., 1], given[..., 2]
        R = safe_norm(X, Y, xp)
        theta = xp.atan2(R, Z)
        top, _ = profile.limits(k)
        valid = (theta < top) & ((R > 0) | (Z != 0)) & xp.isfinite(theta)
        r = profile.radius(xp.minimum(theta, INSIDE * top), k)
        axis = R == 0
        scale = r / xp.where(axis, 1.0, R)
        pixels = xp.stack([p[..., 0:1] * scale * X + p[..., 2:3], p[..., 1:2] * scale * Y + p[..., 3:4]], axis=-1)
        return self._answer(pixels, valid, points)

    def unproject(self, pixels: Any) -> tuple[Array, Array]:
        """Unit rays (..., N, 3) of pixels (..., N, 2), and which lie inside the model's domain."""
        xp, p, given = self._prepare(pixels, 2)
        x = (given[..., 0] - p[..., 2:3]) / p[..., 0:1]
        y = (given[..., 1] - p[..., 3:4]) / p[..., 1:2]
        r = safe_norm(x, y, xp)
        theta, valid = self._angle(r, p[..., 4:], xp)
        axis = r == 0
        scale = xp.where(axis, 1.0, xp.sin(theta) / xp.where(axis, 1.0, r))
        rays = xp.stack([scale * x, scale * y, xp.cos(theta)], axis=-1)
        return self._answer(rays, valid, pixels)

    def project_jacobian(self, points: Any) -> tuple[Array, Array]:
        """d pixel / d point (..., N, 2, 3) and d pixel / d params (..., N, 2, P)."""
        return project_jacobian(self, points)

    def unproject_jacobian(self, pixels: Any) -> tuple[Array, Array]:
        """d ray / d pixel (..., N, 3, 2) and d ray / d params (..., N, 3, P)."""
        return unproject_jacobian(self, pixels)

    def _angle(self, r: Array, k: Array, xp: Any) -> tuple[Array, Array]:
        profile = self._model.profile
        theta_max, top = profile.limits(k)
        return profile.angle(xp.minimum(r, INSIDE * top), k, top=theta_max), r < top

    def _prepare(self, given: Any, size: int) -> tuple[Any, Array, Array]:
        xp = namespace(self.params, given)
        given = as_float64(given, xp, getattr(self.params, "device", None))
        if given.ndim < 1 or given.shape[-1] != size:
            raise ModelError(f"Expected an array of shape (..., N, {size}), not {tuple(given.shape)}.")
        if given.ndim == 1:
            given = given[None, :]
        return xp, self.full, given

    def _answer(self, out: Array, valid: Array, given: Any) -> tuple[Array, Array]:
        if getattr(given, "ndim", None) == 1 or (not hasattr(given, "ndim") and not hasattr(given[0], "__len__")):
            out, valid = out[..., 0, :], valid[..., 0]
        return (like(out, given) if hasattr(given, "dtype") else out), valid

    # -- field of view -----------------------------------------------------------------------------------------

    @property
    def hfov_deg(self) -> Array:
        """Angle between the rays at the left and right border through the principal point, up to 360°."""
        return self._across((0.0, None), (float(self.width), None))

    @property
    def vfov_deg(self) -> Array:
        """Angle between the rays at the top and bottom border through the principal point."""
        return self._across((None, 0.0), (None, float(self.height)))

    @property
    def dfov_deg(self) -> Array:
        """Sum of the polar angles at two opposite corners; the larger of the two diagonals."""
        w, h = float(self.width), float(self.height)
        xp = namespace(self.params)
        return xp.maximum(self._across((0.0, 0.0), (w, h)), self._across((w, 0.0), (0.0, h)))

    def _across(self, first: tuple, second: tuple) -> Array:
        """Signed polar angles of two border points, added: they are on opposite sides unless a crop cut c off."""
        p, xp = self.full, namespace(self.params)
        total: Any = 0.0
        for sign, point in ((-1, first), (1, second)):
            offsets = [xp.zeros_like(p[..., 0]) if at is None else (at - p[..., 2 + i]) / p[..., i]
                       for i, at in enumerate(point)]  # fmt: skip
            r = safe_norm(offsets[0], offsets[1], xp)
            theta, _ = self._angle(r[..., None], p[..., 4:], xp)
            across = offsets[0] if point[0] is not None else offsets[1]
            along = 1.0 if None not in point else xp.sign(across) * sign
            total = total + along * theta[..., 0]
        degrees = total * (180 / math.pi)
        return like(degrees, self.params) if degrees.ndim else float(degrees) if _plain(degrees) else degrees

    # -- other images of the same camera -------------------------------------------------------------------------

    def resize(self, width: int, height: int) -> Camera:
        """The camera of the image resized to width x height (a `simple_` model may need two focal lengths then)."""
        sx, sy = width / self.width, height / self.height
        simple = self._model.simple and math.isclose(sx, sy, rel_tol=1e-12)
        return self._with(sx, sy, 0.0, 0.0, width, height, simple)

    def crop(self, x: float, y: float, width: int, height: int) -> Camera:
        """The camera of the part that starts at pixel corner (x, y); it may reach beyond the image."""
        return self._with(1.0, 1.0, x, y, width, height, self._model.simple)

    def stretch(self, x: float, y: float) -> Camera:
        """The camera of the image stretched by the factors x and y, to the nearest whole pixel."""
        return self.resize(max(1, round(self.width * x)), max(1, round(self.height * y)))

    def _with(self, sx, sy, x, y, width, height, simple) -> Camera:
        p, xp = self.full, namespace(self.params)
        head = [p[..., 0:1] * sx, p[..., 1:2] * sy][int(simple) :]
        params = xp.concat([*head, (p[..., 2:3] - x) * sx, (p[..., 3:4] - y) * sy, p[..., 4:]], axis=-1)
        name = self.model if simple or not self._model.simple else self.model.removeprefix("simple_")
        return Camera(name, like(params, self.params), width, height)

    def convert(self, model: str, grid: int = 64) -> tuple[Camera, float]:
        """The camera refitted in another model over the image, and the largest pixel error that leaves.

        Rays of a grid of pixels (borders included) are fitted; an invalid pixel is left out on both sides.
        """
        from anylens.fitting.conversion import convert

        return convert(self, model, grid)

    # -- files ---------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain data: model, width, height, params by name (lists for a batch)."""
        params = {n: as_numpy(v).tolist() for n, v in self.named().items()}
        return {"model": self.model, "width": int(self.width), "height": int(self.height), "params": params}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Camera:
        try:
            model, width, height, given = (data[key] for key in ("model", "width", "height", "params"))
        except (KeyError, TypeError) as error:
            raise ModelError(f"A camera needs model, width, height and params; missing {error}.") from None
        names = parse(model).param_names
        if isinstance(given, dict):
            if set(given) != set(names):
                raise ModelError(f"'{model}' has the parameters {' '.join(names)}, not {' '.join(given)}.")
            given = [given[n] for n in names]
            xp = namespace()
            return cls(model, xp.stack([as_float64(v, xp) for v in given], axis=-1), width, height)
        return cls(model, given, width, height)

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Camera:
        try:
            return cls.from_dict(json.loads(text))
        except json.JSONDecodeError as error:
            raise ModelError(f"Not a camera in JSON: {error}.") from None


def _plain(x: Array) -> bool:
    """A NumPy scalar, which reads better as a float; a torch scalar keeps its gradient."""
    return type(x).__module__ == "numpy"
