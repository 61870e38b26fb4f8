"""Where prepared pictures are kept between runs, and how a file is written so that nobody sees half of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder(given: str | os.PathLike | None = None) -> Path:
    """`given`, else $ANYLENS_CACHE, else the user's cache folder of the platform; created if missing."""
    chosen = given or os.environ.get("ANYLENS_CACHE")
    if chosen:
        folder = Path(chosen).expanduser()
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")).expanduser() / "anylens" / "cache"
    elif sys.platform == "darwin":
        folder = Path("~/Library/Caches/anylens").expanduser()
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "anylens"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_atomically(path: Path, *parts: bytes | memoryview, sync: bool = True) -> None:
    """Write the parts to `path` by way of a temporary name beside it, flushed to the disk if `sync`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with open(temporary, "wb") as file:
        for part in parts:
            file.write(part)
        if sync:
            file.flush()
            os.fsync(file.fileno())
    os.replace(temporary, path)
