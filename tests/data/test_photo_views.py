"""Views of photographs: every pixel is where its label says, inside the photograph, whatever crop and turn."""

import math

import numpy as np
import pytest

from anylens.camera import Camera
from anylens.data.photo_views import Aim, draw_aim, look, photo_view, whole
from anylens.data.photos import Photograph
from anylens.data.rotation import rotation_from_angles

PHOTO = Photograph("", 288, 216, 230.0, 231.0, "", 1.0)
SIZE = (140, 105)


def camera_of(photo):
    params = np.array([photo.fx, photo.fy, photo.width / 2, photo.height / 2])
    return Camera("pinhole", params, photo.width, photo.height)


@pytest.mark.parametrize("seed", range(6))
def test_a_view_sees_the_rays_of_its_label(seed):
    """Ray of a view's pixel by the label, turned, projected by the photograph's own camera: there it was read."""
    aim = draw_aim(PHOTO, SIZE, 4.0, np.random.default_rng(seed))
    x, y = look(PHOTO, SIZE, aim)
    pixels = np.stack(np.meshgrid(np.arange(SIZE[0]) + 0.5, np.arange(SIZE[1]) + 0.5), axis=-1)
    rays, _ = aim.camera(PHOTO, SIZE).unproject(pixels.reshape(-1, 2))
    seen, valid = camera_of(PHOTO).project(rays @ aim.rotation.T)
    assert valid.all()
    assert np.allclose(np.stack([x.ravel(), y.ravel()], axis=-1), seen, atol=1e-9)
    assert min(x.min(), y.min()) >= 0
    assert x.max() <= PHOTO.width
    assert y.max() <= PHOTO.height


def test_views_differ_in_lens_and_place():
    rng = np.random.default_rng(0)
    aims = [draw_aim(PHOTO, SIZE, 4.0, rng) for _ in range(60)]
    reductions = np.array([a.reduction for a in aims])
    assert reductions.min() < 1.1
    assert reductions.max() > 1.9
    axes = np.array([a.rotation[:, 2] for a in aims])
    assert axes[:, 0].std() > 0.02
    assert axes[:, 1].std() > 0.02


@pytest.mark.parametrize("factor", np.linspace(1, 3.5, 6))
def test_the_label_of_a_crop_is_the_lens_times_its_factor(factor):
    camera = Aim(2.0 / factor, np.eye(3)).camera(PHOTO, (144, 108))
    assert float(camera.hfov_deg) == pytest.approx(2 * math.degrees(math.atan(144 / factor / 230)), abs=0.01)
    assert float(camera.vfov_deg) == pytest.approx(2 * math.degrees(math.atan(108 / factor / 231)), abs=0.01)


@pytest.mark.parametrize("size", [(140, 105), (100, 200), (216, 216)])
def test_the_whole_fills_the_shorter_way(size):
    aim = whole(PHOTO, size)
    x, y = look(PHOTO, size, aim, corners=True)
    assert min(x.min(), y.min()) == pytest.approx(0, abs=1e-9)
    assert (x.min() + x.max(), y.min() + y.max()) == pytest.approx((PHOTO.width, PHOTO.height))


@pytest.mark.parametrize("reduction", [1.0, 1.3, 2.0])
def test_pixels_are_read_where_they_are_looked_for(reduction, raster):
    """A ramp keeps its value under any blur: the view's brightness is the place in the photograph."""
    picture = np.zeros((216, 288, 3), np.uint8)
    picture[..., 0] = np.arange(288)[None] // 2 + 20
    picture[..., 1] = np.arange(216)[:, None] // 2 + 20
    aim = Aim(reduction, rotation_from_angles(1.0, -2.0, 3.0))
    view = photo_view(picture, PHOTO, (100, 75), aim).astype(float)
    x, y = look(PHOTO, (100, 75), aim)
    for channel, place in ((0, x), (1, y)):
        assert np.abs(view[..., channel] - (place / 2 + 19.5)).max() < 1.0
    assert abs((view[..., 0] - (x / 2 + 19.5)).mean()) < 0.1
