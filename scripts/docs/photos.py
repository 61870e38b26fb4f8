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
from anylens.plotting.paper import FIELD, SOFT, bare, new_figure
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
    """The three examples with rings of equal angle."""
    figure = new_figure(10.6, 3.0)
    left = 0.005
    for name in ("room", "street", "fisheye"):
        image = load(name)
        share = 0.92 * image.shape[1] / image.shape[0] * 3.0 / 10.6 * 0.9
        axes = figure.add_axes((left, 0.0, share, 0.9))
        result = anylens.calibrate(example_path(name))
        draw_photo(axes, result, image)
        low, high = result.hfov_interval_deg
        text = f"{result.hfov_deg:.0f}° across ({low:.0f}–{high:.0f}), {result.camera.model.removeprefix('simple_')}"
        axes.set_title(text, fontsize=10, color=SOFT, loc="left", pad=5)
        left += share + 0.012
    save_photo(figure, folder / "three.jpg")


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
    for draw in (draw_explained, draw_three, draw_straight, draw_network):
        draw(folder)
