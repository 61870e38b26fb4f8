"""Two processes under torchrun train the same weights as one that sees the same views."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch

from anylens.network.files import read_tensors

RUN = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from standin_views import toy_views
from anylens.training.config import TrainConfig
from anylens.training.loop import train
config = TrainConfig(
    taps=(1, 2), frozen=1, width=32, batch=8, accumulate=int(sys.argv[2]), steps=4, warmup=1, area=28 * 28,
    log_every=2, validation_views=4, threads=1, workers=0, dropout=0.1,
)
train(config, Path(sys.argv[1]), source=toy_views)
"""


def test_two_processes_equal_one_with_the_same_global_batch(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(RUN.format(here=str(Path(__file__).parent)))
    one = [sys.executable, str(script), str(tmp_path / "one"), "2"]
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    two = [sys.executable, *launcher, str(script), str(tmp_path / "two"), "1"]
    for command in (one, two):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
    a, b = (read_tensors(tmp_path / n / "checkpoint.safetensors")[0] for n in ("one", "two"))
    assert a.keys() == b.keys()
    start = torch.cat([v.flatten().double() for k, v in a.items() if k.startswith("net.head")])
    assert start.abs().max() > 0
    for name, tensor in a.items():
        if name.startswith(("net.", "ema.")):
            assert torch.allclose(tensor, b[name], rtol=1e-4, atol=2e-6), name
    metrics = (tmp_path / "two/metrics.jsonl").read_text()
    assert metrics.count('"train"') == 2  # the first process alone keeps the record
