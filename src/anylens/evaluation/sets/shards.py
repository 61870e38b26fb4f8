"""The shards of `anylens render` as a data set: exact cameras, group = recipe, camera = place."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

from anylens.camera import Camera
from anylens.errors import AnylensError
from anylens.evaluation.sample import Problem, Sample
from anylens.evaluation.sets.pictures import TarMember


def shard_samples(folder: Path, rows: list[dict[str, Any]]) -> tuple[list[Sample], list[Problem]]:
    """Samples of the rows of a rendered set's manifest, their pictures read from the tars when asked for."""
    members: dict[str, dict[str, TarMember]] = {}
    samples, problems = [], []
    for row in rows:
        name, key = str(row.get("shard")), str(row.get("key"))
        try:
            if name not in members:
                members[name] = _members(folder / name)
            camera = Camera.from_dict(row["camera"])
            member = members[name][key]
        except (AnylensError, OSError, tarfile.TarError, KeyError) as error:
            problems.append(Problem(f"{name}/{key}", f"{type(error).__name__}: {error}"))
            continue
        samples.append(
            Sample(
                f"{name}/{key}",
                member,
                int(camera.width),
                int(camera.height),
                camera,
                float(camera.hfov_deg),
                float(camera.vfov_deg),
                str(row.get("recipe", "rendered")),
                str(row.get("place") or row.get("panorama") or key),
                split=str(row.get("split", "")),
            )
        )
    return samples, problems


def _members(path: Path) -> dict[str, TarMember]:
    with tarfile.open(path) as archive:
        return {
            entry.name.rsplit(".", 1)[0]: TarMember(path, entry.offset_data, entry.size)
            for entry in archive
            if entry.isfile() and not entry.name.endswith(".json")
        }
