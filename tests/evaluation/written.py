"""Small pictures and manifests that tests write."""

import json

import numpy as np
from PIL import Image


def write_picture(path, width=64, height=48, value=120):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((height, width, 3), value, np.uint8)).save(path)


def write_manifest(folder, rows):
    folder.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / "manifest.jsonl").write_text("\n".join(lines) + "\n")


def pinhole_row(file, f=60.0, width=64, height=48, **more):
    params = {"fx": f, "fy": f, "cx": width / 2, "cy": height / 2}
    return {"file": file, "width": width, "height": height, "model": "pinhole", "params": params, **more}


class Held:
    """A picture in memory as the source of a sample."""

    def __init__(self, pixels):
        self.pixels = pixels

    def load(self):
        return self.pixels
