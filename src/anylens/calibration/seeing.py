"""From photographs to observations: read, predict, find edges."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from anylens.calibration.observation import (
    Observation,
    cell_weights,
    hide,
    ignored,
    visible_segments,
)
from anylens.edges.segments import Segments, detect
from anylens.images import Photo, read_photo
from anylens.predict import Prediction

AT_LEAST = 960  # pixels of the longer side at which JPEGs are decoded: more than network and edges look at


def read(source: Any, name: str | None = None) -> tuple[Photo, float]:
    """The photo and the milliseconds that reading took."""
    start = time.perf_counter()
    photo = read_photo(source, name=name, at_least=AT_LEAST)
    return photo, 1e3 * (time.perf_counter() - start)


def observe(
    photos: Sequence[tuple[Photo, float]],
    predict: Callable[[list[np.ndarray]], list[Prediction]],
    *,
    masks: Sequence[Any] | None = None,
    edges: bool = True,
    files: Sequence[str] | None = None,
    beside: bool = False,
) -> list[Observation]:
    """Observations of photos that `read` gave; the network sees all of them at once.

    beside: edges are looked for in another thread while the network runs; their time is then what they take longer.
    """
    hidden = [ignored(photo, mask) for (photo, _), mask in zip(photos, masks or [None] * len(photos))]
    pairs = [(photo, ignore) for (photo, _), ignore in zip(photos, hidden)]
    with ThreadPoolExecutor(1) as pool:
        early = [pool.submit(_segments, *pair) for pair in pairs] if edges and beside else []
        start = time.perf_counter()
        predictions = predict([hide(photo.rgb, ignore) for photo, ignore in pairs])
        network_ms = 1e3 * (time.perf_counter() - start) / max(1, len(photos))
        seen = []
        for i, ((photo, read_ms), prediction, ignore) in enumerate(zip(photos, predictions, hidden)):
            start = time.perf_counter()
            segments = early[i].result() if early else _segments(photo, ignore) if edges else None
            ms = {"read": read_ms, "network": network_ms, "edges": 1e3 * (time.perf_counter() - start)}
            seen.append(_observation(photo, prediction, ignore, segments, files[i] if files else photo.name, ms))
    return seen


def _segments(photo: Photo, ignore: np.ndarray | None) -> Segments:
    """Segments in pixels of the full photo."""
    found = visible_segments(detect(photo.rgb), ignore)
    scale = _scale(photo)
    return Segments(found.points * scale, found.noise * float(np.mean(scale)))


def _scale(photo: Photo) -> np.ndarray:
    return np.array([photo.width / photo.rgb.shape[1], photo.height / photo.rgb.shape[0]])


def _observation(
    photo: Photo,
    prediction: Prediction,
    ignore: np.ndarray | None,
    segments: Segments | None,
    file: str,
    ms: dict[str, float],
) -> Observation:
    plan, spread = prediction.plan, prediction.log_var
    # Laplace scale b of each component: a ray is off by 2 b in root mean square.
    noise = None if spread is None else float(np.degrees(2 * np.exp(np.median(spread))))
    return Observation(
        file=file,
        width=photo.width,
        height=photo.height,
        grid=prediction.grid,
        pixels=prediction.pixels * _scale(photo),
        field=prediction.field,
        weights=cell_weights(prediction, ignore),
        focal_log_prob=prediction.focal_log_prob,
        focal_seen=prediction.focal_seen,
        noise_deg=noise,
        segments=segments,
        tag=photo.focal,
        camera_group=photo.exif.group,
        covered=plan.box_width * plan.box_height / (plan.width * plan.height),
        visible=1.0 if ignore is None else float(1 - ignore.mean()),
        ms=ms,
    )
