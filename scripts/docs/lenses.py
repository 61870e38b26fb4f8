"""One room, drawn in code, through six camera models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from saving import save_photo

from anylens import Camera
from anylens.data.pyramid import build_pyramid
from anylens.data.render import render_view
from anylens.data.synthetic import box_world
from anylens.plotting.paper import INK, SOFT, bare, new_figure
from anylens.profiles import parse

SIZE = 360
# model, coefficients, horizontal field of view in degrees
LENSES = (
    ("pinhole", (), 65),
    ("pinhole", (), 110),
    ("radial:1", (-0.12,), 85),
    ("fov", (0.93,), 110),
    ("equidistant", (), 170),
    ("stereographic", (), 170),
)


def camera_of(model: str, coefs: tuple[float, ...], degrees: float) -> Camera:
    """A square view with that field of view:  f = (size / 2) / r(half of it)."""
    half, k = np.radians([degrees / 2]), np.array(coefs, dtype=np.float64)
    radius = float(np.asarray(parse(model).profile.radius(half, k))[0])
    focal = SIZE / 2 / radius
    return Camera(f"simple_{model}", [focal, SIZE / 2, SIZE / 2, *coefs], SIZE, SIZE)


def draw_all(folder: Path) -> None:
    pyramid = build_pyramid(box_world(4096, 3))
    a = np.radians(24)
    turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    figure = new_figure(9.6, 1.78)
    for i, (model, coefs, degrees) in enumerate(LENSES):
        axes = figure.add_axes((0.002 + i / 6, 0.0, 0.158, 0.852))
        axes.imshow(render_view(pyramid, camera_of(model, coefs, degrees), turn, 2.0), extent=(0, SIZE, SIZE, 0))
        axes.set_title(model, fontsize=10, color=INK, loc="left", pad=4)
        axes.text(SIZE, -10, f"{degrees}°", fontsize=10, color=SOFT, ha="right", va="bottom")
        bare(axes)
    save_photo(figure, folder / "lenses.jpg", quality=86)
