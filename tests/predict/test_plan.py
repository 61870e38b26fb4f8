"""Size plans: the shape rules, and the way back into the photograph's pixels, exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anylens.errors import ImageError
from anylens.predict.plan import MIN_SIDE, plan_size


@pytest.mark.parametrize(
    ("height", "width", "expected"),
    [
        (480, 640, (280, 364)),
        (1080, 1920, (238, 420)),
        (1000, 1000, (322, 322)),
        (500, 2000, (224, 448)),
        (2000, 500, (448, 224)),
    ],
)
def test_the_shape_rules_of_the_14_pixel_encoder(height, width, expected):
    plan = plan_size(width, height)
    assert (plan.out_height, plan.out_width) == expected


SIDES = st.integers(MIN_SIDE, 12_000)


@given(width=SIDES, height=SIDES, area=st.sampled_from([126 * 126, 154 * 154, 320 * 320]))
def test_the_box_is_centred_inside_and_of_the_networks_aspect(width, height, area):
    plan = plan_size(width, height, area=area)
    assert plan.left >= 0
    assert plan.top >= 0
    assert 2 * plan.left + plan.box_width == width
    assert 2 * plan.top + plan.box_height == height
    assert plan.out_width % 14 == plan.out_height % 14 == 0
    sx, sy = plan.scale
    assert abs(np.log(sx / sy)) < 2.5 / min(plan.box_width, plan.box_height)
    # one of the two sides is used whole, up to the parity that keeps the centre
    assert width - plan.box_width <= 1 or height - plan.box_height <= 1


@given(width=SIDES, height=SIDES)
def test_there_and_back(width, height):
    plan = plan_size(width, height)
    points = np.array([[0.0, 0.0], [3.25, 7.5], [plan.out_width, plan.out_height]])
    assert np.allclose(plan.to_network(plan.to_photo(points)), points, atol=1e-9)
    centre = plan.to_photo(np.array([plan.out_width / 2, plan.out_height / 2]))
    assert np.allclose(centre, (width / 2, height / 2), atol=1e-9)


def test_a_ramp_of_coordinates_survives_crop_and_resize():
    """A picture whose values are its own coordinates, area-averaged, must read as `cell_centres` says."""
    width, height = 1130, 480
    plan = plan_size(width, height)
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    for ramp, axis in ((u, 0), (v, 1)):
        box = plan.crop(ramp)
        rows, cols = plan.out_height // 14, plan.out_width // 14
        edges_y = np.linspace(0, plan.box_height, rows + 1)
        edges_x = np.linspace(0, plan.box_width, cols + 1)
        # the integral of the box up to any fractional edge, then differences: exact area means
        total = np.pad(box.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
        at = np.stack([np.interp(edges_x, np.arange(plan.box_width + 1), row) for row in total])
        at = np.stack([np.interp(edges_y, np.arange(plan.box_height + 1), col) for col in at.T], axis=1)
        means = np.diff(np.diff(at, axis=0), axis=1) / np.outer(np.diff(edges_y), np.diff(edges_x))
        expected = plan.cell_centres(rows, cols).reshape(rows, cols, 2)[..., axis]
        assert np.abs(means - expected).max() < 0.02  # cells cut pixels at their edges


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 20_000), (15, 400)])
def test_too_small_a_picture_is_named(width, height):
    with pytest.raises(ImageError, match=f"{width}×{height}"):
        plan_size(width, height)
