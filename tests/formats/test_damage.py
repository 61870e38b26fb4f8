"""Files damaged at random are read or refused with a FormatError; nothing else ever comes out."""

import numpy as np
import pytest

from anylens import FormatError
from anylens.formats import FORMATS, read, write

from .cases import cameras_of

READABLE = [name for name, row in FORMATS.items() if row.reads]
PIECES = list(b"[]{}:-,0.e\n \"'<>/&#!")


def damage(data: bytes, rng: np.random.Generator) -> bytes:
    """A few bytes changed, taken out or put in."""
    out = bytearray(data)
    for _ in range(rng.integers(1, 6)):
        at = int(rng.integers(len(out) + 1))
        kind = rng.integers(3)
        if kind == 0:
            out[at : at + 1] = bytes([rng.integers(256)])
        elif kind == 1:
            del out[at : at + int(rng.integers(1, 20))]
        else:
            out[at:at] = bytes(rng.choice(PIECES, rng.integers(1, 5)).astype(np.uint8))
    return bytes(out)


@pytest.mark.parametrize("format_name", READABLE)
def test_damage_is_a_format_error_or_harmless(tmp_path, format_name):
    model = FORMATS[format_name].holds[-1]
    camera = next(c for c in cameras_of(model) if max(c.hfov_deg, c.vfov_deg) < 180)
    write(camera, tmp_path / "file", format_name)
    data, rng, refused = (tmp_path / "file").read_bytes(), np.random.default_rng(0), 0
    for i in range(150):
        try:
            read(damage(data, rng), format_name if i % 2 else None)
        except FormatError:
            refused += 1
    assert refused > 10


@pytest.mark.parametrize("text", ['[{"frames": []}]', '{"frames": [3]}', '{"cameras": 3}', '{"camera": {}}',
    '<?xml version="1.0" encoding="UTFw8"?><calibration/>', "cam0: 3\n", "cam0:\n  intrinsics: {a: 1}\n"])  # fmt: skip
def test_wrong_shapes_are_format_errors(text):
    with pytest.raises(FormatError):
        read(text)
