"""The recipe `lensfun`: every lens of the database, drawn alike, instead of uniform parameters."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from anylens.data.builtin import HELD, HELD_PITCH, HELD_ROLL
from anylens.data.folders import cache_folder, write_atomically
from anylens.data.lensfun.database import find_database, read_database
from anylens.data.lensfun.mapping import map_lenses
from anylens.data.recipes import Lens, Recipe, Setting

VERSION = 1
FISHEYE_SHARE = 0.25  # they are few in the database and matter more


def lensfun_recipe(path: str | None = None, cache: str | None = None) -> Recipe:
    """Recipe of the database at `path` (or where one is usually installed); the fits are cached."""
    where = find_database(path)
    rows = _mapped_rows(where, cache)
    lenses = []
    for model, share in (("radial:2", 1 - FISHEYE_SHARE), ("eucm", FISHEYE_SHARE)):
        fixed = tuple((row["hfov_deg"], *row["coefs"]) for row in rows if row["model"] == model)
        if fixed:
            lenses.append(Lens(model, share, fixed=fixed))
    setting = Setting(tuple(lenses), roll_deg=HELD_ROLL, pitch_deg=HELD_PITCH)
    return Recipe("lensfun", (setting,), aspect=HELD.aspect)


def _mapped_rows(where: Path, cache: str | None) -> list[dict]:
    files = sorted(where.rglob("*.xml")) if where.is_dir() else [where]
    digest = hashlib.sha256(str(VERSION).encode())
    for file in files:
        digest.update(file.read_bytes())
    note = cache_folder(cache) / f"lensfun-{digest.hexdigest()[:16]}.json"
    try:
        return json.loads(note.read_text())
    except (OSError, ValueError):
        pass
    mapped, _ = map_lenses(read_database(where))
    rows = [asdict(m) for m in mapped]
    write_atomically(note, json.dumps(rows).encode())
    return rows
