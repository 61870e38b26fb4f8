"""Which data set is in a folder: asked of each layout in turn, or named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anylens.errors import FormatError
from anylens.evaluation.sample import DataSet
from anylens.evaluation.sets import colmap, manifest, published


class Layout(NamedTuple):
    """fits: whether a folder looks like this set; read: the set."""

    fits: Callable[[Path], bool]
    read: Callable[[Path], DataSet]


# The first that fits counts, so the most specific come first.
LAYOUTS: dict[str, Layout] = {
    "manifest": Layout(manifest.is_manifest, manifest.read_manifest),
    "stanford2d3d": Layout(published.is_stanford, published.read_stanford),
    "tum_mono": Layout(published.is_tum_mono, published.read_tum_mono),
    "lamar": Layout(published.is_lamar, published.read_lamar),
    "scannetpp": Layout(colmap.is_scannetpp, colmap.read_reconstructions),
    "megadepth": Layout(colmap.is_megadepth, colmap.read_reconstructions),
    "perspective": Layout(published.is_perspective_list, published.read_perspective_list),
    "colmap": Layout(colmap.is_reconstruction, colmap.read_reconstructions),
    "tartanair": Layout(published.is_tartanair, published.read_tartanair),
}


def open_set(
    folder: str | Path,
    layout: str | None = None,
    *,
    split: str | None = None,
    limit: int | None = None,
    groups: tuple[str, ...] = (),
    cameras: int | None = None,
    seed: int = 0,
) -> DataSet:
    """The data set of a folder; `limit` photos drawn at random from `seed`, of the last `cameras` cameras, in order.

    Raises FormatError where the folder has no known layout or nothing of the split or groups.
    """
    path = Path(folder)
    if not path.is_dir():
        raise FormatError(f"'{folder}' is not a folder. Give one with a manifest.jsonl, or a data set's own.")
    if layout is not None and layout not in LAYOUTS:
        raise FormatError(f"Unknown layout '{layout}'. Known: {', '.join(LAYOUTS)}.")
    found = layout or next((name for name, known in LAYOUTS.items() if known.fits(path)), None)
    if found is None:
        raise FormatError(f"'{folder}' has no manifest.jsonl and no layout known here: {', '.join(LAYOUTS)}.")
    data = LAYOUTS[found].read(path)
    data = replace(data, name=data.name or path.resolve().name)
    samples = [s for s in data.samples if (not split or s.split == split) and (not groups or s.group in groups)]
    if data.samples and not samples:
        raise FormatError(f"'{folder}' has photos, but none of split {split or 'any'}, group {groups or 'any'}.")
    if cameras is not None:
        last = set(sorted({s.camera for s in samples})[-cameras:])
        samples = [s for s in samples if s.camera in last]
    if limit is not None and len(samples) > limit:
        kept = np.sort(np.random.default_rng(seed).choice(len(samples), limit, replace=False))
        samples = [samples[i] for i in kept]
    return replace(data, samples=tuple(samples))
