"""Open picture files without trusting them: nothing is decoded before its size is known to be reasonable.

Pillow's own size limit is a global setting; here the limit is an argument, so formats are tried one by one.
Formats that run other programs (EPS) or that are not photographs (PDF, video, scientific stubs) are left out.
"""

from __future__ import annotations

import errno
import io
import stat
import struct
from pathlib import Path
from typing import Any

from PIL import Image

from anylens.errors import ImageError

MAX_PIXELS = 125_000_000  # decoded as RGB with a copy: about 1.3 GB
MIN_SIDE = 16  # nothing can be seen in less
MAX_BYTES = 2**31
QUICK = ("JPEG", "PNG", "GIF", "BMP", "PPM")
OTHERS = (
    "TIFF",
    "WEBP",
    "AVIF",
    "MPO",
    "JPEG2000",
    "TGA",
    "ICO",
    "DDS",
    "PCX",
    "SGI",
    "PSD",
    "QOI",
    "DIB",
    "HEIF",
)
REASONS = {errno.ENOENT: "there is no such file", errno.EACCES: "no permission to read it",
           errno.ELOOP: "a loop of symbolic links", errno.EISDIR: "it is a folder",
           errno.ENAMETOOLONG: "its name is too long"}  # fmt: skip


def read_bytes(path: str | Path) -> bytes:
    """The content of a regular file. Raises ImageError with the reason."""
    path = Path(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ImageError(f"{path.name}: it is {'a folder' if path.is_dir() else 'not a regular file'}.")
        if status.st_size == 0:
            raise ImageError(f"{path.name}: the file is empty.")
        if status.st_size > MAX_BYTES:
            raise ImageError(f"{path.name}: {status.st_size / 2**30:.1f} GiB is too large for a photograph.")
        return path.read_bytes()
    except OSError as error:
        reason = REASONS.get(error.errno or 0, error.strerror or str(error))
    except RuntimeError:  # Python before 3.13 reports some link loops so
        reason = REASONS[errno.ELOOP]
    except ValueError as error:  # a NUL in the name
        reason = str(error)
    raise ImageError(f"{path.name}: {reason}.") from None


def open_picture(data: bytes, name: str, max_pixels: int = MAX_PIXELS) -> Image.Image:
    """An image whose header is read and whose pixels are not. Raises ImageError."""
    if not data:
        raise ImageError(f"{name}: the file is empty.")
    picture = _identify(data, name)
    width, height = picture.size
    if width * height > max_pixels:
        raise ImageError(f"{name}: {width}x{height} is more than {max_pixels / 1e6:.0f} megapixels. Shrink it first.")
    if min(width, height) < MIN_SIDE:
        raise ImageError(f"{name}: {width}x{height} is too small; each side needs {MIN_SIDE} pixels.")
    tags: Any = getattr(picture, "tag_v2", None)
    if tags is not None and (50706 in tags or int(tags.get(254, 0) or 0) & 1):
        raise ImageError(f"{name}: a raw file; only its thumbnail could be read. Develop it to JPEG or TIFF first.")
    return picture


def load_pixels(picture: Image.Image, name: str) -> Image.Image:
    """Decode the first frame. Raises ImageError for damaged data."""
    try:
        picture.load()
    except MemoryError:
        raise ImageError(f"{name}: not enough memory to decode it.") from None
    except Exception as error:  # decoders of damaged files raise nearly everything
        raise ImageError(f"{name}: damaged or cut off ({_short(error)}).") from None
    return picture


def _identify(data: bytes, name: str) -> Image.Image:
    Image.preinit()
    damaged: Exception | None = None
    for group in (QUICK, OTHERS):
        if group is OTHERS:
            Image.init()
        for kind in group:
            if kind not in Image.OPEN:
                continue
            factory, accept = Image.OPEN[kind]
            try:
                if accept is not None and accept(data[:16]) is not True and not accept(data[:16]):
                    continue
                return factory(io.BytesIO(data), name)  # type: ignore[arg-type]
            except (SyntaxError, IndexError, TypeError, struct.error):
                continue
            except Exception as error:  # a format that recognised its file and found it broken
                damaged = error
    if damaged is not None:
        raise ImageError(f"{name}: damaged or cut off ({_short(damaged)}).")
    raise ImageError(f"{name}: {_guess(data)}.")


def _guess(data: bytes) -> str:
    """What a file that is no readable picture is instead, with the way out."""
    if data[4:8] == b"ftyp" and data[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"heim", b"hevc"):
        return "HEIC is read with the package pillow-heif: install it and import it, or save the photo as JPEG"
    if data[:4] == b"\x76\x2f\x31\x01":
        return "OpenEXR is not read as a photograph; convert it to PNG or TIFF"
    if data[4:8] == b"ftyp" or data[:4] == b"\x1aE\xdf\xa3" or (data[:4] == b"RIFF" and data[8:12] == b"AVI "):
        return "a video, not a photograph"
    if data[:4] in (b"%PDF", b"PK\x03\x04"):
        return "a document or archive, not a picture"
    if data[:3] == b"\xff\xd8\xff" or data[:8] == b"\x89PNG\r\n\x1a\n":
        return "damaged or cut off in its header"
    if all(c in b"\t\n\r\f" or c >= 32 for c in data[:512]):
        return "text, not a picture"
    return "not a picture format that can be read here"


def _short(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) < 90 else text[:87] + "..."
