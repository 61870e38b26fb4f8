"""Photos to undistort, each with the file that it becomes."""

from __future__ import annotations

from pathlib import Path

from anylens.errors import ImageError
from anylens.examples import example_path
from anylens.images.saving import PILLOW

PHOTO_SUFFIXES = (*PILLOW, ".mpo", ".gif", ".ppm", ".jfif")


def find_photos(given: tuple[Path, ...], out: Path) -> list[tuple[Path, Path]]:
    """Photos with the files to write; folders are searched and keep their structure. Raises ImageError."""
    pairs: list[tuple[Path, Path]] = []
    for path in given:
        if str(path).startswith("example:"):
            path = example_path(str(path).removeprefix("example:"))
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in PHOTO_SUFFIXES and not p.is_dir())
            pairs += [(p, out / p.relative_to(path)) for p in inside if out.resolve() not in p.resolve().parents]
        else:
            pairs.append((path, out / path.name))
    if not pairs:
        raise ImageError("There are no photos to undistort in what was given.")
    pairs = [(p, t if t.suffix.lower() in PILLOW else t.with_suffix(".png")) for p, t in pairs]
    targets = [t for _, t in pairs]
    twice = next((t for t in targets if targets.count(t) > 1), None) if len(set(targets)) < len(targets) else None
    if twice is not None:
        raise ImageError(f"Two photos would both become '{twice}'. Undistort their folders one by one.")
    return pairs
