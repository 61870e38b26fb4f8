"""Mixed precision, where the hardware really has it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from typing import Any

import torch

from anylens.training.config import TrainingError

_TRIAL = "import torch; x = torch.ones(256, 256, dtype=torch.bfloat16); torch.nn.functional.linear(x, x)"


def autocast(precision: str, device: torch.device) -> Any:
    """A context for forward passes: `auto` is bfloat16 on GPUs that have it and float32 elsewhere.

    On CPUs bfloat16 is used only when asked for, after a trial in a process of its own: some virtual
    machines announce the matrix units that torch then uses, without letting programs use them, and the
    process dies of an illegal instruction. (With AVX-512 BF16 training is twice as fast; without such units
    bfloat16 is slower than float32.)
    """
    if precision == "float32" or (precision == "auto" and device.type == "cpu"):
        return nullcontext()
    if device.type == "cpu":
        trial = subprocess.run([sys.executable, "-c", _TRIAL], capture_output=True, check=False)
        if trial.returncode:
            raise TrainingError("this CPU cannot run bfloat16 matrix products; use --precision float32.")
    elif not torch.cuda.is_bf16_supported():
        if precision == "bfloat16":
            raise TrainingError("this GPU has no bfloat16; use --precision float32.")
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)
