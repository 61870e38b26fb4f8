"""The equirectangular picture: longitude across, latitude down."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.errors import ModelError


@dataclass(frozen=True)
class Equirectangular:
    """lon = (u/W - ½) hfov,  lat = (v/H - ½) vfov,  ray = (sin lon cos lat, sin lat, cos lon cos lat).

    Pixel and axis conventions are those of Camera (y down, so latitude grows downwards).
    """

    width: int
    height: int
    hfov_deg: float = 360.0
    vfov_deg: float = 180.0

    def __post_init__(self) -> None:
        if not (0 < self.hfov_deg <= 360 and 0 < self.vfov_deg <= 180 and self.width > 0 and self.height > 0):
            raise ModelError("An equirectangular picture spans up to 360° x 180° and has a positive size.")

    def unproject(self, pixels: Any) -> tuple[np.ndarray, np.ndarray]:
        """Unit rays (..., N, 3) of pixels (..., N, 2), and which lie on the picture."""
        p = np.asarray(pixels, dtype=np.float64)
        lon = (p[..., 0] / self.width - 0.5) * math.radians(self.hfov_deg)
        lat = (p[..., 1] / self.height - 0.5) * math.radians(self.vfov_deg)
        rays = np.stack([np.sin(lon) * np.cos(lat), np.sin(lat), np.cos(lon) * np.cos(lat)], axis=-1)
        return rays, (np.abs(lat) <= math.pi / 2) & (np.abs(lon) <= math.pi)

    def project(self, points: Any) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (..., N, 2) of points (..., N, 3), and which the picture shows."""
        X, Y, Z = np.moveaxis(np.asarray(points, dtype=np.float64), -1, 0)
        lon, lat = np.arctan2(X, Z), np.arctan2(Y, np.hypot(X, Z))
        u = (lon / math.radians(self.hfov_deg) + 0.5) * self.width
        v = (lat / math.radians(self.vfov_deg) + 0.5) * self.height
        pixels = np.stack([u, v], axis=-1)
        edge = 1e-9 * max(self.width, self.height)
        inside = (u >= -edge) & (u <= self.width + edge) & (v >= -edge) & (v <= self.height + edge)
        return pixels, inside & ((X != 0) | (Y != 0) | (Z != 0))

    def to_dict(self) -> dict[str, Any]:
        return {"model": "equirectangular", "width": self.width, "height": self.height,
                "params": {"hfov_deg": self.hfov_deg, "vfov_deg": self.vfov_deg}}  # fmt: skip
