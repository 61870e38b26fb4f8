"""The networks that come with the package, as ONNX files beside this one.

`default.onnx` is written by `anylens export-onnx RUN/weights.safetensors src/anylens/weights/default.onnx --half`.
`edited.onnx`, where present, is for cropped and stretched photos.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from anylens.errors import WeightsError

DEFAULT, EDITED = "default", "edited"


def bundled(name: str = DEFAULT) -> Path:
    """The file of a bundled network; the default one where `edited` has none of its own. Raises WeightsError."""
    for candidate in dict.fromkeys((name, DEFAULT)):
        path = Path(str(files(__package__))) / f"{candidate}.onnx"
        if path.is_file():
            return path
    raise WeightsError("this installation has no network in it. Give one: --weights FILE.onnx (`anylens export-onnx`).")
