"""Drawings of the conventions: pixel corners, axes, fields of view, and the FoV field as a map of the sphere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from saving import save_small

from anylens.plotting.paper import CAMERA, INK, PALE, SOFT, bare, new_figure

STRONG, WARM = "#007f8c", "#c43b5c"
PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}


def arrow(axes: Any, start: tuple, end: tuple, colour: str = INK, width: float = 1.6) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": width, "shrinkA": 0,
                                              "shrinkB": 0, "mutation_scale": 12})  # fmt: skip


def title(axes: Any, text: str) -> None:
    axes.set_title(text, fontsize=10, color=SOFT, loc="left", pad=8)


def draw_pixels(path: Path) -> None:
    """A picture of 4 x 3 pixels with its corners and centres."""
    figure = new_figure(5.6, 3.7)
    axes = figure.add_axes((0.03, 0.02, 0.94, 0.90))
    for x in range(5):
        axes.plot([x, x], [0, 3], color="#c3ccd4", lw=1)
    for y in range(4):
        axes.plot([0, 4], [y, y], color="#c3ccd4", lw=1)
    xs, ys = np.meshgrid(np.arange(4) + 0.5, np.arange(3) + 0.5)
    axes.plot(xs.ravel(), ys.ravel(), "o", color="#c3ccd4", ms=4)
    for at, text, colour, dx, dy, align in (
        ((0, 0), "(0, 0)  corner of the picture", STRONG, 0.0, -0.17, "left"),
        ((0.5, 0.5), "(0.5, 0.5)", STRONG, 0.12, 0.02, "left"),
        ((2, 1.5), "(W/2, H/2) = (2, 1.5)", WARM, 0.12, 0.0, "left"),
        ((4, 3), "(W, H) = (4, 3)", STRONG, 0.0, 0.2, "right"),
    ):
        axes.plot(*at, "o", color=colour, ms=7, zorder=3)
        axes.text(at[0] + dx, at[1] + dy, text, color=colour, fontsize=10, ha=align, va="center", bbox=PAPER)
    axes.text(0.62, 0.76, "OpenCV calls it (0, 0)", color=SOFT, fontsize=8.5, va="center", bbox=PAPER)
    arrow(axes, (0, -0.42), (1.0, -0.42), INK)
    axes.text(1.08, -0.42, "u, x: to the right", fontsize=9, color=INK, va="center")
    arrow(axes, (-0.3, 0), (-0.3, 1.0), INK)
    axes.text(-0.42, 0.5, "v, y: down", fontsize=9, color=INK, va="center", ha="center", rotation=90)
    axes.set_xlim(-0.75, 4.7)
    axes.set_ylim(3.5, -0.65)
    axes.set_aspect("equal")
    bare(axes)
    title(axes, "a picture 4 pixels wide and 3 high")
    save_small(figure, path)


def draw_axes(path: Path) -> None:
    """The camera frame in perspective with one ray, and the horizontal field of view from above."""
    figure = new_figure(8.6, 3.6)
    left = figure.add_axes((0.01, 0.02, 0.47, 0.88))
    o = np.array([0.0, 0.0])
    x, y, z = np.array([1.25, 0.18]), np.array([0.0, -1.2]), np.array([1.35, 0.95])
    for end, name, at in (
        (x, "x  right", (1.30, 0.10)),
        (y, "y  down", (0.07, -1.15)),
        (z, "z  forward", (1.36, 1.02)),
    ):
        arrow(left, tuple(o), tuple(end), INK, 1.8)
        left.text(*at, name, fontsize=10, color=INK)
    ray = 1.0 * x + 0.25 * y + 1.0 * z
    arrow(left, tuple(o), tuple(ray), STRONG, 2.2)
    left.text(ray[0] + 0.05, ray[1] - 0.06, "ray (X, Y, Z)", color=STRONG, fontsize=10)
    turn = np.linspace(0, 1, 30)[:, None]
    way = (1 - turn) * z / np.linalg.norm(z) + turn * ray / np.linalg.norm(ray)
    way = 0.85 * way / np.linalg.norm(way, axis=1, keepdims=True)
    left.plot(*way.T, color=WARM, lw=1.8)
    left.text(*(way[15] * 1.14), "ϑ", color=WARM, fontsize=12, ha="center", va="center")
    left.plot(0, 0, "o", color=INK, ms=6)
    left.text(-0.08, 0.08, "camera", fontsize=9, color=SOFT, ha="right")
    left.set_xlim(-0.6, 3.1)
    left.set_ylim(-1.35, 1.35)
    left.set_aspect("equal")
    bare(left)
    title(left, "the camera frame, and the polar angle ϑ of a ray")
    draw_fov(figure.add_axes((0.52, 0.02, 0.47, 0.88)))
    save_small(figure, path)


def draw_fov(axes: Any) -> None:
    """A camera from above whose principal point is right of the middle."""
    f, edges = 1.0, (-1.15, 0.65)
    axes.plot(edges, [f, f], color=INK, lw=2.4, solid_capstyle="butt")
    for at, name in zip(edges, ("u = 0", "u = W")):
        axes.plot([0, at * 1.25], [0, f * 1.25], color=STRONG, lw=1.6)
        axes.text(at + 0.07 * np.sign(at), f - 0.05, name, fontsize=9, color=INK, ha="right" if at < 0 else "left")
    axes.plot([0, 0], [0, 1.5], color=SOFT, lw=1, ls=(0, (5, 3)))
    axes.text(0.0, 1.53, "optical axis, through (cx, cy)", fontsize=9, color=SOFT, ha="center")
    for at, name, colour in ((edges[0], "ϑ left", WARM), (edges[1], "ϑ right", CAMERA)):
        turn = np.linspace(0, np.arctan2(at, f), 40)
        axes.plot(0.5 * np.sin(turn), 0.5 * np.cos(turn), color=colour, lw=2)
        middle = turn[20]
        axes.text(0.69 * np.sin(middle), 0.63 * np.cos(middle), name, fontsize=9, color=INK, ha="center", bbox=PAPER)
    axes.plot(0, 0, "o", color=INK, ms=6)
    axes.text(0, -0.2, "hFoV = ϑ left + ϑ right, at the borders 0 and W", fontsize=9.5, color=INK, ha="center")
    axes.set_xlim(-1.8, 1.8)
    axes.set_ylim(-0.35, 1.65)
    axes.set_aspect("equal")
    bare(axes)
    title(axes, "the horizontal field of view, seen from above")


def draw_field(path: Path) -> None:
    """A cut through the unit sphere: the FoV field unrolls the arc, the pinhole prolongs the ray."""
    figure = new_figure(7.0, 3.9)
    axes = figure.add_axes((0.01, 0.02, 0.98, 0.97))
    turn = np.linspace(-0.35, np.pi * 0.75, 200)
    axes.plot(np.sin(turn), np.cos(turn), color="#9aa5b1", lw=1.4)
    axes.plot([-0.5, 2.9], [1, 1], color=INK, lw=1.2)
    axes.plot([0, 0], [0, 1.25], color=SOFT, lw=1, ls=(0, (5, 3)))
    axes.text(0.0, 1.29, "optical axis z", fontsize=9, color=SOFT, ha="center")
    axes.text(2.92, 1.0, "tangent plane", fontsize=9, color=INK, va="center")
    for theta, colour in ((np.radians(50), STRONG), (np.radians(112), WARM)):
        ray = np.array([np.sin(theta), np.cos(theta)])
        arrow(axes, (0, 0), tuple(ray), colour, 1.8)
        arc = np.linspace(0, theta, 100)
        axes.plot(np.sin(arc), np.cos(arc), color=colour, lw=3, alpha=0.55)
        axes.plot(theta, 1, "o", color=colour, ms=7, zorder=4)
        axes.text(theta, 1.1, f"‖θ‖ = ϑ = {np.degrees(theta):.0f}°", fontsize=9.5, color=colour, ha="center")
        t = np.linspace(0, 1, 40)[:, None]
        middle = np.array([0.5 * (ray[0] + theta) + 0.18, 0.5 * (ray[1] + 1) + 0.10])
        way = (1 - t) ** 2 * ray + 2 * t * (1 - t) * middle + t**2 * np.array([theta, 0.985])
        axes.plot(*way.T, color=colour, lw=1.1, ls=(0, (2, 2)))
    far = np.tan(np.radians(50))
    axes.plot([np.sin(np.radians(50)), far], [np.cos(np.radians(50)), 1], color=STRONG, lw=1, ls=(0, (1, 2)))
    axes.plot(far, 1, "s", color="white", mec=STRONG, ms=6, zorder=4)
    axes.text(far + 0.04, 0.88, "pinhole: tan ϑ", fontsize=9, color=STRONG)
    axes.text(
        1.0, -0.62, "beyond 90° a pinhole has no place for the ray;\nthe field just goes on", fontsize=9, color=WARM
    )
    axes.plot(0, 0, "o", color=INK, ms=6)
    axes.text(-0.07, -0.09, "camera", fontsize=9, color=SOFT, ha="right")
    axes.set_xlim(-0.7, 3.6)
    axes.set_ylim(-0.75, 1.45)
    axes.set_aspect("equal")
    axes.set_facecolor("white")
    for side in axes.spines.values():
        side.set_color(PALE)
    bare(axes)
    save_small(figure, path)


def draw_all(folder: Path) -> None:
    draw_pixels(folder / "pixels.png")
    draw_axes(folder / "axes.png")
    draw_field(folder / "field_map.png")
