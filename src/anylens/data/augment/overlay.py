"""Things on top of a photograph: uniform borders, patches and date stamps."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw


def add_border(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A frame of one colour, up to 6 % of the shorter side, on all sides or on two opposite ones."""
    out = image.copy()
    size = max(1, int(rng.uniform(0.01, 0.06) * min(image.shape[:2])))
    colour = rng.choice(np.array([0, 255, 128, 30])) + np.zeros(3, np.uint8)
    sides = int(rng.integers(3))
    if sides != 1:
        out[:size] = out[-size:] = colour
    if sides != 2:
        out[:, :size] = out[:, -size:] = colour
    return out


def erase_patches(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One to three rectangles of one colour each, up to 35 % of each side."""
    out = image.copy()
    height, width = image.shape[:2]
    for _ in range(int(rng.integers(1, 4))):
        h, w = (max(1, int(side * rng.uniform(0.08, 0.35))) for side in (height, width))
        y, x = int(rng.integers(height - h + 1)), int(rng.integers(width - w + 1))
        out[y : y + h, x : x + w] = rng.integers(0, 256, 3, dtype=np.uint8)
    return out


def add_stamp(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A date in orange or white in a lower corner, as compact cameras print it."""
    picture = Image.fromarray(image)
    text = f"{rng.integers(1, 13):02d}/{rng.integers(1, 29):02d}/{rng.integers(1998, 2025)}"
    height, width = image.shape[:2]
    size = max(6, int(rng.uniform(0.04, 0.09) * height))
    draw = ImageDraw.Draw(picture)
    font = draw.getfont()
    box = draw.textbbox((0, 0), text, font=font)
    mask = Image.new("L", (int(box[2]) + 1, int(box[3]) + 1), 0)
    ImageDraw.Draw(mask).text((0, 0), text, fill=255, font=font)
    mask = mask.resize((max(1, mask.width * size // mask.height), size))
    x = int(rng.uniform(0.02, 0.06) * width)
    x = x if rng.random() < 0.3 else max(0, width - mask.width - x)
    colour = (255, 140, 40) if rng.random() < 0.7 else (250, 250, 250)
    picture.paste(colour, (x, max(0, height - size - int(0.04 * height))), mask)
    return np.asarray(picture)
