"""The record of a run: metrics.jsonl always, TensorBoard if installed, one line per log on screen."""

from __future__ import annotations

import json
import logging
import math
import time
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)


class Record:
    """Appends numbers to `metrics.jsonl`; a resumed run first cuts off what it will do again."""

    def __init__(self, out: Path, step: int):
        self.path, self.start = out / "metrics.jsonl", time.time()
        if self.path.exists():
            lines = self.path.read_text().splitlines()
            kept = [line for line in lines if _step(line) <= step]
            self.path.write_text("".join(line + "\n" for line in kept))
        self.board: Any = None
        try:
            from torch.utils.tensorboard import SummaryWriter

            self.board = SummaryWriter(str(out))
        except ImportError:
            pass

    def write(self, kind: str, step: int, **values: float) -> None:
        row = {"kind": kind, "step": step, "time": round(time.time(), 1)}
        row |= {k: float(f"{v:.6g}") if math.isfinite(v) else None for k, v in values.items()}
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        if self.board is not None:
            for key, value in values.items():
                self.board.add_scalar(f"{kind}/{key}", value, step)
        log.info("%s %d  %s", kind, step, "  ".join(f"{k} {v:.4g}" for k, v in values.items()))


def _step(line: str) -> int:
    """Step of a line; a line cut short by a kill counts as later than everything."""
    try:
        return int(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return 1 << 62
