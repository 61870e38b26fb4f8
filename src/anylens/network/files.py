"""Tensors in files: read with clear errors, written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

from torch import Tensor

from anylens.errors import WeightsError


def read_tensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """(tensors by name, metadata) of a .safetensors or a .pt file; pickled code is never run.

    Raises WeightsError when the file is missing, truncated or something else.
    """
    path = Path(path)
    if not path.is_file():
        raise WeightsError(f"no weights at '{path}'.")
    try:
        if path.suffix == ".safetensors":
            from safetensors import safe_open

            with safe_open(str(path), framework="pt", device="cpu") as file:
                return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
        import torch

        loaded = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # each library has its own zoo of errors for a damaged file
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise WeightsError(f"'{path}' is damaged or not a weights file ({reason}).") from error
    for key in ("state_dict", "model", "teacher"):  # wrappers that trainers put around the tensors
        if isinstance(loaded, dict) and isinstance(loaded.get(key), dict):
            loaded = loaded[key]
    tensors = {k: v for k, v in loaded.items() if isinstance(v, Tensor)} if isinstance(loaded, dict) else {}
    if not tensors:
        raise WeightsError(f"'{path}' holds no named tensors.")
    return tensors, {}


def write_tensors(path: str | Path, tensors: dict[str, Tensor], metadata: dict) -> None:
    """Write a .safetensors file beside its final name, flush it to disk, then rename it into place.

    A full disk or a kill leaves the previous file as it was. Metadata values become JSON strings.
    """
    from safetensors.torch import save_file

    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    strings = {k: v if isinstance(v, str) else json.dumps(v) for k, v in metadata.items()}
    try:
        save_file({k: v.detach().cpu().contiguous() for k, v in tensors.items()}, str(partial), strings)
        os.chmod(partial, 0o644)  # safetensors leaves it readable to its owner only
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    except Exception as error:
        partial.unlink(missing_ok=True)
        raise WeightsError(f"could not write '{path}' ({error}); what was there before is unchanged.") from error
