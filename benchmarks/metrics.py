"""Speed of scoring precomputed predictions: 10,000 photos, and the sub-grid against every pixel in the same run.

python benchmarks/metrics.py [--photos 10000] [--jobs 2]
"""

import argparse
import os
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402

from anylens import Camera  # noqa: E402
from anylens.evaluation.run import score_all, summaries  # noqa: E402
from anylens.evaluation.sample import Estimate, Sample  # noqa: E402

GRID = 40
SIZE = (640, 480)


def make(count: int, seed: int = 0) -> tuple[list[Sample], dict[str, dict[str, Estimate]]]:
    """Photos of four models and estimates that are a few per cent off."""
    rng = np.random.default_rng(seed)
    coefs = {"pinhole": [], "radial:1": [-0.03], "kb:4": [0.01, -0.005, 0.001, 0.0], "ucm": [0.7]}
    samples, found = [], {}
    w, h = SIZE
    for i in range(count):
        model = list(coefs)[i % 4]
        f = w / 2 / np.tan(np.radians(rng.uniform(40, 100)) / 2) * (1.7 if model == "ucm" else 1.0)
        truth = Camera(model, [f, f, w / 2, h / 2, *coefs[model]], w, h)
        guess = Camera(model, [f * rng.normal(1, 0.05)] * 2 + [w / 2 + rng.normal(0, 5), h / 2, *coefs[model]], w, h)
        samples.append(Sample(f"{i}.jpg", None, w, h, truth, float(truth.hfov_deg), float(truth.vfov_deg)))
        found[f"{i}.jpg"] = Estimate.of(f"{i}.jpg", guess)
    return samples, {"guess": found}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--photos", type=int, default=10_000)
    parser.add_argument("--full", type=int, default=40, help="photos that are also scored at every pixel")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    samples, estimates = make(args.photos)
    start = time.perf_counter()
    scores = score_all(samples, estimates, GRID, args.jobs)
    scored = time.perf_counter() - start
    summaries(samples, scores)
    total = time.perf_counter() - start
    few = samples[: args.full]
    start = time.perf_counter()
    exact = score_all(few, estimates, "full")
    full = (time.perf_counter() - start) / len(few)
    start = time.perf_counter()
    coarse = score_all(few, estimates, GRID)
    each = (time.perf_counter() - start) / len(few)
    gaps = [abs(exact["guess"][s.file].errors["ae_deg"] - coarse["guess"][s.file].errors["ae_deg"]) for s in few]
    print(
        f"{args.photos} photos, {GRID}x{GRID} points, {args.jobs} processes: {scored:.1f} s, {total:.1f} s with figures"
    )
    print(f"one photo: {1e3 * each:.1f} ms, every pixel {1e3 * full:.0f} ms ({full / each:.0f} x)")
    print(f"largest difference of AE from every pixel over {len(few)} photos: {max(gaps):.1e}°")


if __name__ == "__main__":
    main()
