"""What the choices behind the laptop network are worth: short training trials of equal time, one table.

Every trial starts from the same pretrained encoder, sees the same batches in the same order as far as it gets, has the
machine to itself for the same number of seconds, and differs from the first one in one setting. The averaged weights
are then asked about the same held-out views: places and sources that are in no training batch.

    python benchmarks/trials.py --data panoramas --photos photographs --init dinov2s.pt --seconds 120

Minutes show what learns fast, not what ends best: a rate or a frozen block that loses here by little may win in hours.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tyro

from anylens.network.weights import load_network
from anylens.training.batches import Batch, Source, rendered_views
from anylens.training.config import TrainConfig
from anylens.training.loop import train
from anylens.training.validation import Validation

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
    "rate 1e-3": {"rate": 1e-3},
    "rate 1.5e-4": {"rate": 1.5e-4},
    "focal distribution × 0.2": {"focal_weight": 0.01},
    "focal distribution × 4": {"focal_weight": 0.2},
    "no log-variance": {"variance_weight": 0.0},
    "angle between rays": {"loss": "rays-angle"},
    "a quarter photographs": {"photo_ratio": 0.25},
    "no photographs": {"photo_ratio": 0.0},
    "no dropout": {"dropout": 0.0},
    "plain appearance": {"augment": "none"},
}
COLUMNS = {
    "rendered_ae": "AE°",
    "rendered_log_focal": "Δ log f",
    "rendered_nats": "nats",
    "photo_log_focal": "photo Δ log f",
    "photo_nats": "photo nats",
    "edited_ae": "edited AE°",
}


@dataclass
class Settings:
    data: str
    """Folder of panoramas."""
    photos: str
    """Folder of photographs with focal lengths."""
    init: str
    """Weights of the pretrained encoder."""
    seconds: float = 120.0
    """Of training per trial, once its first batch is there."""
    views: int = 512
    """Held-out views."""
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


def run_trial(config: TrainConfig, judged: TrainConfig, seconds: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        steps = train(config, out, source=for_seconds(seconds))
        net, _ = load_network(out / "weights.safetensors")
        return {"views": steps * config.batch, **Validation(judged, out, rendered_views).run(net, steps)}


def main(s: Settings) -> None:
    base = TrainConfig(
        data=s.data, photos=s.photos, init=s.init, threads=s.threads, precision=s.precision, steps=10**6, warmup=100,
        checkpoint_minutes=1e9, validate_every=10**9, validation_views=0,
    )  # fmt: skip
    judged = replace(base, validation_views=s.views)  # the same views for all, whatever a trial was trained on
    found = json.loads(s.json.read_text()) if s.json and s.json.is_file() else {}
    print("| trial | views | " + " | ".join(COLUMNS.values()) + " |\n" + "|---" * (2 + len(COLUMNS)) + "|")
    for name, changes in TRIALS.items():
        if s.only and name not in s.only:
            continue
        if name not in found:
            found[name] = run_trial(replace(base, **changes), judged, s.seconds)
            if s.json:
                s.json.write_text(json.dumps(found, indent=1) + "\n")
        figures = [f"{found[name][key]:.3g}" for key in COLUMNS]
        print(f"| {name} | {found[name]['views']:,.0f} | " + " | ".join(figures) + " |", flush=True)


if __name__ == "__main__":
    main(tyro.cli(Settings))
