"""A folder with a `manifest.jsonl`, one object per photograph.

    file, width, height                 required
    model, params                       the true camera (see `evaluation.truth`); without them, or with a model that is
                                        not known, hfov_deg and vfov_deg are scored alone
    hfov_deg, vfov_deg                  degrees
    group, camera, tags, source, split  optional

Rows of `anylens render` (shard, key, camera) are read from their shards.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from anylens.data.splits import assign_splits
from anylens.errors import AnylensError, FormatError
from anylens.evaluation.sample import DataSet, Problem, Sample
from anylens.evaluation.sets.pictures import check_picture
from anylens.evaluation.sets.shards import shard_samples
from anylens.evaluation.truth import fields_of_view, read_truth

NAME = "manifest.jsonl"
DISAGREEMENT = 0.5  # degrees between a manifest's own angle and its camera's that are worth a note


def is_manifest(folder: Path) -> bool:
    return (folder / NAME).is_file()


def read_manifest(folder: Path) -> DataSet:
    """Every row a sample or a problem. Raises FormatError where the file cannot be read at all."""
    try:
        lines = (folder / NAME).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{folder / NAME}: {error}.") from None
    rows: list[tuple[str, dict[str, Any]]] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("not an object")
            rows.append((f"line {number}", row))
        except ValueError as error:
            problems.append(Problem(f"line {number}", f"not JSON: {error}"))
    if rows and all("shard" in row for _, row in rows):
        samples, more = shard_samples(folder, [row for _, row in rows])
        return DataSet(folder.name, tuple(samples), (*problems, *more), folder)
    splits = assign_splits(str(row["source"]) for _, row in rows if "source" in row)
    samples, seen = [], set()
    for where, row in rows:
        try:
            sample = _sample(folder, row, splits)
            if sample.file in seen:
                raise FormatError("listed twice")
            check_picture(sample)
            seen.add(sample.file)
            samples.append(sample)
        except (AnylensError, ValueError, TypeError, KeyError) as error:
            problems.append(Problem(str(row.get("file") or where), _reason(error)))
    return DataSet(folder.name, tuple(samples), tuple(problems), folder)


def _sample(folder: Path, row: dict[str, Any], splits: dict[str, str]) -> Sample:
    missing = [name for name in ("file", "width", "height") if name not in row]
    if missing:
        raise FormatError(f"without {', '.join(missing)}")
    width, height = int(row["width"]), int(row["height"])
    if min(width, height) < 1:
        raise FormatError(f"a size of {width}x{height}")
    truth, note = None, "no model in the manifest"
    if "model" in row and isinstance(row.get("params"), dict):
        truth = read_truth(str(row["model"]), row["params"], width, height)
        note = "" if truth is not None else f"model '{row['model']}' is not known here"
    given = [math.nan if row.get(n) is None else float(row[n]) for n in ("hfov_deg", "vfov_deg")]
    if truth is None and not any(map(math.isfinite, given)):
        raise FormatError(f"{note}, and neither hfov_deg nor vfov_deg")
    if truth is not None:
        own = fields_of_view(truth)
        if any(abs(a - b) > DISAGREEMENT for a, b in zip(own, given)):
            note = f"hfov_deg, vfov_deg {given[0]:.2f}, {given[1]:.2f} but the camera's {own[0]:.2f}, {own[1]:.2f}"
        given = [a if math.isfinite(a) else b for a, b in zip(own, given)]
    file = str(row["file"])
    return Sample(
        file, folder / file, width, height, truth, given[0], given[1], str(row.get("group", "all")),
        str(row.get("camera") or file), tuple(row.get("tags") or ()), note,
        str(row.get("split") or splits.get(str(row.get("source")), "")),
    )  # fmt: skip


def _reason(error: Exception) -> str:
    return f"without {error}" if isinstance(error, KeyError) else str(error).rstrip(".")
