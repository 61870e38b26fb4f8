"""Small picture files: drawings with few colours as palette PNG, photographs as JPEG."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image


def save_small(figure: Any, path: Path, colours: int = 96) -> None:
    """A matplotlib figure as a PNG with a palette."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    picture = Image.open(buffer).convert("RGB")
    picture.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)


def save_photo(figure: Any, path: Path, quality: int = 84) -> None:
    """A matplotlib figure that shows photographs, as a JPEG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    Image.open(buffer).convert("RGB").save(path, quality=quality, optimize=True)


def side_by_side(pictures: list[np.ndarray], height: int, gap: int = 12) -> Image.Image:
    """Pictures of one height beside each other on white."""
    scaled = [Image.fromarray(p) for p in pictures]
    scaled = [p.resize((round(p.width * height / p.height), height), Image.Resampling.LANCZOS) for p in scaled]
    out = Image.new("RGB", (sum(p.width for p in scaled) + gap * (len(scaled) - 1), height), "white")
    x = 0
    for p in scaled:
        out.paste(p, (x, 0))
        x += p.width + gap
    return out
