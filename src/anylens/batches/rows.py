"""Rows: one photo each, as JSON, or flat for tables."""

from __future__ import annotations

import json
from typing import Any

from anylens.calibration.result import Result

FLAT = ("file", "ok", "error", "model", "width", "height", "fx", "fy", "cx", "cy", "coefficients", "hfov_deg",
        "vfov_deg", "dfov_deg", "hfov_std_deg", "vfov_std_deg", "dfov_std_deg", "hfov_low_deg", "hfov_high_deg",
        "focal_px", "focal_35mm", "decided_by", "roll_deg", "pitch_deg", "rms_deg", "outlier", "group",
        "warnings")  # fmt: skip
COPIED = ("file", "ok", "error", "hfov_deg", "vfov_deg", "dfov_deg", "hfov_std_deg", "vfov_std_deg", "dfov_std_deg",
          "focal_px", "focal_35mm", "decided_by", "roll_deg", "pitch_deg", "rms_deg", "outlier", "group")  # fmt: skip


def row_of(result: Result, file: str | None = None) -> dict[str, Any]:
    """The JSON object of a result."""
    row = result.to_dict()
    return row if file is None else {**row, "file": file}


def failed_row(file: str, error: Any) -> dict[str, Any]:
    """The JSON object of a photo that could not be calibrated."""
    return {"file": file, "ok": False, "error": str(error), "camera": None, "warnings": [], "ms": {}}


def without_times(row: dict[str, Any]) -> dict[str, Any]:
    """A row that is the same in every run: times are left out."""
    return {name: value for name, value in row.items() if name != "ms"}


def to_line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def flatten(row: dict[str, Any]) -> dict[str, Any]:
    """The columns of `FLAT`; None where a photo has no such value. Lists become text."""
    if "flat" in row:  # read back from a table
        return row["flat"]
    flat: dict[str, Any] = {name: row.get(name) for name in COPIED}
    camera = row.get("camera") or {}
    params = dict(camera.get("params", {}))
    if "f" in params:
        params["fx"] = params["fy"] = params.pop("f")
    flat |= {name: camera.get(name) for name in ("model", "width", "height")}
    flat |= {name: params.pop(name, None) for name in ("fx", "fy", "cx", "cy")}
    flat["coefficients"] = " ".join(f"{name}={value:.9g}" for name, value in params.items()) if camera else None
    low, high = row.get("hfov_interval_deg") or (None, None)
    flat |= {"hfov_low_deg": low, "hfov_high_deg": high, "warnings": "; ".join(row.get("warnings") or ())}
    return {name: flat.get(name) for name in FLAT}
