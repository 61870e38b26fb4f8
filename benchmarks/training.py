"""Speed of training: views per second of the whole trainer, as a share of what its encoder alone could do.

The encoder alone is the forward pass of its blocks and the backward pass of those that train, on the very batches
that training sees, already in memory: a head, a loss, an optimiser and a data engine that cost nothing would reach
it. Each line changes one setting of the shipped recipe; all of them run one after another in one process, so they
compare with each other, and only on a machine that does nothing else.

    python benchmarks/training.py --data panoramas --photos photographs
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import tyro

from anylens.network.build import build_network
from anylens.training.batches import Batch, rendered_views, to_device
from anylens.training.config import TrainConfig
from anylens.training.loop import train
from anylens.training.precision import autocast


@dataclass
class Settings:
    data: str
    """Folder of panoramas."""
    photos: str = ""
    """Folder of photographs with focal lengths."""
    steps: int = 60
    """Optimiser steps per line, after as many for warming up."""
    threads: int = 2
    precision: str = "bfloat16"
    only: tuple[str, ...] = ()
    """Names of lines; all without it."""


def variants(base: TrainConfig) -> dict[str, TrainConfig]:
    return {
        "as shipped": base,
        "rendered in the training process": replace(base, workers=0),
        "one thread": replace(base, threads=1),
        "float32": replace(base, precision="float32"),
        "no block frozen": replace(base, frozen=-1),
        "six blocks frozen": replace(base, frozen=6),
        "batch 32": replace(base, batch=32, steps=base.steps // 2),
        "views of 126²": replace(base, area=126 * 126, late_area=126 * 126),
        "plain": replace(  # where one begins: nothing of the above
            base, precision="float32", threads=1, workers=0, frozen=-1
        ),
    }


def trainer_rate(config: TrainConfig) -> float:
    """Views per second of `train` itself over the second half of its steps."""
    stamps: list[float] = []

    def timed(*arguments) -> Iterator[Batch]:
        for batch in rendered_views(*arguments):
            stamps.append(time.perf_counter())
            yield batch

    with tempfile.TemporaryDirectory() as folder:
        train(config, Path(folder), source=timed)
    half = (len(stamps) - 1) // 2
    return config.batch * (len(stamps) - 1 - half) / (stamps[-1] - stamps[half])


def encoder_rate(config: TrainConfig, batches: list[Batch]) -> float:
    """Views per second of the encoder alone on the same batches, the second half of them counting."""
    torch.set_num_threads(config.threads)
    net = build_network(config.network_config).backbone.train()
    context = autocast(config.precision, torch.device("cpu"))
    for number, batch in enumerate(batches):
        if number == len(batches) // 2:
            start = time.perf_counter()
        image, _ = to_device(dict(batch), torch.device("cpu"))
        with context:
            sum(level.float().mean() for level in net(image)).backward()
        net.zero_grad(set_to_none=True)
    return config.batch * (len(batches) - len(batches) // 2) / (time.perf_counter() - start)


def main(s: Settings) -> None:
    base = TrainConfig(
        data=s.data, photos=s.photos, photo_ratio=TrainConfig.photo_ratio if s.photos else 0.0, threads=s.threads,
        precision=s.precision, steps=2 * s.steps, validation_views=0, checkpoint_minutes=1e9, log_every=10**9,
    )  # fmt: skip
    for label, config in variants(base).items():
        if s.only and label not in s.only:
            continue
        batches = list(itertools.islice(rendered_views(config, "train", config.area, 0, 0, 1), config.steps))
        alone, whole = encoder_rate(config, batches), trainer_rate(config)
        print(f"{whole:6.1f} views/s, {whole / alone:4.0%} of the encoder's {alone:5.1f}   {label}", flush=True)


if __name__ == "__main__":
    main(tyro.cli(Settings))
