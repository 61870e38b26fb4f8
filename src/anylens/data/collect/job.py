"""From a photo library to a folder of small pictures without metadata, a manifest, and a list of what was
dropped.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from anylens.data.collect.duplicates import Seen
from anylens.data.collect.exif import DIAGONAL_35, read_shot
from anylens.data.collect.trust import Doubt, believe
from anylens.data.folders import write_atomically
from anylens.data.lensfun.database import Database
from anylens.data.standard import COPY_QUALITY, COPY_SIDE, shrink_copy
from anylens.errors import ImageError

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".heic", ".mpo")


@dataclass
class Collected:
    """Rows of the manifest, and the dropped files with the reason for each."""

    rows: list[dict] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)


def find_photos(places: Iterable[str | Path]) -> list[tuple[Path, str]]:
    """Photo files under files and folders with their source: the folder directly under the one given, or its
    name.
    """
    found: dict[Path, str] = {}
    for place in map(Path, places):
        if not place.exists():
            raise ImageError(f"{place}: does not exist.")
        files = [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.is_file())
        for file in files:
            if file.suffix.lower() in SUFFIXES:
                inner = file.relative_to(place).parts if place.is_dir() else ()
                found.setdefault(file, inner[0] if len(inner) > 1 else file.parent.name or "photos")
    if not found:
        raise ImageError(f"No photographs found. Looked for {', '.join(SUFFIXES)}.")
    return list(found.items())


def collect(
    places: Iterable[str | Path], out: str | Path, lensfun: Database | None = None, side: int = COPY_SIDE,
    quality: int = COPY_QUALITY, progress: bool = False,
) -> Collected:  # fmt: skip
    """Write OUT/images/*.webp, manifest.jsonl and dropped.txt; `side` is the longest side of the copies."""
    from tqdm import tqdm

    folder = Path(out)
    (folder / "images").mkdir(parents=True, exist_ok=True)
    result, seen = Collected(), Seen()
    for file, source in tqdm(find_photos(places), desc="photos", unit="photo", disable=None if progress else True):
        try:
            result.rows.append(take(file, source, folder, lensfun, seen, side, quality))
        except Doubt as doubt:
            result.dropped.append((str(file), str(doubt)))
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            result.dropped.append((str(file), f"cannot be read ({error})"))
    lines = "".join(json.dumps(row) + "\n" for row in result.rows)
    write_atomically(folder / "manifest.jsonl", lines.encode())
    write_atomically(folder / "dropped.txt", "".join(f"{n}\t{why}\n" for n, why in result.dropped).encode())
    return result


def take(file: Path, source: str, folder: Path, lensfun: Database | None, seen: Seen, side: int, quality: int) -> dict:
    """Judge one photograph and write its small copy; returns its row. Raises Doubt."""
    with Image.open(file) as image:
        shot = read_shot(image)
        crop = lensfun.crop_factor(shot.maker, shot.model) if lensfun else None
        f35, trust = believe(shot, image.width, image.height, crop)
        if max(image.size) < side:
            raise Doubt(f"smaller than {side} pixels")
        upright = ImageOps.exif_transpose(image).convert("RGB")
    twin = seen.twin(upright, file.name)
    if twin:
        raise Doubt(f"nearly the same as {twin}")
    pixels = shrink_copy(np.asarray(upright), side)
    height, width = pixels.shape[:2]
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "WEBP", quality=quality)  # a new picture: nothing of the old metadata
    name = f"images/{hashlib.sha256(pixels.tobytes()).hexdigest()[:14]}.webp"
    write_atomically(folder / name, buffer.getvalue(), sync=False)
    focal = f35 / DIAGONAL_35 * math.hypot(width, height)
    hfov, vfov = (round(math.degrees(2 * math.atan(s / 2 / focal)), 3) for s in (width, height))
    return {
        "file": name, "width": width, "height": height, "hfov_deg": hfov, "vfov_deg": vfov,
        "f35": round(f35, 2), "camera": shot.camera, "source": source, "trust": trust,
    }  # fmt: skip
