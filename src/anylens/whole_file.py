"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from anylens.errors import AnylensError


def write_whole(path: str | Path, content: bytes, error: type[AnylensError]) -> None:
    """Write beside and rename, so that no reader ever sees half a file. Raises `error` where that fails."""
    path = Path(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            partial.write_bytes(content)
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as reason:
        raise error(f"Cannot write '{path}': {reason.strerror or reason}.") from None
