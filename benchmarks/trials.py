"""What the choices behind the laptop network are worth: short training trials of equal time, one table.

Every trial starts from the same weights, has the machine to itself for the same number of seconds and differs from the
first one in one setting; its rate falls to zero at the end. The averaged weights are then exported and judged as a user
would meet them, by the median error of the horizontal field of view with the network alone: on the photographs of
held-out sources, and on folders with known cameras that were not trained on.

    python benchmarks/trials.py --data panoramas --photos photographs --init dinov2s.pt --judge op_g world

With `--init weights/laptop.safetensors` trials go on from the shipped network (those of another architecture cannot).
Minutes show what learns fast, not what ends best: a rate or a frozen block that loses here by little may win in hours.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from anylens.calibration import Options
from anylens.cli.export_onnx import ExportOnnx
from anylens.evaluation.methods.product import Configuration, Observer
from anylens.evaluation.sample import Sample
from anylens.evaluation.sets.opening import open_set
from anylens.training.batches import Batch, Source, rendered_views
from anylens.training.config import TrainConfig
from anylens.training.loop import train

TRIALS: dict[str, dict[str, Any]] = {
    "as shipped": {},
    "6 blocks, taps after 3, 6": {"taps": (3, 6)},
    "12 blocks, taps after 4, 8, 12": {"taps": (4, 8, 12)},
    "nothing frozen": {"frozen": -1},
    "6 blocks frozen": {"frozen": 6},
    "9 blocks frozen": {"frozen": 9},
    "head of 96 channels": {"width": 96},
    "head of 288 channels": {"width": 288},
    "views of 112²": {"area": 112 * 112, "late_area": 112 * 112},
    "views of 140²": {"area": 140 * 140, "late_area": 140 * 140},
    "rate 1e-3": {"rate": 1e-3},
    "rate 1.5e-4": {"rate": 1.5e-4},
    "focal distribution × 0.2": {"focal_weight": 0.02},
    "focal distribution × 4": {"focal_weight": 0.4},
    "no log-variance": {"variance_weight": 0.0},
    "angle between rays": {"loss": "rays-angle"},
    "no photographs": {"photo_ratio": 0.0},
    "half photographs": {"photo_ratio": 0.5},
    "dropout of 0.1": {"dropout": 0.1},
    "plain appearance": {"augment": "none"},
    "strong appearance": {"augment": "strong"},
}
CONSTANT = 0.3  # share of the time before the rate begins to fall


@dataclass
class Settings:
    data: str
    """Folder of panoramas."""
    photos: str
    """Folder of photographs with focal lengths."""
    init: str
    """Weights of the pretrained encoder, or of a network to go on from."""
    judge: tuple[str, ...] = ()
    """Folders with known cameras (shards of `anylens render`, a manifest) of places that no trial is trained on."""
    seconds: float = 120.0
    """Of training per trial, once its first batch is there."""
    threads: int = 2
    precision: str = "bfloat16"
    only: tuple[str, ...] = ()
    """Names of trials; all without it."""
    json: Path | None = None
    """File that collects the figures; trials that are in it are not repeated."""


def for_seconds(limit: float) -> Source:
    """The usual views, with a polite request to stop once the time is over."""

    def source(*arguments: Any) -> Iterator[Batch]:
        end = None
        for batch in rendered_views(*arguments):
            end = end or time.perf_counter() + limit
            if time.perf_counter() > end:
                os.kill(os.getpid(), signal.SIGTERM)
            yield batch

    return source


def run_trial(config: TrainConfig, judges: dict[str, list[Sample]], seconds: float) -> dict[str, float]:
    """Views seen and medians by judge. The first part tells how many steps the rest of the time holds."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        steps = train(config, out, source=for_seconds(CONSTANT * seconds))
        rest = round(steps * (1 - CONSTANT) / CONSTANT)
        steps = train(replace(config, steps=steps + rest, cooldown=rest), out)
        with contextlib.redirect_stdout(io.StringIO()):  # its line does not belong into the table
            ExportOnnx(out / "weights.safetensors", out / "network.onnx", half=True).run()
        alone = Options(exif="ignore", edges=False, prior="none")
        observer = Observer([Configuration("alone", alone, str(out / "network.onnx"))], threads=config.threads)
        return {"views": steps * config.batch} | {
            name: float(np.median([error(observer, sample) for sample in samples])) for name, samples in judges.items()
        }


def error(observer: Observer, sample: Sample) -> float:
    """Of the horizontal field of view in degrees; infinite for a failure."""
    found = observer.estimate(sample)["alone"]
    return float("inf") if found.error else abs(found.hfov_deg - sample.hfov_deg)


def main(s: Settings) -> None:
    base = TrainConfig(
        data=s.data, photos=s.photos, init=s.init, threads=s.threads, precision=s.precision, steps=10**6, warmup=60,
        ema=0.99, checkpoint_minutes=1e9, validate_every=10**9, validation_views=0,
    )  # fmt: skip
    held = [sample for split in ("val", "test") for sample in open_set(s.photos, split=split).samples]
    judges = {"photographs": held} | {Path(folder).name: list(open_set(folder).samples) for folder in s.judge}
    found = json.loads(s.json.read_text()) if s.json and s.json.is_file() else {}
    print("| trial | views | " + " | ".join(judges) + " |\n" + "|---" * (2 + len(judges)) + "|")
    for name, changes in TRIALS.items():
        if s.only and name not in s.only:
            continue
        if name not in found:
            found[name] = run_trial(replace(base, **changes), judges, s.seconds)
            if s.json:
                s.json.write_text(json.dumps(found, indent=1) + "\n")
        figures = [f"{found[name][key]:.2f}°" for key in judges]
        print(f"| {name} | {found[name]['views']:,.0f} | " + " | ".join(figures) + " |", flush=True)


if __name__ == "__main__":
    main(tyro.cli(Settings))
