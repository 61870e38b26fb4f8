"""An ONNX network file: opened once, described by its own metadata, safe to share between threads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from anylens.errors import WeightsError
from anylens.predict.runtime import load_runtime


@dataclass(frozen=True)
class NetworkInfo:
    """What the file says about itself."""

    name: str = "unnamed"
    area: int = 320 * 320
    patch: int = 14
    aspect_range: tuple[float, float] = (0.5, 2.0)
    density: float = 1.0
    quality: int = 0
    side: int = 0
    webp: int = 0
    licence: str = "unknown"
    focal_seen: Sequence[float] | None = None  # counts (64) of the focal lengths that it was trained on
    step: int = 0
    extra: dict[str, Any] = field(default_factory=dict)


class NetworkSession:
    """One network behind ONNX Runtime.

    `threads` 0 leaves the choice to the runtime; 1 is best when several processes share the machine.
    """

    def __init__(self, source: str | Path | bytes, *, threads: int = 0, providers: list[str] | None = None):
        onnxruntime = load_runtime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Waiting threads sleep: edges and fits need their cores, and a network this small gains nothing from spinning.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        label = "the given bytes" if isinstance(source, bytes) else f"'{source}'"
        if not isinstance(source, bytes) and not Path(source).is_file():
            raise WeightsError(f"no network at {label}.")
        given = source if isinstance(source, bytes) else str(source)
        providers = providers or ["CPUExecutionProvider"]
        try:
            self.session = onnxruntime.InferenceSession(given, options, providers=providers)
        except Exception as error:  # the runtime has a class per kind of damage, none of them public
            reason = (str(error).strip().splitlines() or ["unreadable"])[0]
            raise WeightsError(f"{label} is damaged or not an ONNX network ({reason}).") from error
        self.info = self._describe(label)
        self.outputs = [o.name for o in self.session.get_outputs()]
        self.told_of_edits = any(i.name == "edited" for i in self.session.get_inputs())

    def _describe(self, label: str) -> NetworkInfo:
        strings = self.session.get_modelmeta().custom_metadata_map
        if "anylens" not in strings:
            raise WeightsError(f"{label} was not exported by anylens; use `anylens export-onnx`.")
        values = {k: _decode(v) for k, v in strings.items()}
        own = ("name", "area", "patch", "density", "quality", "side", "webp", "licence", "step", "focal_seen")
        known = {k: values.pop(k) for k in own if k in values}
        low, high = values.pop("aspect_range", (0.5, 2.0))
        return NetworkInfo(**known, aspect_range=(float(low), float(high)), extra=values)

    def run(self, images: np.ndarray, edited: bool = False) -> dict[str, np.ndarray]:
        """Images (B, H, W, 3), uint8 or floats in [0, 1] -> `field` (B, 2, h, w) and its other outputs.

        edited: the images may be cropped or stretched; a network that is not told of it answers all the same.
        """
        pixels = images.astype(np.float32)
        if images.dtype == np.uint8:
            pixels /= 255
        batch = np.ascontiguousarray(pixels.transpose(0, 3, 1, 2))
        inputs = {"image": batch}
        if self.told_of_edits:
            inputs["edited"] = np.full(len(batch), float(edited), dtype=np.float32)
        return dict(zip(self.outputs, self.session.run(None, inputs)))


def _decode(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
