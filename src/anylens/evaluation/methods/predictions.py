"""Any other method, through a file of its predictions.

JSON lines, a JSON list, or CSV; a row is matched by `file`. JSON: `camera` as in `Camera.to_dict`, or `hfov_deg` and
`vfov_deg`, with `hfov_interval_deg` where stated (lines of `anylens calibrate --json` are such rows). CSV: file, model,
fx fy cx cy (or f cx cy), the coefficients by name or as `coefficients` ("k1=0.1 k2=0"), width and height where they
differ from the photo's; or hfov_deg, vfov_deg. A photo without a row, or with ok = false, has failed.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from anylens.errors import AnylensError, FormatError
from anylens.evaluation.sample import Estimate, Sample
from anylens.profiles import parse


class Predictions:
    """Estimates from a file. Raises FormatError where the file cannot be read or matches no photo at all."""

    whole = False

    def __init__(self, name: str, path: str | Path):
        self.name, self.path = name, Path(path)
        try:
            text = self.path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise FormatError(f"{path}: {error}.") from None
        try:
            rows = _csv_rows(text) if self.path.suffix.lower() == ".csv" else _json_rows(text)
            self.rows = {str(row["file"]): row for row in rows}
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"{path} holds no predictions: {type(error).__name__} {error}.") from None
        self.short = {Path(file).name: row for file, row in self.rows.items()}

    def run(self, samples: Sequence[Sample]) -> Iterator[Estimate]:
        for sample in samples:
            row = self.rows.get(sample.file) or self.short.get(Path(sample.file).name)
            if row is None:
                yield Estimate.failure(sample.file, f"no prediction in {self.path.name}")
                continue
            try:
                yield Estimate.from_dict({**_with_camera(row, sample), "file": sample.file})
            except (AnylensError, KeyError, TypeError, ValueError) as error:
                yield Estimate.failure(sample.file, f"unreadable prediction: {error}")


def _json_rows(text: str) -> list[dict[str, Any]]:
    if text.lstrip()[:1] == "[":
        return json.loads(text)
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _csv_rows(text: str) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k and v not in (None, "")} for row in csv.DictReader(text.splitlines())]


def _with_camera(row: dict[str, Any], sample: Sample) -> dict[str, Any]:
    """A flat row with its camera put together; others as they are."""
    ok = row.get("ok", True)
    row = {**row, "ok": str(ok).lower() not in ("false", "0")}
    if isinstance(row.get("warnings"), str):
        row["warnings"] = [row["warnings"]]
    if "hfov_low_deg" in row and "hfov_high_deg" in row:
        row["hfov_interval_deg"] = [row["hfov_low_deg"], row["hfov_high_deg"]]
    if row.get("camera") or "model" not in row or not row["ok"]:
        return row
    given = {**row, **dict(part.split("=", 1) for part in str(row.get("coefficients", "")).split())}
    if "f" not in given and "fx" in given:
        given["f"] = given["fx"]
    names = parse(str(row["model"])).param_names
    params = {name: float(given[name]) for name in names}
    size = {n: int(float(given.get(n, getattr(sample, n)))) for n in ("width", "height")}
    return {**row, "camera": {"model": str(row["model"]), "params": params, **size}}
