"""Videos: some frames, one camera; or one camera per frame, for zoom lenses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anylens.batches.inputs import Item
from anylens.batches.rows import failed_row, row_of
from anylens.batches.worker import Job, plot_path
from anylens.calibration.estimate import conclude
from anylens.calibration.group import conclude_shared
from anylens.errors import AnylensError, ImageError


def sample_frames(path: str, count: int) -> Iterator[tuple[float, np.ndarray]]:
    """`count` frames spread over a video: seconds and RGB (H, W, 3), upright. Raises ImageError."""
    try:
        import cv2
    except ImportError:
        raise ImageError(f"{path}: videos are read with OpenCV: pip install 'anylens[opencv]'.") from None
    if not Path(path).is_file():
        raise ImageError(f"{Path(path).name}: there is no such file.")
    film = cv2.VideoCapture(path)
    try:
        total = int(film.get(cv2.CAP_PROP_FRAME_COUNT))
        rate = film.get(cv2.CAP_PROP_FPS)
        rate = rate if math.isfinite(rate) and rate > 0 else 25.0
        if not film.isOpened() or total < 1:
            raise ImageError(f"{Path(path).name}: no video that OpenCV can read.")
        wanted = np.unique(((np.arange(count) + 0.5) * total / count).astype(int))
        found = 0
        for index in wanted:
            film.set(cv2.CAP_PROP_POS_FRAMES, int(index))
            ok, frame = film.read()
            if ok and frame is not None:
                found += 1
                yield float(index / rate), np.ascontiguousarray(frame[..., ::-1])
        if not found:
            raise ImageError(f"{Path(path).name}: no frame can be decoded.")
    finally:
        film.release()


def film_files(item: Item, frames: int, per_frame: bool) -> list[str]:
    """Names of the rows of a video, as far as they are known without opening it."""
    return [f"{item.file}#all"] if per_frame else [item.file]


def run_video(job: Job, item: Item, frames: int, per_frame: bool, plot: str | None) -> list[dict[str, Any]]:
    """The row of a video, or one per frame (`film.mp4#t=1.20`)."""
    try:
        worker = job.worker()
        seen, times, first = [], [], None
        for seconds, frame in sample_frames(item.path, frames):
            first = frame if first is None else first
            times.append(seconds)
            seen += worker.calibrator.observe([frame], job.options, [worker.mask])
        if per_frame:
            results = [conclude(one, job.options) for one in seen]
            if plot:
                from anylens.plotting import write_over_time

                write_over_time(results, times, plot_path(plot, item.file), item.file)
            return [row_of(r, f"{item.file}#t={t:.2f}") for r, t in zip(results, times)]
        shared = conclude_shared(seen, job.options)
        best = next((r for r in shared if not r.outlier), shared[0])
        if plot:
            best.plot(first, plot_path(plot, item.file))
        out = [f"{t:.2f} s" for r, t in zip(shared, times) if r.outlier]
        row = {**row_of(best, item.file), "frames": len(shared), "outlier_frames": out}
        if out:
            row["warnings"] = [*row["warnings"], f"frames that disagree with the others: {', '.join(out)}"]
        return [row]
    except AnylensError as error:
        return [failed_row(item.file, error)]
