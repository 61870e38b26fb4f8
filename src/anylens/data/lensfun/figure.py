"""The figure of real fisheyes: α and β of each lens, coloured by vertical field of view, beside one
undistorted view.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from anylens.camera import Camera
from anylens.data.builtin import EUCM
from anylens.data.distributions import Uniform
from anylens.data.draw import radius_at
from anylens.data.lensfun.mapping import MappedLens
from anylens.data.pyramid import build_pyramid
from anylens.data.raster import sample_bilinear
from anylens.data.render import render_view
from anylens.data.rotation import rotation_from_angles
from anylens.data.synthetic import box_world
from anylens.errors import AnylensError
from anylens.profiles import parse


def inside_bounds(lens: MappedLens) -> bool:
    """Whether a fisheye's α and β lie in the recipe's ranges."""
    ranges = (EUCM.coefs["alpha"], EUCM.coefs["beta"])
    return all(isinstance(r, Uniform) and r.low <= c <= r.high for r, c in zip(ranges, lens.coefs))


def fisheye_view(lens: MappedLens, size: int = 360) -> tuple[np.ndarray, np.ndarray]:
    """A view of a drawn room through the lens, and undistorted to a pinhole with the mapped α and β."""
    profile = parse("eucm").profile
    focal = size / 2 / radius_at(profile, min(lens.vfov_deg, 150.0), list(lens.coefs))
    camera = Camera("eucm", np.array([focal, focal, size / 2, size / 2, *lens.coefs]), size, size)
    view = render_view(build_pyramid(box_world(1536, 4)), camera, rotation_from_angles(20, -8, 0), 1.5)
    half = math.radians(min(lens.vfov_deg, 110.0) / 2)
    target = size / 2 / math.tan(half)
    pinhole = Camera("pinhole", np.array([target, target, size / 2, size / 2]), size, size)
    grid = np.stack(np.meshgrid(*2 * (np.arange(size) + 0.5,)), axis=-1).reshape(-1, 2)
    pixels = camera.project(pinhole.unproject(grid)[0])[0].reshape(size, size, 2) - 0.5
    return view, sample_bilinear(view, pixels[..., 0], pixels[..., 1])


def draw_figure(lenses: list[MappedLens], path: str | Path) -> None:
    """Save the figure. `lenses` are the fisheyes; needs matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.patches import Rectangle
    except ImportError:
        raise AnylensError("The figure needs matplotlib: pip install 'anylens[plot]'.") from None
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    scatter, before, after = figure.subplots(1, 3, width_ratios=(1.5, 1, 1))
    alpha, beta = np.array([lens.coefs for lens in lenses]).T
    dots = scatter.scatter(alpha, beta, c=[lens.vfov_deg for lens in lenses], cmap="viridis", s=34, zorder=3)
    scatter.add_patch(Rectangle((0.5, 0.5), 0.3, 1.5, fill=False, linestyle="--", label="recipe"))
    scatter.set(xlabel="α", ylabel="β", title=f"{len(lenses)} calibrated fisheyes as EUCM")
    scatter.legend(loc="lower left")
    figure.colorbar(dots, ax=scatter, label="vertical field of view [°]")
    inside = [lens for lens in lenses if inside_bounds(lens)] or lenses
    shown = max(inside, key=lambda lens: (lens.vfov_deg < 115, lens.vfov_deg))
    for axes, image, title in zip((before, after), fisheye_view(shown), (shown.lens.name, "undistorted")):
        axes.imshow(image)
        axes.set_title(title, fontsize=8)
        axes.axis("off")
    figure.savefig(path, dpi=130)
