"""From what a layout lists (pictures with cameras) to a data set in which every entry is a sample or a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anylens.errors import AnylensError
from anylens.evaluation.sample import DataSet, Problem, Sample, Truth
from anylens.evaluation.sets.pictures import picture_size
from anylens.evaluation.sets.sizes import for_picture
from anylens.evaluation.truth import fields_of_view


@dataclass(frozen=True)
class Entry:
    """camera: the true one, or a function of the picture's (width, height)."""

    file: str
    source: Any
    camera: Truth | Callable[[int, int], Truth]
    group: str = "all"
    owner: str = ""


def to_set(name: str, folder: Path, entries: Iterable[Entry], problems: Iterable[Problem] = ()) -> DataSet:
    """Samples in the order of their names; cameras scaled to the stored pictures."""
    samples, failed = [], list(problems)
    for entry in sorted(entries, key=lambda e: e.file):
        try:
            width, height = picture_size(entry.source)
            found = entry.camera(width, height) if callable(entry.camera) else entry.camera
            truth = for_picture(found, width, height)
            angles = fields_of_view(truth)
        except AnylensError as error:
            failed.append(Problem(entry.file, str(error)))
            continue
        samples.append(Sample(entry.file, entry.source, width, height, truth, angles[0], angles[1], entry.group,
                              entry.owner or entry.file))  # fmt: skip
    return DataSet(name, tuple(samples), tuple(failed), folder)
