"""A folder of small photos through `anylens calibrate FOLDER --out`: photos per second, share of the network, resume.

    python benchmarks/folder.py [COUNT] [PROCESSES]

The ratio is against the network alone on as many threads of one process: what remains is reading, edges and fits.
Then the same run is killed (SIGKILL) in the middle and resumed; its rows must be those of the unbroken one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from anylens.calibration import Calibrator
from anylens.examples import example_names, example_path

ASPECTS = (4 / 3, 3 / 2, 1.0, 3 / 4, 16 / 9)


def make_folder(folder: Path, count: int) -> None:
    """Crops of the example photos, each different: 240 to 640 pixels, five aspect ratios, JPEG quality 50 to 95."""
    rng = np.random.default_rng(0)
    sources = [Image.open(example_path(name)).convert("RGB") for name in example_names()]
    for i in range(count):
        source, aspect = sources[i % len(sources)], ASPECTS[rng.integers(len(ASPECTS))]
        w = min(source.width, source.height * aspect) * rng.uniform(0.5, 1.0)
        h = w / aspect
        x, y = rng.uniform(0, source.width - w), rng.uniform(0, source.height - h)
        side = rng.integers(240, 641)
        size = (int(side), round(side / aspect)) if aspect >= 1 else (round(side * aspect), int(side))
        photo = source.resize(size, Image.Resampling.LANCZOS, box=(x, y, x + w, y + h))
        photo.save(folder / f"{i:05}.jpg", quality=int(rng.integers(50, 96)))


def command(folder: Path, out: Path, processes: int) -> list[str]:
    run = "from anylens.cli import entry; entry()"
    return [sys.executable, "-c", run, "calibrate", str(folder), "--out", str(out), "--jobs", str(processes)]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as place:
        folder, whole, broken = Path(place) / "photos", Path(place) / "whole.jsonl", Path(place) / "broken.jsonl"
        folder.mkdir()
        make_folder(folder, count)
        start = time.perf_counter()
        subprocess.run(command(folder, whole, processes), check=True, stderr=subprocess.DEVNULL)
        taken = time.perf_counter() - start
        print(f"{count} photos in {taken:.1f} s on {processes} processes: {count / taken:.1f} photos/s")

        predictor = Calibrator(threads=processes, batch=1).predictor()
        some = [np.asarray(Image.open(p)) for p in sorted(folder.iterdir())[:60]]
        predictor.many(some[:10])
        start = time.perf_counter()
        for photo in some:
            predictor.many([photo])
        alone = len(some) / (time.perf_counter() - start)
        print(f"network alone: {alone:.1f} photos/s; its share of the run {count / taken / alone:.0%}")

        process = subprocess.Popen(
            command(folder, broken, processes), stderr=subprocess.DEVNULL, start_new_session=True
        )
        while process.poll() is None and (not broken.exists() or broken.read_bytes().count(b"\n") < count // 2):
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        kept = broken.read_bytes().count(b"\n")
        subprocess.run(command(folder, broken, processes), check=True, stderr=subprocess.DEVNULL)
        same = broken.read_bytes() == whole.read_bytes()
        print(f"killed after {kept} rows and resumed: {'identical' if same else 'DIFFERENT'} rows")


if __name__ == "__main__":
    main()
