"""anylens: calibrate a camera from a single photograph, whatever the lens.

>>> import anylens
>>> camera = anylens.Camera("simple_pinhole", [500.0, 320.0, 240.0], 640, 480)
>>> round(camera.hfov_deg, 2)
65.24
"""

from typing import TYPE_CHECKING, Any

from anylens.camera import Camera
from anylens.errors import AnylensError, FitError, FormatError, ImageError, ModelError, WeightsError
from anylens.field import angle_between, field_to_rays, rays_to_field
from anylens.fitting.ransac import fit_ransac
from anylens.fitting.refine import PAPER, Schedule
from anylens.fitting.selection import Selection, select_model
from anylens.fitting.shared import SharedFit, View, fit_shared
from anylens.fitting.single import Fit, fit
from anylens.profiles import models

if TYPE_CHECKING:
    from anylens.calibration import Calibrator, Result, calibrate

__version__ = "0.1.0"

__all__ = [
    "PAPER",
    "AnylensError",
    "Calibrator",
    "Camera",
    "Fit",
    "FitError",
    "FormatError",
    "ImageError",
    "ModelError",
    "Result",
    "Schedule",
    "Selection",
    "SharedFit",
    "View",
    "WeightsError",
    "angle_between",
    "calibrate",
    "field_to_rays",
    "fit",
    "fit_ransac",
    "fit_shared",
    "models",
    "rays_to_field",
    "select_model",
]


def __getattr__(name: str) -> Any:
    """`calibrate`, `Calibrator` and `Result` on first use: they need Pillow and ONNX Runtime."""
    if name in ("Calibrator", "Result", "calibrate"):
        from anylens import calibration

        return getattr(calibration, name)
    raise AttributeError(f"module 'anylens' has no attribute '{name}'")
