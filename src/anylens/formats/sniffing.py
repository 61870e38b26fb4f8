"""Which format is this? From the content first, from the file name where contents look alike."""

from __future__ import annotations

import re
from pathlib import Path

from anylens.errors import FormatError
from anylens.formats.table import FORMATS, Format

PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"II*\0", b"MM\0*")
TOO_LARGE = 256 * 2**20  # bytes; a camera file beyond this is something else


def load(source: str | Path | bytes) -> tuple[bytes, str]:
    """Content and name of a path, or the given text or bytes. A COLMAP folder stands for its cameras file."""
    if isinstance(source, bytes):
        return source, "The camera data"
    if isinstance(source, str) and ("\n" in source or source.lstrip()[:1] in ("{", "<", "[")):
        return source.encode(), "The camera text"
    path = Path(source)
    try:
        if path.is_dir():
            path = _in_folder(path)
        if not path.is_file():
            raise FormatError(f"There is no camera file '{path}'.")
        if path.stat().st_size > TOO_LARGE:
            raise FormatError(f"'{path}' is too large for a camera file ({path.stat().st_size >> 20} MiB).")
        return path.read_bytes(), path.name
    except (OSError, ValueError) as error:
        raise FormatError(f"Cannot read '{path}': {getattr(error, 'strerror', None) or error}.") from None


def _in_folder(path: Path) -> Path:
    for name in ("cameras.bin", "cameras.txt", "transforms.json"):
        for place in (path, path / "sparse" / "0", path / "0"):
            if (place / name).is_file():
                return place / name
    raise FormatError(f"The folder '{path}' has no cameras.bin, cameras.txt or transforms.json.")


def sniff(content: bytes, name: str) -> Format:
    """The format of a camera file. Raises FormatError if it looks like none."""
    if content.startswith(PICTURES):
        raise FormatError(f"{name} is a picture, not a camera file. Find its camera first: anylens {name} --json.")
    if name.lower().endswith(".bin") or b"\0" in content[:64]:
        return FORMATS["colmap_binary"]
    text = content.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if text[:1] in ("{", "["):
        foreign = re.search(r'"(fl_x|camera_angle_x|camera_model|frames)"\s*:', text)
        return FORMATS["nerfstudio" if foreign else "anylens"]
    if text[:1] == "<":
        return FORMATS["metashape"]
    if text.startswith("%YAML") or "opencv-matrix" in text:
        fisheye = re.search(r"^\s*fisheye_model\s*:\s*(1|true)\s*$", text, re.MULTILINE | re.IGNORECASE)
        return FORMATS["opencv_fisheye" if fisheye else "opencv"]
    if re.search(r"^\s+intrinsics\s*:", text, re.MULTILINE):
        return FORMATS["kalibr"]
    if re.search(r"^distortion_model\s*:", text, re.MULTILINE):
        return FORMATS["ros"]
    if re.search(r"^(camera_matrix|K)\s*:", text, re.MULTILINE):
        return FORMATS["opencv"]
    if re.search(r"^(\d+)\s+[A-Z_]+\s+\d+\s+\d+\s", text, re.MULTILINE):
        return FORMATS["colmap_text"]
    raise FormatError(f"{name} looks like no camera format known here. Name it: {', '.join(FORMATS)}.")
