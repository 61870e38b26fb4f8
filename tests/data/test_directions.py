"""A panorama whose colour spells its direction reads the label's rays back: the test of every convention at
once.
"""

import numpy as np
import pytest

from anylens.camera import Camera
from anylens.data.builtin import BUILTIN
from anylens.data.draw import draw_view
from anylens.data.labels import field_label
from anylens.data.pyramid import build_pyramid
from anylens.data.render import render_view
from anylens.data.rotation import rotation_from_angles
from anylens.data.synthetic import direction_panorama
from anylens.field import field_to_rays

PYRAMID = build_pyramid(direction_panorama(2048))


def ray_errors(camera, rotation, density):
    """Differences (N, 3) in degrees between the rays that colours spell and those of the label, over all
    pixels.

    A colour step is 0.45°, rounded more than once on the way: single pixels are good to about half a degree,
    but
    the mean over a view tells a systematic slip of a hundredth of a degree."""
    image = render_view(PYRAMID, camera, rotation, density).astype(np.float64)
    read = image / 127.5 - 1
    read /= np.linalg.norm(read, axis=-1, keepdims=True)
    field, valid = field_label(camera)
    label = field_to_rays(np.moveaxis(field.astype(np.float64), 0, -1)) @ rotation.T
    assert valid.all()
    return np.degrees(read - label).reshape(-1, 3) @ rotation


def assert_same_rays(camera, rotation, density):
    errors = ray_errors(camera, rotation, density)
    pixel = np.degrees(2 / (camera.full[0] + camera.full[1]))  # size of a pixel on the axis
    assert np.median(np.linalg.norm(errors, axis=-1)) < 0.45, camera
    assert np.abs(errors).max() < 1.6, camera
    rounding = 0.02 if density >= 1 else 0.03  # of 8-bit colours, which enlarging spreads
    assert np.abs(errors.mean(axis=0)).max() < rounding + 0.02 * pixel, camera  # nowhere near half a pixel


@pytest.mark.parametrize("density", [0.8, 1.0, 2.2])
@pytest.mark.parametrize("name", ["op_p", "op_r", "op_d", "op_g", "edited", "world"])
def test_colours_spell_the_rays_of_the_label(name, density, raster):
    rng = np.random.default_rng(5)
    for _ in range(6):
        width, height = rng.integers(60, 150, 2)
        drawn = draw_view(BUILTIN[name], rng, int(width), int(height))
        assert_same_rays(drawn.camera, drawn.rotation, density)


@pytest.mark.parametrize(
    ("model", "params"),
    [
        ("eucm", [52, 52, 70, 70, 0.62, 1.1]),
        ("kb:4", [44, 44, 70, 70, 0.01, 0, 0, 0]),
        ("ucm", [70, 70, 70, 70, 0.9]),
        ("division:1", [90, 80, 60, 75, -0.1]),
        ("radial:2", [90, 90, 70, 70, -0.1, 0.01]),
        ("simple_pinhole", [60, 70, 70]),
    ],
)
def test_other_models_over_the_seam_and_both_poles(model, params):
    camera = Camera(model, np.array(params, float), 140, 140)
    for angles in [(180, 0, 0), (90, 88, 0), (-90, -89, 30), (0, 0, 90)]:
        assert_same_rays(camera, rotation_from_angles(*angles), 1.5)


def test_a_slip_of_a_quarter_pixel_would_show(monkeypatch):
    camera = Camera("pinhole", np.array([90.0, 90, 70, 70]), 140, 140)
    assert_same_rays(camera, rotation_from_angles(33, 21, 12), 2.2)
    slipped = Camera("pinhole", np.array([90.0, 90, 70.25, 70]), 140, 140)
    label = field_label(slipped)
    monkeypatch.setattr(f"{__name__}.field_label", lambda _: label)
    with pytest.raises(AssertionError):
        assert_same_rays(camera, rotation_from_angles(33, 21, 12), 2.2)


def test_axes_of_the_panorama_frame():
    """Looking right sees +x, up sees -y, and a clockwise roll turns the picture counter-clockwise."""
    assert np.allclose(rotation_from_angles(90, 0, 0) @ [0, 0, 1], [1, 0, 0])
    assert np.allclose(rotation_from_angles(0, 90, 0) @ [0, 0, 1], [0, -1, 0])
    assert np.allclose(rotation_from_angles(0, 0, 90) @ [1, 0, 0], [0, 1, 0])
