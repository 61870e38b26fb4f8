"""Speed of the networks: forward and training, torch and ONNX Runtime, and what each setting brings.

Every figure stands beside a plain matrix product measured in the same run: `share` is the network's rate of
multiply-accumulates over that of torch's own 1024³ product, so it says how much of the machine is used
(for training it counts the forward pass alone; the backward pass is about 1.3 times as much again).

    python benchmarks/network.py                      laptop network
    python benchmarks/network.py --paper              the paper-scale network too (minutes, 6 GB)
    python benchmarks/network.py --compile            torch.compile too (needs a C++ compiler)
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
import tyro

from anylens.network.build import build_network
from anylens.network.config import LAPTOP, PAPER, NetworkConfig
from anylens.network.macs import count_macs


@dataclass
class Settings:
    threads: int = 1
    paper: bool = False
    compile: bool = False
    onnx: bool = True
    seconds: float = 2.0
    """Length of each measurement; the best repetition counts, since other programs only ever slow one down."""


def best_seconds(call: Callable[[], object], budget: float) -> float:
    """Shortest time of one call, after a warm-up, repeated for `budget` seconds (three times at least)."""
    call()
    times: list[float] = []
    while sum(times) < budget or len(times) < 3:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def product_rate(budget: float) -> float:
    """Multiply-accumulates per second of torch's own 1024³ matrix product."""
    a, b = torch.rand(1024, 1024), torch.rand(1024, 1024)
    return 1024**3 / best_seconds(lambda: a @ b, budget)


def operations(config: NetworkConfig, height: int, width: int) -> int:
    with torch.device("meta"):
        return sum(count_macs(build_network(config), height, width).values())


def row(label: str, batch: int, seconds: float, macs: int, peak: float) -> None:
    per_view = seconds / batch
    print(f"{label:<46} {1e3 * per_view:8.1f} ms/view {1 / per_view:7.1f}/s  share {macs / per_view / peak:5.0%}")


def training_step(net: torch.nn.Module, image: torch.Tensor) -> Callable[[], None]:
    def step() -> None:
        answer = net(image)
        sum(v.float().square().mean() for v in answer.values()).backward()
        net.zero_grad(set_to_none=True)

    return step


def measure(config: NetworkConfig, sizes: list[tuple[int, int, int]], s: Settings, peak: float) -> None:
    for batch, height, width in sizes:
        macs = operations(config, height, width)
        image = torch.rand(batch, 3, height, width)
        net = build_network(config)
        label = f"{config.name} {height}×{width} batch {batch}"
        with torch.no_grad():
            row(f"{label} forward", batch, best_seconds(partial(net, image), s.seconds), macs, peak)
        row(f"{label} training", batch, best_seconds(training_step(net, image), s.seconds), macs, peak)
    step = training_step(net.to(memory_format=torch.channels_last), image)
    row(f"{label} training, channels-last", batch, best_seconds(step, s.seconds), macs, peak)
    if s.compile:
        step = training_step(torch.compile(build_network(config)), image)
        row(f"{label} training, compiled", batch, best_seconds(step, s.seconds), macs, peak)


def measure_onnx(config: NetworkConfig, s: Settings, peak: float) -> None:
    from anylens.network.export import export_onnx
    from anylens.predict.session import NetworkSession

    with tempfile.TemporaryDirectory() as folder:
        for half in (False, True):
            path = Path(folder) / "net.onnx"
            export_onnx(build_network(config), path, {}, half=half)
            start = time.perf_counter()
            session = NetworkSession(path, threads=s.threads)
            opened = time.perf_counter() - start
            print(
                f"ONNX {'float16' if half else 'float32'}: {path.stat().st_size / 1e6:.1f} MB, opened in {opened:.2f} s"
            )
            for batch in (1, 2, 8):
                image = torch.rand(batch, 154, 154, 3).numpy()
                macs = operations(config, 154, 154)
                label = f"ONNX {config.name} 154×154 batch {batch} forward"
                row(label, batch, best_seconds(partial(session.run, image), s.seconds), macs, peak)


def main(s: Settings) -> None:
    torch.set_num_threads(s.threads)
    peak = product_rate(s.seconds)
    print(f"{s.threads} threads; torch's 1024³ product: {peak / 1e9:.0f} G multiply-accumulates per second")
    sizes = [(1, 126, 126), (8, 126, 126), (32, 126, 126), (16, 126, 126), (16, 154, 154)]
    measure(LAPTOP, sizes, s, peak)
    if s.onnx:
        measure_onnx(LAPTOP, s, peak)
    if s.paper:
        measure(PAPER, [(1, 280, 364), (2, 322, 322)], s, peak)


if __name__ == "__main__":
    main(tyro.cli(Settings))
