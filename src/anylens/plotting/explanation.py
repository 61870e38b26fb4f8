"""One PNG that explains a result: photo with rings, gauge, undistorted view, evidence, parameters."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from anylens.calibration.result import Result
from anylens.errors import AnylensError
from anylens.images import read_photo
from anylens.plotting.contours import draw_photo
from anylens.plotting.evidence_plot import draw_evidence
from anylens.plotting.gauge import draw_gauge
from anylens.plotting.paper import CAMERA, FIELD, HORIZON, INK, SOFT, bare, new_figure, save

SIDE = 1200  # pixels of the photo's longer side in the picture
WIDEST_DEG = 120.0  # of the undistorted view


def write_plot(result: Result, image: Any, path: str | Path) -> None:
    """Write the explanation of `result` of the photo `image` as PNG. Raises AnylensError without matplotlib."""
    rgb = read_photo(image, at_least=SIDE).rgb
    by = max(1, int(np.ceil(max(rgb.shape[:2]) / SIDE)))
    rgb = rgb[: rgb.shape[0] // by * by, : rgb.shape[1] // by * by]
    rgb = (
        rgb.reshape(rgb.shape[0] // by, by, rgb.shape[1] // by, by, 3).mean((1, 3)).astype(np.uint8) if by > 1 else rgb
    )
    upright = result.camera.width < 1.1 * result.camera.height
    figure = new_figure(11.5 if upright else 14.2, 9.0)
    grid = figure.add_gridspec(2, 6, height_ratios=(1.0, 0.66), left=0.03, right=0.975, top=0.875, bottom=0.05,
                               wspace=0.16, hspace=0.16)  # fmt: skip
    photo, straight = figure.add_subplot(grid[0, :3], anchor="NW"), figure.add_subplot(grid[0, 3:], anchor="NW")
    draw_photo(photo, result, rgb)
    _straight(straight, result, rgb)
    draw_gauge(figure.add_subplot(grid[1, :2], anchor="W"), result)
    draw_evidence(figure.add_subplot(grid[1, 2:4]), result)
    _words(figure.add_subplot(grid[1, 4:]), result)
    _head(figure, result)
    save(figure, path)


def _shrink(rgb: np.ndarray, by: int) -> np.ndarray:
    h, w = rgb.shape[0] // by, rgb.shape[1] // by
    return rgb[: h * by, : w * by].reshape(h, by, w, by, 3).mean((1, 3)).astype(np.uint8) if by > 1 else rgb


def _head(figure: Any, result: Result) -> None:
    camera = result.camera
    name = Path(result.file).name
    figure.text(0.03, 0.955, name if len(name) < 60 else name[:57] + "…", fontsize=16, weight="bold", color=INK)
    size = f"{camera.width}×{camera.height}, {camera.model}, {result.focal_35mm:.1f} mm (35 mm equivalent)"
    figure.text(0.03, 0.925, size, fontsize=10.5, color=SOFT)
    keys = [("fitted camera", CAMERA, "-"), ("network's field", FIELD, "--")]
    keys += [("horizon", HORIZON, "--")] if result.gravity is not None else []
    x = 0.975
    for text, colour, line in reversed(keys):
        word = figure.text(x, 0.93, text, fontsize=9.5, color=INK, ha="right", va="center")
        left = word.get_window_extent().x0 / figure.bbox.width
        from matplotlib.lines import Line2D

        figure.add_artist(Line2D([left - 0.032, left - 0.006], [0.93, 0.93], color=colour, ls=line, lw=2))
        x = left - 0.045


def _straight(axes: Any, result: Result, rgb: np.ndarray) -> None:
    """The photo as an ideal camera would have taken it."""
    from anylens.undistortion import undistort

    fov = min(result.hfov_deg, WIDEST_DEG)
    try:
        straight = undistort(rgb, result.camera, fov_deg=fov if result.hfov_deg > WIDEST_DEG else None, fill=255)
        axes.imshow(straight.image, interpolation="antialiased")
        axes.set_title(
            f"undistorted, {float(straight.camera.hfov_deg):.0f}° across", fontsize=10, color=SOFT, loc="left"
        )
    except AnylensError as error:
        axes.text(0.5, 0.5, textwrap.fill(str(error), 44), ha="center", va="center", color=SOFT, fontsize=9)
    bare(axes)


def _words(axes: Any, result: Result) -> None:
    """Parameters, uncertainty and warnings."""
    bare(axes)
    rows = [(name, f"{value:.6g}") for name, value in result.camera.named().items()]
    v, d = result.angles["vfov_deg"], result.angles["dfov_deg"]
    rows += [("vfov", f"{v.value:.1f}° ± {v.std:.1f}"), ("dfov", f"{d.value:.1f}° ± {d.std:.1f}")]
    if result.gravity is not None:
        rows += [("roll", f"{result.gravity.roll_deg:+.1f}° ± {result.gravity.roll_std_deg:.1f}")]
        rows += [("pitch", f"{result.gravity.pitch_deg:+.1f}° ± {result.gravity.pitch_std_deg:.1f}")]
    rows += [("decided by", result.decided_by), ("field off by", f"{result.rms_deg:.2f}°")]
    held = textwrap.wrap("held: " + (", ".join(result.held) or "nothing"), 46)
    notes = [line for text in result.warnings for line in textwrap.wrap("! " + text, 46, subsequent_indent="   ")]
    lines = len(rows) + len(held) + len(notes) + 0.6
    step = min(0.078, 1.0 / lines)
    size = 9.5 if step > 0.06 else 8.0
    y = 1.0
    for name, value in rows:
        axes.text(0.0, y, name, fontsize=size, color=SOFT, va="top", transform=axes.transAxes)
        axes.text(0.34, y, value, fontsize=size, color=INK, va="top", transform=axes.transAxes)
        y -= step
    y -= 0.3 * step
    for line in held:
        axes.text(0.0, y, line, fontsize=size - 0.5, color=SOFT, va="top", transform=axes.transAxes)
        y -= step
    for line in notes:
        axes.text(0.0, y, line, fontsize=size - 0.5, color="#b3442c", va="top", transform=axes.transAxes)
        y -= step
