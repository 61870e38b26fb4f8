"""Cameras of other programs with more than our radial models hold: tangential, rational, thin prism, skew.

    ray → plane point (x, y) of a plain projection (pinhole, equidistant, equisolid, ucm)
        → x' = x ρ + 2 p1 x y + p2 (r² + 2x²) + s1 r² + s2 r⁴,  ρ = (1 + Σ k_n r^{2n}) / (1 + Σ b_n r^{2n})
          y' = y ρ + p1 (r² + 2y²) + 2 p2 x y + s3 r² + s4 r⁴   (OpenCV's names and signs)
        → u = fx x' + skew y' + cx,  v = fy y' + cy

They are never cut down silently: `plain` gives the same camera in our terms where nothing is lost, `refit` a
fit to the exact rays with its largest pixel error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from anylens.camera import Camera
from anylens.errors import FormatError

NEAREST = {"pinhole": "radial:3", "equidistant": "kb:4", "equisolid": "kb:4", "ucm": "eucm"}
RADIAL_FAMILY = {"pinhole": "radial", "equidistant": "kb"}
STEPS, SOLVED = 40, 1e-10


@dataclass(frozen=True)
class ForeignCamera:
    """A camera in another program's full model; `title` is what that program calls it."""

    title: str
    focal: tuple[float, float]
    centre: tuple[float, float]
    width: int
    height: int
    plane: str = "pinhole"
    plane_coefs: tuple[float, ...] = ()
    radial: tuple[float, ...] = ()
    below: tuple[float, ...] = ()
    tangential: tuple[float, float] = (0.0, 0.0)
    prism: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    skew: float = 0.0

    def moved(self, shift: float) -> ForeignCamera:
        """The same camera with its pixel origin moved: centre + shift."""
        return replace(self, centre=(self.centre[0] + shift, self.centre[1] + shift))

    def plain(self, order: int = 0) -> Camera | None:
        """The camera in our terms if only radial terms are set, with at least `order` coefficients."""
        family = RADIAL_FAMILY.get(self.plane)
        k = _trimmed(self.radial, order)
        rest = (*self.below, *self.tangential, *self.prism, self.skew)
        if any(rest) or (family is None and any(k)) or len(k) > 4:
            return None
        model = f"{family}:{len(k)}" if k and family else self.plane
        coefs = k if family else self.plane_coefs
        return Camera(model, np.array([*self.focal, *self.centre, *coefs], dtype=float), self.width, self.height)

    def lost_terms(self) -> str:
        """What our models cannot hold, in words for a message."""
        words = [("tangential terms p1, p2", self.tangential), ("rational terms", self.below),
                 ("thin prism terms", self.prism), ("skew", (self.skew,))]  # fmt: skip
        found = [text for text, values in words if any(values)]
        return ", ".join(found) or "radial terms on a projection that has none here"

    def refit(self, model: str | None = None, grid: int = 64) -> tuple[Camera, float]:
        """The camera fitted in `model` to exact rays over the image, and the largest pixel error."""
        from anylens.fitting.single import fit

        u, v = np.meshgrid(np.linspace(0, self.width, grid), np.linspace(0, self.height, grid))
        pixels = np.stack([u.ravel(), v.ravel()], axis=-1)
        rays, valid = self.unproject(pixels)
        if valid.sum() < 50:
            raise FormatError(f"The {self.title} camera has no invertible distortion over its image.")
        pixels, rays = pixels[valid], rays[valid]
        camera = fit(pixels, rays, model or NEAREST[self.plane], width=self.width, height=self.height).camera
        again, inside = camera.project(rays)
        error = np.where(inside, np.linalg.norm(again - pixels, axis=-1), np.inf)
        return camera, float(np.max(error))

    def project(self, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (N, 2) of rays (N, 3), and which lie inside the plain projection's domain."""
        plane, valid = self._plain_projection().project(rays)
        x, y = self._distort(plane[..., 0], plane[..., 1])
        return self._affine(x, y), valid

    def unproject(self, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Unit rays (N, 3) of pixels (N, 2), and where the distortion could be inverted."""
        yd = (pixels[..., 1] - self.centre[1]) / self.focal[1]
        xd = (pixels[..., 0] - self.centre[0] - self.skew * yd) / self.focal[0]
        x, y, solved = self._undistort(xd, yd)
        rays, valid = self._plain_projection().unproject(np.stack([x, y], axis=-1))
        return rays, valid & solved

    def _plain_projection(self) -> Camera:
        return Camera(self.plane, np.array([1.0, 1.0, 0.0, 0.0, *self.plane_coefs]), 1, 1)

    def _affine(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        (fx, fy), (cx, cy) = self.focal, self.centre
        return np.stack([fx * x + self.skew * y + cx, fy * y + cy], axis=-1)

    def _distort(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r2 = x * x + y * y
        rho = _series(self.radial, r2) / _series(self.below, r2)
        (p1, p2), (s1, s2, s3, s4) = self.tangential, self.prism
        u = x * rho + 2 * p1 * x * y + p2 * (r2 + 2 * x * x) + s1 * r2 + s2 * r2 * r2
        v = y * rho + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y + s3 * r2 + s4 * r2 * r2
        return u, v

    def _undistort(self, xd: np.ndarray, yd: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Newton along the way from the centre, in steps, so that a fold is not jumped over."""
        x, y, h = np.zeros_like(xd), np.zeros_like(yd), 1e-6
        with np.errstate(all="ignore"):
            for step in range(STEPS):
                share = min(1.0, (step + 1) / (STEPS // 2))
                u, v = self._distort(x, y)
                (ux1, vx1), (ux0, vx0) = self._distort(x + h, y), self._distort(x - h, y)
                (uy1, vy1), (uy0, vy0) = self._distort(x, y + h), self._distort(x, y - h)
                a, b, c, d = ((p - q) / (2 * h) for p, q in ((ux1, ux0), (uy1, uy0), (vx1, vx0), (vy1, vy0)))
                det = a * d - b * c
                eu, ev = share * xd - u, share * yd - v
                x, y = x + (d * eu - b * ev) / det, y + (a * ev - c * eu) / det
            u, v = self._distort(x, y)
            solved = (np.hypot(u - xd, v - yd) < SOLVED * (1 + np.hypot(xd, yd))) & (det > 0)
        return np.where(solved, x, 0.0), np.where(solved, y, 0.0), solved


def _series(k: tuple[float, ...], r2: np.ndarray) -> np.ndarray:
    out = np.zeros_like(r2)
    for value in reversed(k):
        out = (out + value) * r2
    return 1 + out


def _trimmed(k: tuple[float, ...], least: int) -> tuple[float, ...]:
    """Coefficients without zeros at the end, but `least` of them."""
    size = max([least, *(i + 1 for i, value in enumerate(k) if value)])
    return (*k, *([0.0] * (size - len(k))))[:size]
