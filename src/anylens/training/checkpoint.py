"""Checkpoints: everything a run needs to continue bit for bit, in one .safetensors file without pickle."""

from __future__ import annotations

import json
import os
from pathlib import Path

import torch
from torch import Tensor, nn

from anylens.errors import WeightsError
from anylens.network.files import read_tensors, write_tensors
from anylens.network.weights import load_strictly
from anylens.training.config import TrainConfig, TrainingError
from anylens.training.ema import Ema

LAST, PREVIOUS = "checkpoint.safetensors", "checkpoint-previous.safetensors"


def parameter_groups(net: nn.Module, config: TrainConfig) -> list[dict]:
    """Trained parameters by part (encoder or not) and by decay (matrices, but neither norms nor biases)."""
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, p in net.named_parameters():
        if p.requires_grad:
            groups.setdefault((name.startswith("backbone."), p.ndim >= 2), []).append(p)
    return [
        {
            "params": params,
            "share": config.encoder_rate if encoder else 1.0,
            "weight_decay": config.weight_decay if decays else 0.0,
        }
        for (encoder, decays), params in groups.items()
    ]


def save_checkpoint(
    out: Path,
    net: nn.Module,
    optimiser: torch.optim.Optimizer,
    ema: Ema | None,
    config: TrainConfig,
    step: int,
    history: dict,
) -> None:
    """Write the state after `step` steps; the file before it is kept as the previous one."""
    tensors: dict[str, Tensor] = {f"net.{k}": v for k, v in net.state_dict().items()}
    for name, p in net.named_parameters():
        for key, value in optimiser.state.get(p, {}).items():
            tensors[f"optimiser.{key}.{name}"] = value
    if ema is not None:
        tensors |= {f"ema.{k}": v for k, v in ema.state().items()}
    tensors["rng"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["rng.cuda"] = torch.cuda.get_rng_state()
    metadata = {
        "anylens_checkpoint": "1",
        "step": step,
        "ema_updates": ema.updates if ema else 0,
        "settings": config.to_dict(),
        "history": history,
    }
    fresh = out / ("." + LAST)
    write_tensors(fresh, tensors, metadata)  # raises on a full disk, before anything is renamed
    if (out / LAST).exists():
        os.replace(out / LAST, out / PREVIOUS)
    os.replace(fresh, out / LAST)


def find_checkpoint(out: Path) -> Path | None:
    """The newest complete checkpoint of a run: the last, else the previous (a kill between two renames)."""
    return next((out / name for name in (LAST, PREVIOUS) if (out / name).is_file()), None)


def read_checkpoint(path: Path) -> tuple[dict[str, Tensor], dict]:
    """Tensors and decoded metadata; WeightsError when the file is damaged or is no checkpoint."""
    tensors, strings = read_tensors(path)
    if "anylens_checkpoint" not in strings:
        raise WeightsError(f"'{path}' is not a checkpoint of a run; pass weights with --init.")
    return tensors, {k: json.loads(v) for k, v in strings.items()}


def restore(
    tensors: dict[str, Tensor],
    metadata: dict,
    net: nn.Module,
    optimiser: torch.optim.Optimizer,
    ema: Ema | None,
) -> None:
    """Put a checkpoint's state into network, optimiser, average and random generators."""

    def part(prefix: str) -> dict[str, Tensor]:
        return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}

    load_strictly(net, part("net."), "the checkpoint")
    for key in ("step", "exp_avg", "exp_avg_sq"):
        values = part(f"optimiser.{key}.")
        for name, p in net.named_parameters():
            if name in values:
                optimiser.state[p][key] = values[name].to(p.device if key != "step" else "cpu")
    if ema is not None:
        averages = part("ema.")
        if averages.keys() != ema.average.keys():
            raise TrainingError("the checkpoint was trained with other frozen blocks or without --ema.")
        ema.load(averages, metadata["ema_updates"])
    torch.set_rng_state(tensors["rng"])
    if "rng.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["rng.cuda"])
