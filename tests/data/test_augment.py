"""Appearance: every change can be switched off and does something, labels stay, both back ends agree."""

import subprocess
import sys
from dataclasses import fields, replace

import numpy as np
import pytest

from anylens.camera import Camera
from anylens.data.augment import Augment, augment_level, augment_output
from anylens.data.augment.settings import NONE
from anylens.data.compression import compress
from anylens.data.pyramid import build_pyramid
from anylens.data.raster import sample_bilinear, shrink_area, soften
from anylens.data.render import render_view
from anylens.data.rotation import rotation_from_angles
from anylens.data.standard import standard_form
from anylens.data.synthetic import box_world
from anylens.errors import FormatError

VIEW = box_world(512, 1)[40:166, 100:240]
CHANGES = (
    "tone",
    "grey",
    "sepia",
    "sharpness",
    "downscale",
    "noise",
    "output_compression",
    "vignette",
    "chromatic",
    "border",
    "stamp",
    "erase",
)


def test_nothing_happens_when_all_is_off():
    rng = np.random.default_rng(0)
    assert np.array_equal(augment_output(VIEW, NONE, rng), VIEW)
    off = {f.name for f in fields(Augment) if getattr(NONE, f.name) == 0}
    assert set(CHANGES) | {"quality_spread", "crop", "flip"} <= off


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_can_be_switched_on_alone(change, raster):
    settings = replace(NONE, **{change: 1.0})
    out = [augment_output(VIEW, settings, np.random.default_rng(s)) for s in (1, 1, 2)]
    assert out[0].shape == VIEW.shape
    assert out[0].dtype == np.uint8
    assert np.array_equal(out[0], out[1])
    assert not np.array_equal(out[0], VIEW)
    if change not in ("grey", "sepia"):
        assert not np.array_equal(out[0], out[2])
    moved = np.abs(out[0].astype(int) - VIEW).mean()
    assert moved < 70  # still the same picture


def test_the_standard_form_is_stored_as_a_jpeg_on_the_way():
    clean, stored = (standard_form(VIEW, 70, 63, 1.1, quality) for quality in (0, 60))
    assert 0.3 < np.abs(clean.astype(int) - stored).mean() < 20
    assert np.abs(compress(VIEW, 60, webp=True).astype(int) - VIEW).mean() < 20


def test_levels_by_name():
    assert augment_level("none") == NONE
    assert augment_level(Augment(noise=0)) == Augment(noise=0)
    assert augment_level("strong").erase > augment_level("full").erase > 0
    with pytest.raises(FormatError, match="none, light, full, strong"):
        augment_level("garish")


def test_opencv_and_numpy_give_the_same_pixels(monkeypatch):
    pytest.importorskip("cv2")
    pyramid = build_pyramid(box_world(512, 2))
    camera = Camera("eucm", np.array([60.0, 62, 64, 50, 0.6, 1.1]), 128, 100)
    grid = np.meshgrid(np.linspace(-2, 141, 90), np.linspace(-1, 127, 77))

    def everything():
        return [render_view(pyramid, camera, rotation_from_angles(170, 60, 20), density) for density in (1.0, 2.2)] + [
            shrink_area(VIEW, 61, 53),
            soften(VIEW, 0.08),
            sample_bilinear(VIEW, *grid),
            standard_form(VIEW, 50, 44, 2.2),
            *build_pyramid(box_world(256, 0)).levels,
        ]

    fast = everything()
    for name in ("raster", "lookup", "render"):
        monkeypatch.setattr(f"anylens.data.{name}.opencv", lambda: None)
    for a, b in zip(fast, everything()):
        assert np.abs(a.astype(int) - b).max() <= 2
        assert np.abs(a.astype(int) - b).mean() < 0.3


def test_the_standard_form_keeps_size_and_brightness():
    for size in ((300, 200), (90, 60)):
        image = np.full((size[1], size[0], 3), (10, 100, 250), np.uint8)
        out = standard_form(image, 70, 42, 2.2)
        assert out.shape == (42, 70, 3)
        assert np.abs(out.astype(int) - [10, 100, 250]).max() <= 1


def test_importing_the_data_engine_is_light():
    code = (
        "import sys, anylens.data, anylens.data.batches, anylens.data.ondisk.run, anylens.data.collect.job\n"
        "import anylens.data.lensfun.recipe, anylens.cli.render, anylens.cli.collect, anylens.cli.lensfun\n"
        "assert not {'torch', 'cv2', 'matplotlib', 'ray', 'scipy'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
