"""Network weights: whose they are, what fits, what starts fresh."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from anylens.errors import WeightsError
from anylens.network.build import build_network
from anylens.network.config import NetworkConfig
from anylens.network.files import read_tensors, write_tensors

ENCODER = "backbone.model."  # where plain DINOv2 tensors go


@dataclass
class InitReport:
    """What an initial file gave to a network: tensor names, by fate."""

    source: str
    loaded: list[str] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    history: dict = field(default_factory=dict)  # of our own weights: views and seconds of training behind them

    def __str__(self) -> str:
        parts = [f"{len(self.loaded)} tensors from {self.source}"]
        if self.fresh:
            parts.append(f"{len(self.fresh)} start fresh ({', '.join(_groups(self.fresh))})")
        if self.ignored:
            parts.append(f"{len(self.ignored)} of the file not used ({', '.join(_groups(self.ignored))})")
        return "; ".join(parts)


def _groups(names: list[str]) -> list[str]:
    """Names shortened to their first parts: 'blocks.9', 'head.out'."""
    short = (n.removeprefix(ENCODER).split(".") for n in names)
    return sorted({".".join(p[:2]) if p[0] in ("blocks", "head", "decoder") else p[0] for p in short})


def initialise(net: nn.Module, path: str | Path) -> InitReport:
    """Load what `path` has for `net`: plain DINOv2 weights, a released checkpoint, or our own weights.

    The encoder must be complete and of the right shapes; heads and decoder may start fresh. Raises
    WeightsError, naming the first tensors that do not fit.
    """
    tensors, metadata = read_tensors(path)
    tensors = {k.removeprefix("module."): v for k, v in tensors.items()}
    if not any(k.startswith(ENCODER) for k in tensors):
        if "patch_embed.proj.weight" not in tensors:
            first = ", ".join(sorted(tensors)[:3])
            raise WeightsError(f"'{path}' has no encoder that fits (it starts with {first}).")
        tensors = {ENCODER + k: v for k, v in tensors.items()}
    wanted = net.state_dict()
    source = "our own weights" if "anylens" in metadata else "encoder or released weights"
    report = InitReport(f"'{Path(path).name}' ({source})", history=json.loads(metadata.get("history", "{}")))
    fits: dict[str, Tensor] = {}
    for name, tensor in wanted.items():
        given = tensors.get(name)
        required = name.startswith(ENCODER) and not name.endswith("mask_token")
        if given is not None and given.shape == tensor.shape:
            fits[name] = given.to(tensor.dtype)
            report.loaded.append(name)
        elif required:
            found = "missing" if given is None else f"of shape {tuple(given.shape)}"
            raise WeightsError(
                f"'{path}' does not fit: {name.removeprefix(ENCODER)} should be {tuple(tensor.shape)}, is "
                f"{found}. "
                "Choose the encoder (--encoder, --registers) that these weights belong to."
            )
        elif not name.startswith("backbone.image_"):
            report.fresh.append(name)
    report.ignored = sorted(set(tensors) - set(fits))
    net.load_state_dict(fits, strict=False)
    return report


def save_network(net: nn.Module, path: str | Path, metadata: dict, *, half: bool = True) -> None:
    """Weights of `net` as one .safetensors file, float16 by default, with all that rebuilds it inside."""
    tensors = {k: v.half() if half and v.is_floating_point() else v for k, v in net.state_dict().items()}
    assert isinstance(net.config, NetworkConfig)
    write_tensors(path, tensors, {"anylens": "1", "network": net.config.to_dict()} | metadata)


def load_network(path: str | Path) -> tuple[nn.Module, dict]:
    """The network stored by `save_network`, in evaluation mode, and its metadata decoded from JSON."""
    tensors, strings = read_tensors(path)
    if "network" not in strings:
        raise WeightsError(f"'{path}' is not a network saved by anylens (its metadata names no network).")
    metadata = {k: _decode(v) for k, v in strings.items()}
    net = build_network(NetworkConfig.from_dict(metadata["network"]))
    load_strictly(net, tensors, str(path))
    return net.eval(), metadata


def load_strictly(net: nn.Module, tensors: dict[str, Tensor], source: str) -> None:
    """Every tensor by name and shape, none missing, none left over; WeightsError otherwise."""
    wanted = {k: tuple(v.shape) for k, v in net.state_dict().items()}
    found = {k: tuple(v.shape) for k, v in tensors.items()}
    if wanted != found:
        missing, extra = sorted(wanted.keys() - found.keys()), sorted(found.keys() - wanted.keys())
        shapes = [k for k in wanted.keys() & found.keys() if wanted[k] != found[k]]
        raise WeightsError(
            f"'{source}' is of another architecture: {len(missing)} tensors missing {missing[:3]}, "
            f"{len(extra)} unknown {extra[:3]}, {len(shapes)} of another shape {sorted(shapes)[:3]}."
        )
    with torch.no_grad():
        net.load_state_dict(tensors)


def _decode(text: str):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
