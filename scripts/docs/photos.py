"""Pictures made by the tool from the bundled photographs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image
from saving import save_photo, side_by_side

import anylens
from anylens.examples import example_camera, example_path
from anylens.plotting.contours import draw_photo
from anylens.plotting.evidence_plot import draw_evidence
from anylens.plotting.paper import FIELD, INK, SOFT, bare, new_figure
from anylens.undistortion import undistort


def load(name: str) -> np.ndarray:
    return np.asarray(Image.open(example_path(name)).convert("RGB"))


def draw_explained(folder: Path) -> None:
    """`--plot` of the street, as a user gets it."""
    result = replace(anylens.calibrate(example_path("street")), file="example:street")
    with TemporaryDirectory() as place:
        result.plot(example_path("street"), Path(place) / "explained.png")
        picture = Image.open(Path(place) / "explained.png").convert("RGB")
    picture.resize((1360, 862), Image.Resampling.LANCZOS).save(folder / "explained.jpg", quality=86, optimize=True)


def draw_three(folder: Path) -> None:
    """The three examples with rings of equal angle, and the truth beside the answer."""
    figure = new_figure(8.8, 2.62)
    left = 0.004
    for name in ("room", "street", "fisheye"):
        image = load(name)
        share = 0.905 * image.shape[1] / image.shape[0] * 2.62 / 8.8 * 0.87
        axes = figure.add_axes((left, 0.0, share, 0.87))
        result = anylens.calibrate(example_path(name))
        draw_photo(axes, result, image)
        low, high = result.hfov_interval_deg
        text = f"{result.hfov_deg:.0f}° across ({low:.0f}–{high:.0f}); true: {example_camera(name).hfov_deg:.0f}°"
        axes.set_title(text, fontsize=10, color=SOFT, loc="left", pad=5)
        left += share + 0.012
    save_photo(figure, folder / "three.jpg")


def draw_failures(folder: Path) -> None:
    """Where a single photo is not enough: parts of the examples whose true cameras are known all the same."""
    cases = (
        ("a cushion", "room", (0, 370, 240, 180), {}),
        ("a wall", "street", (640, 130, 200, 150), {}),
        ("a long lens", "street", (360, 240, 180, 120), {}),
        ("a crop, not said", "room", (480, 270, 480, 450), {}),
        ("a crop, --edited", "room", (480, 270, 480, 450), {"edited": True}),
    )
    figure = new_figure(9.6, 2.5)
    for i, (title, name, (x, y, w, h), options) in enumerate(cases):
        by = 640 / w
        part = Image.fromarray(load(name)[y : y + h, x : x + w]).resize((640, round(h * by)), Image.Resampling.LANCZOS)
        camera = example_camera(name).crop(x, y, w, h).resize(*part.size)
        result = anylens.calibrate(np.asarray(part), **options)
        axes = figure.add_axes((0.004 + 0.2 * i, 0.27, 0.19, 0.62))
        axes.imshow(part)
        axes.set_anchor("S")
        axes.set_title(title, fontsize=10, color=INK, loc="left", pad=4)
        bare(axes)
        low, high = result.hfov_interval_deg
        answer = f"true {camera.hfov_deg:.0f}°, said {result.hfov_deg:.0f}° ({low:.0f}–{high:.0f})"
        said = ", ".join(text.partition(":")[0] for text in result.warnings) or "no warning"
        figure.text(0.004 + 0.2 * i, 0.22, f"{answer}\n{said}", fontsize=9, color=SOFT, va="top")
    save_photo(figure, folder / "failures.jpg")


def draw_straight(folder: Path) -> None:
    """The fisheye photo, as a pinhole view, and as a panorama, by its true camera."""
    image, camera = load("fisheye"), example_camera("fisheye")
    pinhole = undistort(image, camera, fov_deg=105).image
    panorama = undistort(image, camera, "equirectangular").image
    side_by_side([image, pinhole, panorama], 300).save(folder / "straight.jpg", quality=86, optimize=True)


def draw_network(folder: Path) -> None:
    """What the network says: the field as arrows, and what all sources say about the focal length."""
    result = anylens.calibrate(example_path("fisheye"))
    figure = new_figure(9.6, 3.5)
    axes = figure.add_axes((0.01, 0.03, 0.44, 0.85))
    axes.imshow(load("fisheye"), extent=(0, 800, 600, 0), alpha=0.75)
    seen = result.seen
    length = 22 / np.hypot(*seen.field.T).max()
    axes.quiver(*seen.pixels.T, *(seen.field.T * length * 2), color=FIELD, angles="xy", scale_units="xy", scale=1,
                width=0.004)  # fmt: skip
    axes.set_xlim(0, 800)
    axes.set_ylim(600, 0)
    axes.set_title("the network's field: one arrow (θx, θy) per cell", fontsize=10, color=SOFT, loc="left")
    bare(axes)
    draw_evidence(figure.add_axes((0.52, 0.15, 0.46, 0.70)), result)
    save_photo(figure, folder / "network.jpg", quality=88)


def draw_all(folder: Path) -> None:
    for draw in (draw_explained, draw_three, draw_straight, draw_network, draw_failures):
        draw(folder)
