"""Set the cameras of a COLMAP database in place.

A database knows which images share a camera (one per image, per folder, per EXIF group): each of its cameras
is calibrated from its own photos. COLMAP stores cameras of photos as they lie in the file, without applying
the EXIF orientation, so cameras of upright photos are turned back. How photos become cameras is the caller's
choice.
"""

from __future__ import annotations

import sqlite3
import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from anylens.camera import Camera
from anylens.errors import AnylensError, FormatError, ImageError
from anylens.formats.colmap_models import BY_ID, BY_OURS, ColmapModel, to_colmap
from anylens.formats.named import NamedCamera
from anylens.formats.remodelling import to_format
from anylens.formats.table import FORMATS
from anylens.images.exif import read_exif
from anylens.images.opening import open_picture, read_bytes
from anylens.images.orientation import turn_camera

TIGHT = 0.05  # relative focal length: COLMAP's own prior, an EXIF tag, is worth about as much


@dataclass(frozen=True)
class Calibration:
    """The camera of the upright photos and the relative half width of its focal interval."""

    camera: Camera
    focal_spread: float


Calibrate = Callable[[Sequence[Path], str], Calibration]  # photos of one camera, all of one size, and a model


@dataclass(frozen=True)
class DatabaseCamera:
    """A row of the table `cameras` with the names of its images."""

    id: int
    model: ColmapModel
    width: int
    height: int
    params: tuple[float, ...]
    prior: bool
    images: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """What becomes of one camera: new values, or the reason why it stays as it is."""

    before: DatabaseCamera
    model: ColmapModel | None = None
    params: tuple[float, ...] = ()
    prior: bool = False
    spread: float = 0.0
    photos: int = 0
    error: str = ""


def read_cameras(database: str | Path) -> list[DatabaseCamera]:
    """The database's cameras, by id. Raises FormatError."""
    with _open(database, "ro") as link:
        images = defaultdict(list)
        for name, camera_id in link.execute("SELECT name, camera_id FROM images ORDER BY image_id"):
            images[camera_id].append(name)
        rows = link.execute("SELECT camera_id, model, width, height, params, prior_focal_length FROM cameras "
                            "ORDER BY camera_id").fetchall()  # fmt: skip
    out = []
    for number, model, width, height, blob, prior in rows:
        if model not in BY_ID:
            raise FormatError(f"Camera {number} of the database has the unknown model number {model}.")
        params = struct.unpack(f"<{len(blob) // 8}d", blob[: len(blob) // 8 * 8])
        out.append(DatabaseCamera(number, BY_ID[model], width, height, params, bool(prior), tuple(images[number])))
    return out


def plan_change(
    camera: DatabaseCamera,
    folder: str | Path,
    calibrate: Calibrate,
    model: str | None = None,
    tight: float = TIGHT,
) -> Change:
    """The new values of one camera, in `model` or, without one, in the model that the database has for it."""
    try:
        ours = model or camera.model.ours
        if not ours:
            raise FormatError(f"{camera.model.name} cannot be calibrated; ask for another model: --model radial:2.")
        photos, orientation = _photos(camera, Path(folder))
        found = calibrate(photos, ours)
        turned = _to_stored(found.camera, orientation, camera)
        named = to_format(NamedCamera(str(camera.id), turned), FORMATS["colmap_text"], refit=False, limit=0.0)
        theirs, params = to_colmap(named.camera, f"Camera {camera.id}")
    except AnylensError as error:
        return Change(camera, error=str(error))
    return Change(camera, theirs, tuple(params), found.focal_spread <= tight, found.focal_spread, len(photos))


def apply_changes(database: str | Path, changes: Sequence[Change]) -> None:
    """Write all changes in one transaction: all of them or, on any error, none. Raises FormatError."""
    rows = [(c.model.id, struct.pack(f"<{len(c.params)}d", *c.params), int(c.prior), c.before.id)
            for c in changes if c.model is not None]  # fmt: skip
    with _open(database, "rw") as link, link:
        link.execute("BEGIN IMMEDIATE")
        for row in rows:
            link.execute("UPDATE cameras SET model = ?, params = ?, prior_focal_length = ? WHERE camera_id = ?", row)


def count_verified_pairs(database: str | Path) -> int:
    """Image pairs whose geometry was verified, with the cameras of before."""
    with _open(database, "ro") as link:
        try:
            return int(link.execute("SELECT COUNT(*) FROM two_view_geometries WHERE rows > 0").fetchone()[0])
        except sqlite3.OperationalError:  # older databases have no such table
            return 0


def check_model(model: str) -> None:
    """Raises FormatError early for a model that no COLMAP camera holds."""
    if model not in BY_OURS and model != "ucm":
        raise FormatError(f"COLMAP cannot hold '{model}'. It holds {', '.join(BY_OURS)}.")


def _photos(camera: DatabaseCamera, folder: Path) -> tuple[list[Path], int]:
    """The camera's readable photos of the orientation that most of them have, and that orientation."""
    found: dict[Path, int] = {}
    reason = "the database lists no image for it"
    for name in camera.images:
        path = folder / name
        try:
            picture = open_picture(read_bytes(path), path.name)
            found[path] = read_exif(picture).orientation
        except ImageError as error:
            reason = str(error)
    if not found:
        raise ImageError(f"No photo of it can be read under '{folder}' ({reason.rstrip('.')}).")
    orientation = Counter(found.values()).most_common(1)[0][0]
    return [path for path, o in found.items() if o == orientation], orientation


def _to_stored(camera: Camera, orientation: int, row: DatabaseCamera) -> Camera:
    """The camera for the photo as it lies in the file, at the database's size."""
    stored = turn_camera(camera, orientation, back=True)
    if (stored.width, stored.height) == (row.width, row.height):
        return stored
    if (camera.width, camera.height) == (row.width, row.height):
        return camera  # imported upright, by a program that turns photos
    if abs(stored.width * row.height - stored.height * row.width) <= max(row.width, row.height):
        return stored.resize(row.width, row.height)
    raise FormatError(f"The photos are {stored.width}x{stored.height}, the database says {row.width}x{row.height}.")


@contextmanager
def _open(database: str | Path, mode: str) -> Iterator[sqlite3.Connection]:
    path = Path(database)
    if not path.is_file():
        raise FormatError(f"There is no database '{path}'. COLMAP's feature_extractor makes one.")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)) as link:
            yield link
    except sqlite3.DatabaseError as error:
        raise FormatError(f"'{path}' is not a COLMAP database, or is in use ({error}).") from None
