"""The whole evaluation as plain data, for JSON: every figure, every photo's errors and estimates.

Undefined numbers are null; infinite ones are the text "inf".
"""

from __future__ import annotations

import math
from dataclasses import asdict, is_dataclass
from typing import Any

from anylens.evaluation.figures import Summary
from anylens.evaluation.grouping import label_of
from anylens.evaluation.run import Evaluation


def to_data(found: Evaluation, settings: dict[str, Any]) -> dict[str, Any]:
    """set, settings, groups and cameras (row -> method -> figures), images, problems, notes, extra."""
    return {
        "set": found.data.name,
        "settings": settings,
        "groups": rows_to_data(found.photos),
        "cameras": rows_to_data(found.cameras),
        "images": [_image(found, sample) for sample in found.data.samples],
        "problems": [{"file": p.file, "reason": p.reason} for p in found.data.problems],
        "extra": clean(found.extra),
    }


def clean(value: Any) -> Any:
    """Plain data with NaN as None and infinities as text."""
    if is_dataclass(value) and not isinstance(value, type):
        return clean(asdict(value))
    if isinstance(value, dict):
        return {str(k): clean(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def rows_to_data(rows: dict[str, dict[str, Summary]]) -> dict[str, Any]:
    """row -> method -> count, failed, figures with value, low and high."""
    return {
        label: {
            method: {
                "count": s.count,
                "failed": s.failed,
                "figures": clean({n: {"value": f.value, "low": f.low, "high": f.high} for n, f in s.figures.items()}),
            }
            for method, s in methods.items()
        }
        for label, methods in rows.items()
    }


def _image(found: Evaluation, sample: Any) -> dict[str, Any]:
    methods = {}
    for name, by_file in found.scores.items():
        if sample.file not in by_file:
            continue
        one, estimate = by_file[sample.file], found.estimates[name][sample.file]
        methods[name] = {**estimate.to_dict(), "errors": one.errors, "hfov_signed_deg": one.signed_deg,
                         "covered": one.covered}  # fmt: skip
        methods[name].pop("file")
    return clean(
        {
            "file": sample.file,
            "group": sample.group,
            "row": label_of(sample),
            "camera": sample.camera,
            "width": sample.width,
            "height": sample.height,
            "hfov_deg": sample.hfov_deg,
            "vfov_deg": sample.vfov_deg,
            "note": sample.note,
            "methods": methods,
        }
    )
