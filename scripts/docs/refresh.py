"""Draw the manual's pictures and renew the printed results in it:  python scripts/docs/refresh.py [PART…]

Parts: curves, diagrams, photos, outputs; all of them by default. Run it after a new network or a new model.
"""

from __future__ import annotations

import sys
from pathlib import Path

import curves
import diagrams
import outputs
import photos

DOCS = Path(__file__).resolve().parents[2] / "docs"


def main(parts: list[str]) -> None:
    images = DOCS / "images"
    images.mkdir(parents=True, exist_ok=True)
    for name, module in (("curves", curves), ("diagrams", diagrams), ("photos", photos)):
        if not parts or name in parts:
            module.draw_all(images)
    if not parts or "outputs" in parts:
        for page in sorted(DOCS.rglob("*.md")):
            if outputs.renew(page):
                print(f"renewed {page.relative_to(DOCS)}")


if __name__ == "__main__":
    main(sys.argv[1:])
