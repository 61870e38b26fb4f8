"""anylens: calibrate a camera from a single photograph, whatever the lens.

>>> import anylens
>>> camera = anylens.Camera("simple_pinhole", [500.0, 320.0, 240.0], 640, 480)
>>> round(camera.hfov_deg, 2)
65.24
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anylens.calibration import Calibrator, Result, calibrate
    from anylens.camera import Camera
    from anylens.errors import AnylensError, FitError, FormatError, ImageError, ModelError, WeightsError
    from anylens.field import angle_between, field_to_rays, rays_to_field
    from anylens.fitting.ransac import fit_ransac
    from anylens.fitting.refine import PAPER, Schedule
    from anylens.fitting.selection import Selection, select_model
    from anylens.fitting.shared import SharedFit, View, fit_shared
    from anylens.fitting.single import Fit, fit
    from anylens.profiles import models

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


# module -> its public names. Each is imported when it is first used: a program that only undistorts loads no fits, and
# `import anylens` alone loads not even NumPy.
_FROM: dict[str, tuple[str, ...]] = {
    "calibration": ("Calibrator", "Result", "calibrate"),
    "camera": ("Camera",),
    "errors": ("AnylensError", "FitError", "FormatError", "ImageError", "ModelError", "WeightsError"),
    "field": ("angle_between", "field_to_rays", "rays_to_field"),
    "fitting.ransac": ("fit_ransac",),
    "fitting.refine": ("PAPER", "Schedule"),
    "fitting.selection": ("Selection", "select_model"),
    "fitting.shared": ("SharedFit", "View", "fit_shared"),
    "fitting.single": ("Fit", "fit"),
    "profiles": ("models",),
}
_HOME = {name: module for module, names in _FROM.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'anylens' has no attribute '{name}'")
    value = getattr(import_module(f"anylens.{_HOME[name]}"), name)
    globals()[name] = value  # the next time it is found at once
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
