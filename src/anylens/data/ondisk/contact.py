"""A contact sheet: many small views on one page, with the model and field of view under each."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image, ImageDraw

CELL, CAPTION = 150, 14


def contact_sheet(rows: list[tuple[bytes, dict[str, Any]]], columns: int = 8) -> Image.Image:
    """The page for encoded pictures and their labels, in the given order."""
    lines = -(-len(rows) // columns)
    page = Image.new("RGB", (columns * (CELL + 4) + 4, lines * (CELL + CAPTION + 6) + 4), (24, 24, 24))
    draw = ImageDraw.Draw(page)
    for i, (picture, label) in enumerate(rows):
        with Image.open(io.BytesIO(picture)) as file:
            small = file.convert("RGB")
        small.thumbnail((CELL, CELL), Image.Resampling.LANCZOS)
        x, y = 4 + (i % columns) * (CELL + 4), 4 + (i // columns) * (CELL + CAPTION + 6)
        page.paste(small, (x + (CELL - small.width) // 2, y + (CELL - small.height) // 2))
        text = f"{label['camera']['model']}  {label['hfov_deg']:.0f}x{label['vfov_deg']:.0f}"
        draw.text((x + 2, y + CELL + 1), text, fill=(220, 220, 220))
    return page
