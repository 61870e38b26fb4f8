"""How wide the EXIF prior should be: held-out photographs with known focal length, a tenth of the tags falsified.

    python benchmarks/exif_prior.py FOLDER [COUNT]

FOLDER holds manifest.jsonl (`file`, `f35`, `source`, …) as `anylens collect` writes it. The tag of a tenth of the
photographs is replaced by that of another one. For several widths and shares of doubt: the median error of the
horizontal field of view with true tags and with falsified ones, and how often a stated 68 % interval of the focal
length holds the label. The ratio is against the same photographs without tags.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np

from anylens.calibration import Calibrator, Options
from anylens.calibration.scale import weigh
from anylens.calibration.shape import fit_shape
from anylens.data.splits import assign_splits
from anylens.evidence import HALF_DIAGONAL_MM, Evidence, from_35mm

GRID = ((0.03, 0.05), (0.05, 0.05), (0.05, 0.1), (0.05, 0.2), (0.08, 0.1))
FALSE_SHARE = 0.1


def held_out(folder: Path, count: int) -> list[dict]:
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    split = assign_splits(row["source"] for row in rows)
    rows = [row for row in rows if split[row["source"]] != "train" and row["trust"] != "low"]
    order = np.random.default_rng(0).permutation(len(rows))
    return [rows[i] for i in order[:count]]


def hfov(log_f: float, row: dict) -> float:
    half = row["width"] / math.hypot(row["width"], row["height"])
    return 2 * math.degrees(math.atan(half / math.exp(log_f)))


def summary(found: list[Evidence], rows: list[dict], which: np.ndarray) -> tuple[float, float]:
    """Median error in degrees and the share of labels inside the stated interval."""
    true = [math.log(row["f35"] / HALF_DIAGONAL_MM) for row in rows]
    errors = [abs(hfov(e.median, r) - hfov(t, r)) for e, r, t in zip(found, rows, true)]
    inside = [e.interval()[0] <= t <= e.interval()[1] for e, t in zip(found, true)]
    return float(np.median(np.array(errors)[which])), float(np.mean(np.array(inside)[which]))


def main() -> None:
    folder, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rows, options, calibrator = held_out(folder, count), Options(exif="ignore"), Calibrator()
    base = []
    for row in rows:
        [seen] = calibrator.observe([folder / row["file"]], options)
        base.append(weigh(seen, fit_shape(seen, Options("simple_pinhole")), options).evidence)
    rng = np.random.default_rng(1)
    false = rng.random(len(rows)) < FALSE_SHARE
    tags = np.array([row["f35"] for row in rows])
    told = np.where(false, rng.permutation(tags), tags * np.exp(rng.normal(0, 0.02, len(rows))))
    false &= np.abs(np.log(told / tags)) > 0.15  # another photograph's tag that says the same is no lie
    plain, plain_false = summary(base, rows, ~false), summary(base, rows, false)
    print(f"{len(rows)} photographs, {false.sum()} false tags")
    print(f"no tags            true {plain[0]:5.2f}° ({plain[1]:.0%} inside)   false {plain_false[0]:5.2f}°")
    for std, doubt in GRID:
        found = [e.plus("exif", from_35mm(float(t), std, doubt)) for e, t in zip(base, told)]
        good, bad = summary(found, rows, ~false), summary(found, rows, false)
        ratio = f"{good[0] / plain[0]:.2f} x and {bad[0] / plain_false[0]:.2f} x"
        print(f"std {std:.2f} doubt {doubt:.2f}  true {good[0]:5.2f}° ({good[1]:.0%} inside)   "
              f"false {bad[0]:5.2f}° ({bad[1]:.0%} inside)   {ratio}")  # fmt: skip


if __name__ == "__main__":
    main()
