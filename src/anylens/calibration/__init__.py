"""One photograph in, the camera that took it out.

>>> from anylens.calibration import calibrate                                  # doctest: +SKIP
>>> result = calibrate("photo.jpg")                                            # doctest: +SKIP
>>> result.camera, result.hfov_deg, result.hfov_interval_deg                   # doctest: +SKIP
"""

from anylens.calibration.calibrator import Calibrator, calibrate
from anylens.calibration.knowledge import Knowledge, parse_known
from anylens.calibration.options import Options
from anylens.calibration.result import Result

__all__ = ["Calibrator", "Knowledge", "Options", "Result", "calibrate", "parse_known"]
