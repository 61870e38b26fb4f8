"""Calibrating sends and leaves nothing behind: the runtime's own reports are off."""

import os
import subprocess
import sys

from anylens.examples import example_path


def test_a_calibration_leaves_no_file_in_the_home(tmp_path):
    environment = {k: v for k, v in os.environ.items() if k not in ("ORT_DISABLE_TELEMETRY", "CI")}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    code = f"import anylens; anylens.calibrate({str(example_path('room'))!r})"
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert list(tmp_path.iterdir()) == []
