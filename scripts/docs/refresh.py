"""Draw the manual's pictures and renew the printed results in it:  python scripts/docs/refresh.py [PART…]

Parts: curves, diagrams, lenses, photos, page, outputs; all of them by default. Run it after a new network or a new
camera model. `page` needs Playwright and chromium.
"""

from __future__ import annotations

import sys
from pathlib import Path

import curves
import diagrams
import lenses
import outputs
import page
import photos

DOCS = Path(__file__).resolve().parents[2] / "docs"


def main(parts: list[str]) -> None:
    images = DOCS / "images"
    images.mkdir(parents=True, exist_ok=True)
    drawn = {"curves": curves, "diagrams": diagrams, "lenses": lenses, "photos": photos, "page": page}
    for name, module in drawn.items():
        if not parts or name in parts:
            module.draw_all(images)
    if not parts or "outputs" in parts:
        for text in sorted(DOCS.rglob("*.md")):
            if outputs.renew(text):
                print(f"renewed {text.relative_to(DOCS)}")


if __name__ == "__main__":
    main(sys.argv[1:])
