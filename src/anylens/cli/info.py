"""`anylens info`: the network, the installation, or what a photo says of itself."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import Annotated, Any

import tyro

EXTRAS = {
    "opencv": "cv2", "plot": "matplotlib", "parquet": "pyarrow", "ray": "ray", "train": "torch", "serve": "fastapi",
}  # fmt: skip


@dataclass
class Info:
    """Show the bundled network and the installation, or what a photo or an ONNX file says of itself.

    1. `anylens info`
    2. `anylens info photo.jpg` shows size, orientation and the EXIF focal length with its doubts.
    3. `anylens info model.onnx --json`
    """

    file: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[FILE]", help="Photo or network; none: the installation.", help_behavior_hint=""),
    ] = None
    json: bool = False
    """Print JSON."""

    def run(self) -> int:
        if self.file is None:
            rows = describe_installation()
        elif self.file.lower().endswith(".onnx"):
            rows = describe_network(Path(self.file))
        else:
            rows = describe_photo(self.file)
        if self.json:
            print(json.dumps(rows, indent=2, ensure_ascii=False))
            return 0
        width = max(map(len, rows))
        for name, value in rows.items():
            text = "; ".join(map(str, value)) if isinstance(value, list) else value
            print(f"{name:<{width}}  {'–' if text in (None, '') else text}")
        return 0


def describe_installation() -> dict[str, Any]:
    """Versions, extras, examples and the bundled network."""
    from anylens import __version__
    from anylens.errors import WeightsError
    from anylens.examples import example_names
    from anylens.weights import bundled

    versions = {name: metadata.version(name) for name in ("numpy", "onnxruntime", "Pillow")}
    rows: dict[str, Any] = {
        "anylens": __version__,
        "python": sys.version.split()[0],
        **versions,
        "extras": [name for name, module in EXTRAS.items() if util.find_spec(module)],
        "missing extras": [name for name, module in EXTRAS.items() if not util.find_spec(module)],
        "examples": [f"example:{name}" for name in example_names()],
    }
    try:
        return rows | describe_network(bundled())
    except WeightsError as error:
        return rows | {"network": str(error)}


def describe_network(path: Path) -> dict[str, Any]:
    """What an ONNX file says of itself. Raises WeightsError."""
    from anylens.predict.session import NetworkSession

    session = NetworkSession(path, threads=1)
    info = session.info
    side = round(info.area**0.5)
    return {
        "network": info.name,
        "file": path.name,
        "size": f"{path.stat().st_size / 1e6:.1f} MB",
        "licence": info.licence,
        "trained": f"{info.step} steps" + (f", {views} views" if (views := _views(info)) else ""),
        "sees": f"{side}x{side} pixels at any aspect ratio from {info.aspect_range[0]:g} to {info.aspect_range[1]:g}",
        "standard form": _standard_form(info),
        "lenses it saw": _focals(info),
        "answers": session.outputs,
    }


def describe_photo(file: str) -> dict[str, Any]:
    """Size, orientation and focal length of a photo, as stored. Raises ImageError."""
    from anylens.batches.inputs import find_inputs
    from anylens.images import read_photo

    [item, *_] = find_inputs([file])
    photo = read_photo(item.path, at_least=64)
    tags, focal = photo.exif, photo.focal
    return {
        "file": file,
        "size": f"{photo.width}x{photo.height}",
        "orientation": tags.orientation,
        "camera": " ".join(t for t in (tags.make, tags.model) if t),
        "lens": tags.lens,
        "software": tags.software,
        "focal length": f"{tags.focal_mm:g} mm" if tags.focal_mm else None,
        "35 mm equivalent": None if focal is None else f"{focal.focal_35mm:.1f} mm by {focal.source}",
        "focal length in pixels": None if focal is None else round(focal.focal_px, 1),
        "trusted": None if focal is None else "yes" if focal.trusted else "no",
        "doubts": list(focal.doubts) if focal else [],
    }


def _standard_form(info: Any) -> str:
    """How a photo is brought to the network's size."""
    copy = f"copy of {info.side} pixels, WebP of quality {info.webp}; " if info.side and info.webp else ""
    jpeg = f", JPEG of quality {info.quality}" if info.quality else ""
    return f"{copy}{info.density:g} source pixels per pixel{jpeg}"


def _focals(info: Any) -> str | None:
    """The focal lengths of its training photographs, where the file has counted them."""
    if not info.focal_seen or not sum(info.focal_seen):
        return None
    import numpy as np

    from anylens.evidence import focal_35mm, quantile

    with np.errstate(divide="ignore"):
        counted = np.log(np.asarray(info.focal_seen, dtype=np.float64))
    low, middle, high = (focal_35mm(value) for value in quantile(counted, np.array([0.05, 0.5, 0.95])))
    return f"90 % from {low:.0f} to {high:.0f} mm equivalent, half of them below {middle:.0f} mm"


def _views(info: Any) -> int:
    history = info.extra.get("history")
    return int(history.get("views", 0)) if isinstance(history, dict) else 0
