"""From what was seen to the answer: one object per photo, in the command line's JSON contract."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from anylens.batches.rows import failed_row, row_of
from anylens.calibration.estimate import conclude
from anylens.calibration.group import conclude_shared
from anylens.calibration.observation import Observation
from anylens.calibration.result import Result
from anylens.calibration.turning import aspect_key
from anylens.errors import AnylensError, WeightsError
from anylens.serve.asking import Asked
from anylens.serve.drawing import drawing_of

log = logging.getLogger(__name__)
Row = dict[str, Any]


def guarded(file: str, work: Callable[[], Any]) -> Any:
    """What `work` gives, or the failed row of a photo: nothing that a file holds may stop the others."""
    try:
        return work()
    except WeightsError:  # not this photo's fault
        raise
    except AnylensError as error:
        return failed_row(file, error)
    except MemoryError:
        return failed_row(file, "not enough memory for this photo.")
    except Exception as error:
        log.warning("a photo failed: %s", type(error).__name__, exc_info=True)
        return failed_row(file, f"unexpected {type(error).__name__} in this photo.")


def answer_one(seen: Observation, asked: Asked) -> Row:
    """The row of a photo by itself."""
    return guarded(seen.file, lambda: finished(conclude(seen, asked.options), asked))


def answer_shared(seen: list[Observation], asked: Asked) -> list[Row]:
    """Rows of photos that share cameras, in the order given."""
    groups: dict[str, list[int]] = {}
    for i, one in enumerate(seen):
        groups.setdefault(_group(one, i, asked.shared or "all"), []).append(i)
    rows: dict[int, Row] = {}
    for number, members in enumerate(groups.values(), 1):
        views = [seen[i] for i in members]
        try:
            results = conclude_shared(views, asked.options)
            for i, result in zip(members, results):
                rows[i] = {**finished(result, asked), "group": f"camera {number}"}
        except AnylensError as error:
            rows |= {i: failed_row(seen[i].file, error) for i in members}
    return [rows[i] for i in range(len(seen))]


def finished(result: Result, asked: Asked) -> Row:
    row = row_of(result)
    return {**row, "view": drawing_of(result)} if asked.view else row


def _group(seen: Observation, index: int, how: str) -> str:
    """Photos with one key are of one camera; the key itself may hold tags and is not answered."""
    if how == "by-exif" and not seen.camera_group:
        return f"alone {index}"
    aspect = f"{aspect_key(seen.width, seen.height):.2f}"
    exact = "x".join(str(s) for s in sorted((seen.width, seen.height)))
    return {"all": aspect, "by-exif": f"{seen.camera_group} {aspect}", "by-size": exact}[how]
