"""Small pictures and manifests that tests write."""

import json
import os
import signal
import time

import numpy as np
from PIL import Image

from anylens.evaluation.sample import Estimate


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


class DeadlyOnce:
    """A method whose process dies on one photo until `dead` exists; every photo it looks at is a line of `seen`.

    Worker processes import this file by its own name.
    """

    name, whole = "deadly", False

    def __init__(self, folder, file):
        self.dead, self.seen, self.file = folder / "dead", folder / "seen", file

    def run(self, samples):
        for sample in samples:
            if sample.file == self.file and not self.dead.exists():
                while not (self.seen.exists() and {"0.png", "1.png"} <= set(self.seen.read_text().split())):
                    time.sleep(0.01)
                time.sleep(0.5)  # for the answers to arrive
                self.dead.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            with open(self.seen, "a") as file:
                file.write(sample.file + "\n")
            yield Estimate(sample.file, hfov_deg=50.0, vfov_deg=40.0)
