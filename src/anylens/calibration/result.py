"""The result of a calibration, and its JSON."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.calibration.fov import Angle
from anylens.calibration.observation import Observation
from anylens.camera import Camera
from anylens.evidence import Evidence, focal_35mm, log_focal, median
from anylens.field import rays_to_field


@dataclass(frozen=True, eq=False)
class Result:
    """The camera of a photo, how sure it is, and why.

    angles: hfov_deg, vfov_deg, dfov_deg with deviations and 68 % intervals. evidence: what each source says about
    the focal length. rms_deg: angle between the network's field and the free fit. held: what was not estimated.
    warnings: in plain words. ms: milliseconds by stage. seen: the network's field and the rest of what was seen.
    edges: what straight edges say, or None. outlier: whether the photo disagrees with the others of its camera; None
    where it stands alone. deviations: standard deviation of each camera parameter by name.
    """

    file: str
    camera: Camera
    angles: dict[str, Angle]
    evidence: Evidence
    rms_deg: float
    held: tuple[str, ...]
    warnings: tuple[str, ...]
    ms: dict[str, float]
    seen: Observation = dataclasses.field(repr=False)
    edges: Any = dataclasses.field(default=None, repr=False)
    outlier: bool | None = None
    deviations: dict[str, float] = dataclasses.field(default_factory=dict)

    # -- how wide ------------------------------------------------------------------------------------------------

    @property
    def hfov_deg(self) -> float:
        return self.angles["hfov_deg"].value

    @property
    def vfov_deg(self) -> float:
        return self.angles["vfov_deg"].value

    @property
    def dfov_deg(self) -> float:
        return self.angles["dfov_deg"].value

    @property
    def hfov_std_deg(self) -> float:
        return self.angles["hfov_deg"].std

    @property
    def vfov_std_deg(self) -> float:
        return self.angles["vfov_deg"].std

    @property
    def dfov_std_deg(self) -> float:
        return self.angles["dfov_deg"].std

    @property
    def hfov_interval_deg(self) -> tuple[float, float]:
        """68 % interval."""
        return self.angles["hfov_deg"].low, self.angles["hfov_deg"].high

    @property
    def vfov_interval_deg(self) -> tuple[float, float]:
        return self.angles["vfov_deg"].low, self.angles["vfov_deg"].high

    @property
    def dfov_interval_deg(self) -> tuple[float, float]:
        return self.angles["dfov_deg"].low, self.angles["dfov_deg"].high

    @property
    def focal_px(self) -> float:
        """Paraxial focal length in pixels, the geometric mean of both axes."""
        return math.exp(log_focal(self.camera)) * math.hypot(self.camera.width, self.camera.height) / 2

    @property
    def focal_35mm(self) -> float:
        """35 mm equivalent by the diagonal, 43.27 mm."""
        return focal_35mm(log_focal(self.camera))

    @property
    def decided_by(self) -> str:
        """The source that told most: network, prior, exif, known, edges or photos (the others of its camera)."""
        return self.evidence.decided_by

    @property
    def sources_35mm(self) -> dict[str, float]:
        """What each source says by itself: the median of its 35 mm equivalent."""
        return {name: focal_35mm(median(term)) for name, term in self.evidence.terms.items()}

    @property
    def gravity(self) -> Any:
        """Roll, pitch and the direction straight down, where edges show it; None otherwise."""
        return getattr(self.edges, "gravity", None)

    # -- every pixel ---------------------------------------------------------------------------------------------

    def rays(self, step: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """Unit rays (h, w, 3) of the camera over the whole photo, and which are valid (h, w); every `step` pixels."""
        x = np.arange(step / 2, self.camera.width, step)
        y = np.arange(step / 2, self.camera.height, step)
        pixels = np.stack(np.meshgrid(x, y), axis=-1)
        rays, valid = self.camera.unproject(pixels.reshape(-1, 2))
        return np.asarray(rays).reshape(*pixels.shape[:2], 3), np.asarray(valid).reshape(pixels.shape[:2])

    def field(self, step: float = 1.0) -> np.ndarray:
        """FoV field (h, w, 2) in radians of the camera over the whole photo; the network's own is in `seen`."""
        return np.asarray(rays_to_field(self.rays(step)[0]))

    # -- out -----------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain data, one line of `anylens calibrate --json`."""
        a = self.angles
        row: dict[str, Any] = {"file": self.file, "ok": True, "camera": self.camera.to_dict()}
        for name in ("hfov", "vfov", "dfov"):
            row[f"{name}_deg"] = _short(a[f"{name}_deg"].value)
        for name in ("hfov", "vfov", "dfov"):
            row[f"{name}_std_deg"] = _short(a[f"{name}_deg"].std)
        row["hfov_interval_deg"] = [_short(v) for v in self.hfov_interval_deg]
        row["vfov_interval_deg"] = [_short(v) for v in self.vfov_interval_deg]
        row["focal_px"] = _short(self.focal_px, 8)
        row["focal_35mm"] = _short(self.focal_35mm)
        row["decided_by"] = self.decided_by
        row["sources_35mm"] = {name: _short(v, 4) for name, v in self.sources_35mm.items()}
        row["rms_deg"] = _short(self.rms_deg)
        row["held"] = list(self.held)
        row |= _held_upright(self.gravity)
        if self.outlier is not None:
            row["outlier"] = self.outlier
        row["warnings"] = list(self.warnings)
        row["ms"] = self.ms
        return row

    def plot(self, image: Any, path: Any) -> None:
        """Write one PNG that explains the result; needs matplotlib (anylens[plot])."""
        from anylens.plotting import write_plot

        write_plot(self, image, path)

    def __str__(self) -> str:
        low, high = self.hfov_interval_deg
        return (
            f"{self.file}: {self.camera.model}, hfov {self.hfov_deg:.1f}° ({low:.1f} to {high:.1f}), "
            f"f {self.focal_px:.1f} px, {self.focal_35mm:.1f} mm (35 mm equivalent), by {self.decided_by}"
        )


def _held_upright(gravity: Any) -> dict[str, Any]:
    if gravity is None:
        return {"gravity": None, "roll_deg": None, "pitch_deg": None}
    return {
        "gravity": [_short(v) for v in gravity.down],
        "roll_deg": _short(gravity.roll_deg),
        "pitch_deg": _short(gravity.pitch_deg),
        "roll_std_deg": _short(gravity.roll_std_deg, 3),
        "pitch_std_deg": _short(gravity.pitch_std_deg, 3),
    }


def _short(value: float, digits: int = 6) -> float:
    return float(f"{float(value):.{digits}g}")
