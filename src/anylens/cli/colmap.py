"""`anylens colmap`: calibrated cameras straight into a COLMAP database."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from anylens.camera import Camera
from anylens.errors import AnylensError, FormatError
from anylens.formats.colmap_database import (
    TIGHT,
    Calibrate,
    Calibration,
    Change,
    apply_changes,
    check_model,
    count_verified_pairs,
    plan_change,
    read_cameras,
)
from anylens.profiles import parse


@dataclass
class Colmap:
    """Set the cameras of an existing COLMAP database from its photos, all in one transaction.

    1. `anylens colmap database.db images --dry-run` only says what would change.
    2. `anylens colmap database.db images`
    3. `anylens colmap database.db images --model radial:2`

    Photos that share a camera in the database are calibrated together. Run it after feature_extractor and
    before matching. The prior-focal flag is set where the focal length is known well enough (--tight).
    """

    database: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DATABASE", help="COLMAP's database.db.")]
    images: Annotated[
        Path, tyro.conf.Positional, tyro.conf.arg(metavar="IMAGES", help="Folder that the image names start from.")
    ]
    model: Annotated[str | None, tyro.conf.arg(metavar="MODEL")] = None
    """Camera model; each camera keeps the model that the database has for it otherwise."""
    tight: float = TIGHT
    """Relative half width of the focal length's interval up to which the prior-focal flag is set."""
    dry_run: bool = False
    """Only say what would change."""

    def run(self) -> int:
        return set_cameras(
            self.database,
            self.images,
            default_calibrator(),
            model=self.model,
            tight=self.tight,
            dry_run=self.dry_run,
        )


def set_cameras(
    database: Path,
    images: Path,
    calibrate: Calibrate,
    *,
    model: str | None = None,
    tight: float = TIGHT,
    dry_run: bool = False,
) -> int:
    """Calibrate, say what changes and write it; returns 0, 1 (some failed) or 3 (all failed)."""
    if model is not None:
        check_model(model)
    if not images.is_dir():
        raise FormatError(f"'{images}' is not a folder.")
    cameras = read_cameras(database)
    if not cameras:
        raise FormatError(f"'{database}' has no cameras yet. Run COLMAP's feature_extractor first.")
    changes: list[Change] = []
    for camera in _progress(cameras):
        changes.append(plan_change(camera, images, calibrate, model, tight))
    for change in changes:
        print(describe(change), file=sys.stderr if change.error else sys.stdout)
    good = [c for c in changes if not c.error]
    if good and not dry_run:
        apply_changes(database, good)
    verb = "would change" if dry_run else "changed"
    flagged = sum(c.prior for c in good)
    print(f"{len(good)} of {len(changes)} cameras {verb} in {database}, {flagged} with a prior focal length.")
    pairs = count_verified_pairs(database)
    if good and pairs:
        print(
            f"{pairs} image pairs were verified with the old cameras: match again for the new ones to count.",
            file=sys.stderr,
        )
    return 0 if len(good) == len(changes) else 1 if good else 3


def describe(change: Change) -> str:
    """One line: what the camera was and what it becomes."""
    before = change.before
    head = f"camera {before.id} ({len(before.images)} image{'s' * (len(before.images) != 1)})"
    if change.model is None:
        return f"{head}: unchanged, {change.error}"
    old, new = (" ".join(f"{p:.6g}" for p in params) for params in (before.params, change.params))
    flag = "prior focal length" if change.prior else "no prior"
    return (f"{head}: {before.model.name} [{old}] -> {change.model.name} [{new}], "
            f"focal ±{100 * change.spread:.1f} %, {flag}")  # fmt: skip


def default_calibrator() -> Calibrate:
    """The package's own calibration: one camera from all photos given."""
    try:
        from anylens import calibrate  # type: ignore[attr-defined]
    except ImportError:
        raise AnylensError("This installation cannot calibrate photos.") from None

    def run(photos: Sequence[Path], model: str) -> Calibration:
        if len(photos) == 1:
            result = calibrate(photos[0], model=model)
        else:
            answer = calibrate(list(photos), model=model, shared=True)
            result = answer[0] if isinstance(answer, (list, tuple)) else answer
        return Calibration(result.camera, focal_spread(result.camera, result.hfov_interval_deg))

    return run


def focal_spread(camera: Camera, interval_deg: Sequence[float]) -> float:
    """Relative half width of the focal length, f ∝ 1 / h(hfov/2), for an interval of the hfov."""
    profile = parse(camera.model).profile
    half = np.array([math.radians(0.5 * float(v)) for v in interval_deg])
    top = float(profile.limits(np.asarray(camera.coefs))[0][0])
    r = profile.radius(np.minimum(half, 0.999 * top), np.asarray(camera.coefs))
    wide, narrow = 1 / r.max(), 1 / r.min()
    return float((narrow - wide) / (narrow + wide))


def _progress(items):
    if len(items) < 3 or not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, unit="camera")
