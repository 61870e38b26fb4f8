"""What one process does: keep a calibrator, take some photos, give back rows or observations."""

from __future__ import annotations

import logging
import multiprocessing
import os
import threading
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anylens.batches.inputs import Item
from anylens.batches.rows import failed_row, row_of
from anylens.calibration.calibrator import Calibrator
from anylens.calibration.estimate import conclude
from anylens.calibration.options import Options
from anylens.errors import AnylensError, WeightsError

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """How photos are to be calibrated. One photo runs through the network at a time, so that a result does not
    depend on its neighbours: every order, process and engine gives the same."""

    options: Options = field(default_factory=Options)
    weights: str | None = None
    mirror: bool = False
    threads: int = 1
    mask: str | None = None
    plots: str | None = None  # folder for pictures
    predictor: Any = None  # in place of weights; has to travel to other processes

    def worker(self) -> Worker:
        return Worker(self)


class Worker:
    """A job with its network."""

    def __init__(self, job: Job):
        self.job = job
        self.calibrator = Calibrator(
            job.weights, threads=job.threads, mirror=job.mirror, batch=1, predictor=job.predictor
        )
        self.mask = None if job.mask is None else read_mask(job.mask)

    def observe(self, item: Item) -> Any:
        """The observation of a photo, or its failed row. Nothing that a file holds may stop the others."""
        if item.error:
            return failed_row(item.file, item.error)
        try:
            [seen] = self.calibrator.observe([item.path], self.job.options, [self.mask])
            return _renamed(seen, item.file)
        except WeightsError:  # not this photo's fault: the next one would fail like it
            raise
        except AnylensError as error:
            return failed_row(item.file, error)
        except MemoryError:
            return failed_row(item.file, "not enough memory for this photo.")
        except Exception as error:
            log.debug("%s", item.file, exc_info=True)
            return failed_row(item.file, f"unexpected {type(error).__name__}: {error}")

    def calibrate(self, item: Item) -> dict[str, Any]:
        """The row of a photo."""
        seen = self.observe(item)
        if isinstance(seen, dict):
            return seen
        try:
            result = conclude(seen, self.job.options)
            if self.job.plots:
                result.plot(item.path, plot_path(self.job.plots, item.file))
            return row_of(result)
        except AnylensError as error:
            return failed_row(item.file, error)
        except Exception as error:
            log.debug("%s", item.file, exc_info=True)
            return failed_row(item.file, f"unexpected {type(error).__name__}: {error}")


def plot_path(folder: str, file: str) -> Path:
    """Where the picture of a photo goes: FOLDER/NAME.png, or FOLDER itself where that is a .png."""
    if folder.lower().endswith(".png"):
        return Path(folder)
    return Path(folder) / (Path(file.replace("example:", "")).stem + ".png")


def read_mask(path: str) -> Any:
    """A picture as a mask (H, W): True, to be ignored, where it is not black."""
    from anylens.images import read_photo

    return read_photo(path).rgb.max(axis=2) > 127


def _renamed(seen: Any, file: str) -> Any:
    from dataclasses import replace

    return seen if seen.file == file else replace(seen, file=file)


# -- in processes of a pool ------------------------------------------------------------------------------------

_worker: Worker | None = None


def start_process(job: Job) -> None:
    global _worker
    warnings.filterwarnings("ignore", module="PIL")  # as on the command line
    leave_with_parent()
    _worker = job.worker()


def leave_with_parent() -> None:
    """End this process when the one that started it is gone, however it went: `kill -9` tells no one."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_chunk(task: str, items: list[Item]) -> list[Any]:
    """`observe` or `calibrate` of every item, in this process."""
    assert _worker is not None
    do = getattr(_worker, task)
    return [do(item) for item in items]
