"""ONNX Runtime, without its reports: newer versions would write an identifier to disk and send usage data."""

from __future__ import annotations

import os
from typing import Any

SILENCE = "ORT_DISABLE_TELEMETRY"  # read once, when the runtime is first imported


def load_runtime() -> Any:
    """The module `onnxruntime`. Whoever sets ORT_DISABLE_TELEMETRY=0 in the environment has the last word."""
    os.environ.setdefault(SILENCE, "1")
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # where another package imported it first
    return onnxruntime
