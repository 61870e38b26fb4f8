"""Radius against angle for every camera model, drawn from the package's own profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from saving import save_small

from anylens.plotting.paper import INK, PALE, SOFT, new_figure
from anylens.profiles import parse

LINES = ("#007f8c", "#e07a00", "#8a4fbf", "#c43b5c")
TOP_DEG, TOP_RADIUS = 120.0, 3.0
ORDERS = {"radial": 4, "kb": 4, "division": 4}
TOGETHER = ("equidistant", "equisolid", "stereographic", "orthographic")
ALONE = ("pinhole", "radial", "kb", "ucm", "eucm", "division", "ds", "fov", "woodscape", "ocam")


def curve(family: str, coefs: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, bool]:
    """Degrees, radii in paraxial focal lengths, and whether the curve ends inside the picture."""
    profile = parse(f"{family}:{len(coefs)}" if family in ORDERS else family).profile
    k = np.array(coefs, dtype=np.float64)
    last, r_max = (float(v[0]) for v in profile.limits(k))
    theta = np.linspace(0.0, min(np.radians(TOP_DEG), last * (1 - 1e-9)), 1500)
    radius = np.asarray(profile.radius(theta, k)) / float(profile.slope0(k)[0])
    kept = radius < TOP_RADIUS * 1.5
    folds = bool(np.isfinite(r_max)) and last < np.radians(TOP_DEG) and radius[-1] < TOP_RADIUS
    return np.degrees(theta[kept]), radius[kept], folds


def axes_of(figure: Any) -> Any:
    axes = figure.add_axes((0.11, 0.15, 0.86, 0.81))
    axes.set_xlim(0, TOP_DEG)
    axes.set_ylim(0, TOP_RADIUS)
    axes.set_xticks(range(0, 121, 30), [f"{v}°" for v in range(0, 121, 30)])
    axes.set_yticks(range(4))
    axes.set_xlabel("angle ϑ from the optical axis", color=SOFT, fontsize=9)
    axes.set_ylabel("radius r", color=SOFT, fontsize=9)
    axes.tick_params(colors=SOFT, labelsize=8.5, length=0)
    axes.grid(color=PALE, lw=0.8)
    for side in axes.spines.values():
        side.set_color(PALE)
    return axes


def draw(family: str, path: Path) -> None:
    """The curves of a family's own example calibrations, above the pinhole and the equidistant fisheye in grey."""
    figure = new_figure(4.3, 2.9)
    axes = axes_of(figure)
    for plain, text, at in (("pinhole", "tan ϑ", (72.5, 2.78)), ("equidistant", "ϑ", (112, 1.72))):
        if plain != family:
            x, y, _ = curve(plain, ())
            axes.plot(x, y, color="#b9c2cb", lw=1.1, ls=(0, (4, 3)))
            axes.text(*at, text, color="#8e99a4", fontsize=8.5)
    for colour, (params, _) in zip(LINES, parse_examples(family)):
        x, y, folds = curve(family, params[4:])
        axes.plot(x, y, color=colour, lw=1.9, label=label(family, params[4:]))
        if folds:
            axes.plot(x[-1], y[-1], "o", color=colour, ms=5)
        if not params[4:]:
            break
    axes.legend(fontsize=6.6, frameon=False, labelcolor=INK, loc="lower right", handlelength=1.4)
    save_small(figure, path)


def parse_examples(family: str) -> Any:
    return parse(f"{family}:{ORDERS[family]}" if family in ORDERS else family).profile.examples


def label(family: str, coefs: tuple[float, ...]) -> str:
    name = f"{family}:{len(coefs)}" if family in ORDERS else family
    return f"{name}  {', '.join(f'{c:.2g}' for c in coefs)}" if coefs else name


def draw_ideal(path: Path) -> None:
    """The four ideal fisheyes in one picture."""
    figure = new_figure(4.3, 2.9)
    axes = axes_of(figure)
    x, y, _ = curve("pinhole", ())
    axes.plot(x, y, color="#b9c2cb", lw=1.1, ls=(0, (4, 3)))
    axes.text(72.5, 2.78, "tan ϑ", color="#8e99a4", fontsize=8.5)
    for colour, family in zip(LINES, TOGETHER):
        x, y, folds = curve(family, ())
        axes.plot(x, y, color=colour, lw=1.9, label=family)
        if folds:
            axes.plot(x[-1], y[-1], "o", color=colour, ms=5)
    axes.legend(fontsize=7.5, frameon=False, labelcolor=INK, loc="lower right", handlelength=1.4)
    save_small(figure, path)


def draw_all(folder: Path) -> None:
    for family in ALONE:
        draw(family, folder / f"curve_{family}.png")
    draw_ideal(folder / "curve_ideal.png")
