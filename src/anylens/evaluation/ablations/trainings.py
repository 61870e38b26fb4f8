"""Ablations that need training: each variant is a short run that differs from the others in one setting.

Variants of a family share everything else; a run that is already in its folder is continued or kept. The network is
exported and scored like any other weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from anylens.errors import FormatError

# family -> variant -> settings of `anylens train`
TRAININGS: dict[str, dict[str, dict[str, Any]]] = {
    "loss": {
        "FoV field, L1": {"loss": "field"},
        "rays, cosine": {"loss": "rays-cosine"},
        "rays, angle": {"loss": "rays-angle"},
    },
    "decoder": {
        "light DPT": {"network": "paper", "decoder": "light"},
        "original DPT": {"network": "paper", "decoder": "original"},
    },
    "recipe": {name: {"recipe": name} for name in ("op_p", "op_r", "op_d", "op_g", "world")},
}
# The paper's decoders take features at four depths; where a preset has others, these.
FOUR_TAPS = {"vit-s": (3, 6, 9, 12), "vit-b": (3, 6, 9, 12), "vit-l": (5, 12, 18, 24)}


def make_config(preset: str, common: dict[str, Any], changes: dict[str, Any]) -> Any:
    """The preset with the settings of the whole ablation and of one variant. Raises FormatError for unknown names."""
    from anylens.training.presets import preset as find

    config = find(preset)
    given = {**common, **changes}
    unknown = sorted(set(given) - {f.name for f in fields(config)})
    if unknown:
        raise FormatError(f"anylens train has no setting {', '.join(unknown)}.")
    kept: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    config = replace(config, **kept)
    if config.network == "paper" and "taps" not in given and len(config.taps) != 4:
        config = replace(config, taps=FOUR_TAPS.get(config.encoder, config.taps))
    return config.check()


def train_variant(config: Any, folder: Path, export: Callable[[Path, Path], Any]) -> Path:
    """Train into the folder, then export(weights, onnx); returns the ONNX file. Needs torch (anylens[train])."""
    target = folder / "network.onnx"
    if target.is_file():
        return target
    try:
        from anylens.training.loop import train
    except ImportError as error:
        raise FormatError(f"This ablation trains networks and needs torch ({error}): anylens[train].") from None
    folder.mkdir(parents=True, exist_ok=True)
    if train(config, folder) < config.steps:
        raise FormatError(f"The run in {folder} was stopped; start the command again to go on.")
    export(folder / "weights.safetensors", target)
    return target
