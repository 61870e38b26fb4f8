"""A page of qualitative results: photo, predicted field, fitted models side by side, undistorted photo.

One HTML file with its pictures inside. Needs matplotlib (anylens[plot]).
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anylens.calibration.result import Result
from anylens.errors import AnylensError, FitError
from anylens.evaluation.metrics import Scorer
from anylens.evaluation.sample import Estimate, Sample
from anylens.evaluation.work import Plan
from anylens.fitting.single import fit

MODELS = ("simple_pinhole", "simple_radial:1", "simple_kb:2", "simple_ucm", "simple_division:1")
LARGEST = 640  # pixels of a photo on the page
STYLE = (
    "body{font:14px sans-serif;max-width:1100px;margin:2em auto}img{width:100%}table{border-collapse:collapse}"
    "td,th{padding:2px 10px;text-align:right}td:first-child{text-align:left}h2{margin-top:2em;font-size:1.1em}"
)


def write_page(path: Path, samples: Sequence[Sample], plan: Plan, title: str = "Results") -> int:
    """Write the page for the first configuration of the plan; returns how many photos are on it."""
    observer = plan.observer()
    first = plan.configurations[0]
    parts = []
    for sample in samples:
        try:
            result = observer.results(sample.picture())[first.name]
        except (AnylensError, OSError) as error:
            result = error
        parts.append(_section(sample, result))
    body = f"<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title><style>{STYLE}</style>"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{body}<h1>{html.escape(title)}</h1>{''.join(parts)}\n", encoding="utf-8")
    return len(parts)


def _section(sample: Sample, result: Any) -> str:
    head = f"<h2>{html.escape(sample.file)}</h2>"
    if not isinstance(result, Result):
        return f"{head}<p>failed: {html.escape(str(result))}</p>"
    low, high = result.hfov_interval_deg
    line = (f"{result.camera.model}: hFoV {result.hfov_deg:.1f}° ({low:.1f} to {high:.1f}), "
            f"true {sample.hfov_deg:.1f}°; decided by {result.decided_by}")  # fmt: skip
    picture = base64.b64encode(draw(sample, result)).decode()
    return f'{head}<p>{html.escape(line)}</p><img src="data:image/png;base64,{picture}">{_models(sample, result)}'


def fitted_models(result: Result) -> dict[str, Any]:
    """Each model fitted freely to the network's field; a FitError where that is impossible."""
    seen = result.seen
    found: dict[str, Any] = {}
    centre = {"cx": seen.width / 2, "cy": seen.height / 2}
    for model in MODELS:
        try:
            found[model] = fit(seen.pixels, seen.rays, model, width=seen.width, height=seen.height,
                               weights=seen.weights, known=centre)  # fmt: skip
        except FitError as error:
            found[model] = error
    return found


def _models(sample: Sample, result: Result) -> str:
    """Field of view, distance from the field and, against the truth, AE of every model."""
    scorer = Scorer(sample, 32)
    lines = [
        "<tr><th>model fitted to the field alone</th><th>hFoV</th><th>vFoV</th><th>off the field</th><th>AE</th></tr>"
    ]
    for model, one in fitted_models(result).items():
        if isinstance(one, FitError):
            lines.append(f"<tr><td>{model}</td><td colspan=4>no fit</td></tr>")
            continue
        ae = scorer.score(Estimate.of(sample.file, one.camera)).errors["ae_deg"]
        cells = (float(one.camera.hfov_deg), float(one.camera.vfov_deg), float(one.rms_deg), ae)
        lines.append(f"<tr><td>{model}</td>" + "".join(f"<td>{c:.2f}°</td>" for c in cells) + "</tr>")
    return f"<table>{''.join(lines)}</table>"


def draw(sample: Sample, result: Result) -> bytes:
    """PNG: the photo, θx, θy and ‖θ‖ of the network as contours on it, and the photo undistorted."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    rgb = _small(sample)
    canvas = Canvas(figsize=(15, 3.2), layout="constrained")
    FigureCanvasAgg(canvas)
    axes = canvas.subplots(1, 5)
    seen = result.seen
    x, y = (seen.pixels[:, i].reshape(seen.grid) for i in (0, 1))
    theta = np.degrees(seen.field)
    fields = {"θx (°)": theta[:, 0], "θy (°)": theta[:, 1], "‖θ‖ (°)": np.hypot(*theta.T)}
    for axis in axes[:4]:
        axis.imshow(rgb, extent=(0, sample.width, sample.height, 0))
    axes[0].set_title("photo", fontsize=9)
    for axis, (name, values) in zip(axes[1:4], fields.items()):
        if min(seen.grid) > 1:
            axis.clabel(axis.contour(x, y, values.reshape(seen.grid), levels=8, cmap="coolwarm"), fontsize=6)
        axis.set_title(name, fontsize=9)
    axes[4].imshow(_straight(rgb, result))
    axes[4].set_title("undistorted", fontsize=9)
    for axis in axes:
        axis.set_axis_off()
    buffer = io.BytesIO()
    canvas.savefig(buffer, dpi=110, format="png", bbox_inches="tight")
    return buffer.getvalue()


def _small(sample: Sample) -> np.ndarray:
    from PIL import Image

    from anylens.images import read_photo

    picture = Image.fromarray(read_photo(sample.picture()).rgb)
    picture.thumbnail((LARGEST, LARGEST))
    return np.asarray(picture)


def _straight(rgb: np.ndarray, result: Result) -> np.ndarray:
    from anylens.undistortion import undistort

    try:
        return undistort(rgb, result.camera.resize(rgb.shape[1], rgb.shape[0])).image
    except AnylensError:
        return np.full_like(rgb, 200)
