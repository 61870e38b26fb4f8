"""One 12-megapixel JPEG, warm, everything included: from the path to the camera, beside decoding it with Pillow.

    python benchmarks/one_photo.py [ROUNDS]

The photos are the bundled examples, enlarged, with grain, as JPEGs of two to three megabytes. Ratios: against Pillow's
decoding of the same file at full size (what any program that looks at the photo pays), and against the bare network in
ONNX Runtime. CPU time shows what the second core does: more than the wall time means that it helps.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from anylens.calibration import Calibrator
from anylens.examples import example_names, example_path

SIZE = (4000, 3000)


def make_photos(folder: Path) -> list[Path]:
    rng = np.random.default_rng(0)
    paths = []
    for name in example_names():
        large = Image.open(example_path(name)).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
        grain = rng.normal(0, 4, (SIZE[1], SIZE[0], 1))
        paths.append(folder / f"{name}.jpg")
        Image.fromarray(np.clip(np.asarray(large) + grain, 0, 255).astype(np.uint8)).save(paths[-1], quality=90)
    return paths


def measure(task: Callable[[Path], object], paths: list[Path], rounds: int) -> tuple[float, float]:
    """Median wall and CPU milliseconds of one photo."""
    wall, cpu = [], []
    for path in paths:
        task(path)
    for _ in range(rounds):
        for path in paths:
            start, busy = time.perf_counter(), time.process_time()
            task(path)
            wall.append(1e3 * (time.perf_counter() - start))
            cpu.append(1e3 * (time.process_time() - busy))
    return statistics.median(wall), statistics.median(cpu)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as place:
        paths = make_photos(Path(place))
        calibrator = Calibrator()
        predictor = calibrator.predictor()
        pictures = {path: predictor.prepare(np.asarray(Image.open(path)))[1][None] for path in paths}
        ours, busy = measure(calibrator, paths, rounds)
        decode, _ = measure(lambda path: Image.open(path).load(), paths, rounds)
        network, _ = measure(lambda path: predictor.answer(pictures[path]), paths, rounds)
        stages = [calibrator(path).ms for path in paths]
    parts = ", ".join(f"{k} {statistics.median(s[k] for s in stages):.0f}" for k in stages[0] if k != "total")
    print(f"one photo of {SIZE[0]}x{SIZE[1]}: {ours:.0f} ms, {busy:.0f} ms of CPU  ({parts})")
    print(f"  {ours / decode:.2f} x Pillow's full decoding ({decode:.0f} ms)")
    print(f"  {ours / network:.2f} x the bare network ({network:.0f} ms)")


if __name__ == "__main__":
    main()
