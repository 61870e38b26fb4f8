"""The photo with lines of equal angle: dashed as the network saw them, solid as the fitted camera has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from anylens.calibration.result import Result
from anylens.evidence import log_focal, with_log_focal
from anylens.plotting.paper import CAMERA, FIELD, HORIZON, SOFT, bare

STEPS_DEG = (2, 5, 10, 15, 20, 30)


def choose_step(largest_deg: float) -> float:
    """The step that gives about five rings."""
    return next((s for s in STEPS_DEG if largest_deg / s <= 6.5), STEPS_DEG[-1])


def draw_photo(axes: Any, result: Result, rgb: np.ndarray) -> None:
    """The photo in its own pixels, rings of equal angle, optical axis and, where it is known, the horizon."""
    from matplotlib.patheffects import Normal, Stroke

    camera, w, h = result.camera, result.camera.width, result.camera.height
    shadow = [Stroke(linewidth=3.2, foreground="#00000066"), Normal()]
    axes.imshow(rgb, extent=(0, w, h, 0), interpolation="antialiased")
    step = max(w, h) / 160
    rays, valid = result.rays(step)
    polar = np.degrees(np.arctan2(np.hypot(rays[..., 0], rays[..., 1]), rays[..., 2]))
    polar = np.where(valid, polar, np.nan)
    size = choose_step(float(np.nanmax(polar)))
    levels = np.arange(size, np.nanmax(polar), size)
    x, y = (np.arange(polar.shape[1]) + 0.5) * step, (np.arange(polar.shape[0]) + 0.5) * step
    rings = axes.contour(x, y, polar, levels=levels, colors=CAMERA, linewidths=1.6)
    rings.set_path_effects(shadow)
    for label in axes.clabel(rings, fmt="%g°", fontsize=8.5, inline_spacing=2):
        label.set_path_effects([Stroke(linewidth=2.2, foreground="#00000088"), Normal()])
        label.set_color("white")
    draw_field(axes, result, levels)
    named = camera.named()
    axes.plot(named["cx"], named["cy"], "+", color="white", ms=12, mew=1.8, path_effects=shadow)
    if result.gravity is not None:
        line = result.gravity.horizon(camera)
        if len(line) > 1:
            axes.plot(*line.T, color=HORIZON, lw=1.8, ls=(0, (7, 3)), path_effects=shadow)
    axes.set_xlim(0, w)
    axes.set_ylim(h, 0)
    axes.set_title("the photo, with rings of equal angle from the optical axis", fontsize=10, color=SOFT, loc="left")
    bare(axes)


def draw_field(axes: Any, result: Result, levels: np.ndarray) -> None:
    """Rings of the network's field, brought to the final focal length as the camera was: its shape is what counts."""
    seen, camera = result.seen, result.camera
    rows, cols = seen.grid
    if min(rows, cols) < 3:
        return
    angle = np.hypot(*seen.field.T)
    # The free fit has the field's own scale: its angle at each radius maps to the final camera's.
    free = fitted_scale(result)
    polar = np.interp(angle, *scale_table(with_log_focal(camera, free), camera)).reshape(rows, cols)
    x, y = seen.pixels[:, 0].reshape(rows, cols), seen.pixels[:, 1].reshape(rows, cols)
    axes.contour(x, y, np.degrees(polar), levels=levels, colors=FIELD, linewidths=1.3, linestyles=[(0, (4, 3))])


def fitted_scale(result: Result) -> float:
    """Log focal length at which the final camera's shape agrees best with the field."""
    seen, camera = result.seen, result.camera
    best, at = np.inf, log_focal(camera)
    own = np.hypot(*seen.field.T)
    for value in at + np.linspace(-0.8, 0.8, 65):
        rays, valid = with_log_focal(camera, value).unproject(seen.pixels)
        rays = np.asarray(rays)
        polar = np.arctan2(np.hypot(rays[:, 0], rays[:, 1]), rays[:, 2])
        off = float(np.average(np.where(valid, (polar - own) ** 2, 1.0), weights=seen.weights + 1e-9))
        if off < best:
            best, chosen = off, value
    return float(chosen)


def scale_table(free: Any, final: Any) -> tuple[np.ndarray, np.ndarray]:
    """Polar angles of both cameras at the same pixels along a line from the centre: from the one to the other."""
    reach = 0.75 * np.hypot(final.width, final.height)
    r = np.linspace(0, reach, 400)
    cx, cy = np.asarray(final.full)[2:4]
    pixels = np.stack([cx + r, np.full_like(r, cy)], -1)
    angles = []
    for camera in (free, final):
        rays, valid = camera.unproject(pixels)
        rays = np.asarray(rays)
        angles.append(np.where(valid, np.arctan2(rays[:, 0], rays[:, 2]), np.nan))
    kept = ~np.isnan(angles[0]) & ~np.isnan(angles[1])
    return angles[0][kept], angles[1][kept]
