"""`anylens export-onnx`: trained weights as one ONNX file. Imports no torch until it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from anylens.errors import WeightsError

WHERE = ("data", "photos", "cache", "init")  # folders of the training machine, of no use to others


@dataclass
class ExportOnnx:
    """Write trained weights as an ONNX file that `anylens` runs without torch.

    1. `anylens export-onnx runs/a/weights.safetensors model.onnx --half`
    2. `anylens export-onnx weights.safetensors model.onnx --area 23716 --licence Apache-2.0`
    """

    weights: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(help="Weights of a run.")]
    output: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(help="ONNX file to write.")]
    half: bool = False
    """Store the weights in float16 (half the size; computed in float32)."""
    area: int | None = None
    """Pixels of the picture that the network is given; that of the training run's last part otherwise."""
    density: float | None = None
    """Source pixels per network pixel through which a photograph is brought; that of training otherwise."""
    name: str = "anylens"
    """Name of the model, as shown by `anylens info`."""
    licence: str = "Apache-2.0"
    """Licence of the weights."""

    def run(self) -> int:
        try:
            from anylens.network.export import export_onnx
            from anylens.network.weights import load_network
        except ImportError as error:
            raise WeightsError(f"the export needs torch ({error}); pip install 'anylens[train]'.") from error
        net, stored = load_network(self.weights)
        settings, history = stored.get("settings", {}), stored.get("history", {})
        metadata = {
            "name": self.name,
            "licence": self.licence,
            "area": self.area or settings.get("late_area", 320 * 320),
            "aspect_range": list(settings.get("aspect_range", (0.5, 2.0))),
            "density": self.density or settings.get("min_source_pixels", 1.0),
            "quality": settings.get("quality", 0),
            "side": settings.get("photo_side", 0),
            "webp": settings.get("photo_quality", 0),
            "recipe": settings.get("recipe", "unknown"),
            "settings": {name: value for name, value in settings.items() if name not in WHERE},
            "history": {name: value for name, value in history.items() if name != "focals"},
            "focal_seen": history.get("focals"),
            "step": stored.get("step", 0),
        }
        export_onnx(net, self.output, metadata, half=self.half)
        print(f"{self.output}: {self.output.stat().st_size / 1e6:.1f} MB")
        return 0
