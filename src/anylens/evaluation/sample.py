"""What is compared: a photograph with its true camera, and a method's estimate of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anylens.camera import Camera
from anylens.formats.foreign import ForeignCamera

Truth = Camera | ForeignCamera


@dataclass(frozen=True)
class Sample:
    """A photograph of a data set.

    file: its name in results. source: a path, or an object whose `load()` gives bytes or an array (a member of a tar,
    an edited photo). truth: the camera, or None where only the angles are known; `note` then says why. hfov_deg and
    vfov_deg are NaN where unknown.
    """

    file: str
    source: Any
    width: int
    height: int
    truth: Truth | None
    hfov_deg: float = math.nan
    vfov_deg: float = math.nan
    group: str = "all"
    camera: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    split: str = ""

    def picture(self) -> Any:
        """What `anylens.calibrate` reads: a path, bytes, or an array."""
        return self.source.load() if hasattr(self.source, "load") else self.source


@dataclass(frozen=True)
class Problem:
    """A row of a data set that cannot be used, with the reason: counted and named, never dropped."""

    file: str
    reason: str


@dataclass(frozen=True)
class DataSet:
    """Samples and the rows that are none. `name` is shown in tables."""

    name: str
    samples: tuple[Sample, ...]
    problems: tuple[Problem, ...] = ()
    folder: Path | None = None


@dataclass(frozen=True)
class Estimate:
    """A method's answer for one photo: a camera, or only angles, or an error, which counts as an infinite one.

    interval: stated 68 % interval of hFoV in degrees; its width ranks the method's own doubt. warnings: in the
    method's words.
    """

    file: str
    camera: Camera | None = None
    hfov_deg: float = math.nan
    vfov_deg: float = math.nan
    interval: tuple[float, float] | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()
    ms: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, file: str, camera: Camera, **more: Any) -> Estimate:
        return cls(file, camera, float(camera.hfov_deg), float(camera.vfov_deg), **more)

    @classmethod
    def failure(cls, file: str, error: Any) -> Estimate:
        return cls(file, error=str(error) or "failed")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, readable again as a prediction; NaN becomes None."""
        row: dict[str, Any] = {"file": self.file, "ok": not self.error}
        if self.error:
            return {**row, "error": self.error}
        row["camera"] = None if self.camera is None else self.camera.to_dict()
        row["hfov_deg"], row["vfov_deg"] = _finite(self.hfov_deg), _finite(self.vfov_deg)
        if self.interval is not None:
            row["hfov_interval_deg"] = list(self.interval)
        row["warnings"] = list(self.warnings)
        return {**row, "ms": self.ms} if self.ms else row

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> Estimate:
        """Also reads a line of `anylens calibrate --json`. Raises ModelError, KeyError, TypeError, ValueError."""
        file = str(row["file"])
        if row.get("ok") is False or row.get("error"):
            return cls.failure(file, row.get("error") or "failed")
        camera = Camera.from_dict(row["camera"]) if row.get("camera") else None
        interval = row.get("hfov_interval_deg")
        angles = [row.get(name) for name in ("hfov_deg", "vfov_deg")]
        if camera is None and angles == [None, None]:
            raise ValueError("neither a camera nor hfov_deg or vfov_deg")
        known = [math.nan if a is None else float(a) for a in angles]
        if camera is not None:
            known = [float(camera.hfov_deg), float(camera.vfov_deg)]
        stated = None if interval is None else (float(interval[0]), float(interval[1]))
        return cls(file, camera, known[0], known[1], stated,
                   warnings=tuple(row.get("warnings") or ()), ms=dict(row.get("ms") or {}))  # fmt: skip


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
