"""One shard: a tar of image and JSON pairs (WebDataset), written whole or not at all."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from anylens.data.augment import augment_level, augment_output
from anylens.data.folders import write_atomically
from anylens.data.guard import source_pixels
from anylens.data.ondisk.job import Scene
from anylens.data.render import render_view
from anylens.data.splits import stable_number
from anylens.errors import FormatError

FORMATS = {"jpg": "JPEG", "png": "PNG", "webp": "WEBP"}


def write_shard(scene: Scene, folder: Path, name: str, split: str, views: tuple[tuple[str, int], ...]) -> int:
    """Render the views of a shard into folder/name; returns their number. An existing shard is left alone."""
    target = folder / name
    if target.is_file():
        return len(views)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for panorama, index in views:
            key, picture, label = render_one(scene, panorama, index, split)
            _add(archive, f"{key}.{scene.job.format}", picture)
            _add(archive, f"{key}.json", json.dumps(label).encode())
    write_atomically(target, buffer.getvalue())
    return len(views)


def render_one(scene: Scene, panorama: str, index: int, split: str) -> tuple[str, bytes, dict[str, Any]]:
    """Key, encoded picture and label of one view."""
    drawn = scene.draw(panorama, index)
    cached = scene.prepared(panorama)
    image = render_view(scene.store.pyramid(cached), drawn.camera, drawn.rotation, scene.job.density)
    rng = np.random.default_rng((scene.job.seed, stable_number(panorama), index, 1))
    image = augment_output(image, augment_level(scene.job.augment), rng)
    key = f"{stable_number(panorama):016x}_{index:04d}"
    label = {
        "camera": drawn.camera.to_dict(), "rotation": np.round(drawn.rotation, 12).tolist(),
        "hfov_deg": float(drawn.camera.hfov_deg), "vfov_deg": float(drawn.camera.vfov_deg),
        "panorama": panorama, "place": scene.panoramas[panorama].place, "split": split, "index": index,
        "seed": scene.job.seed, "recipe": scene.recipe.name, "drawn": drawn.values, "clamped": drawn.clamped,
        "source_pixels": round(source_pixels(drawn.camera, cached.width / (2 * np.pi)), 4),
    }  # fmt: skip
    return key, encode(image, scene.job.format, scene.job.quality), label


def encode(image: np.ndarray, suffix: str, quality: int) -> bytes:
    if suffix not in FORMATS:
        raise FormatError(f"Unknown picture format '{suffix}'. Use {', '.join(FORMATS)}.")
    buffer = io.BytesIO()
    more = {"subsampling": 0} if suffix == "jpg" else {"compress_level": 3} if suffix == "png" else {}
    Image.fromarray(image).save(buffer, FORMATS[suffix], quality=quality, **more)
    return buffer.getvalue()


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)  # no time, no owner: the same views give the same bytes
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def read_shard(path: Path) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """Key, picture file and label of every view of a shard."""
    with tarfile.open(path) as archive:
        picture = b""
        for entry in archive:
            file = archive.extractfile(entry)
            assert file is not None
            if entry.name.endswith(".json"):
                yield entry.name.removesuffix(".json"), picture, json.loads(file.read())
            else:
                picture = file.read()
