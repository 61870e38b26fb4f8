"""Targets: chosen field of view, no empty pixels at 0, everything kept at 1; OpenCV as a second opinion."""

import numpy as np
import pytest

from anylens import Camera, ModelError
from anylens.undistortion import make_target, map_pixels

BARREL = Camera("radial:2", [400.0, 410.0, 330.0, 237.0, -0.2, 0.05], 640, 480)
PINCUSHION = Camera("radial:1", [500.0, 500.0, 315.0, 242.0, 0.1], 640, 480)
FISHEYE = Camera("kb:4", [200.0, 201.0, 322.0, 238.0, 0.01, -0.002, 0.0, 0.0], 640, 480)
CAMERAS = [BARREL, PINCUSHION, FISHEYE]


def kept(camera, target):
    """Share of the photo's border pixels (a little inside) that the target shows."""
    t = np.linspace(1, 639, 60)
    s = np.linspace(1, 479, 60)
    border = np.concatenate([[(x, 1), (x, 479)] for x in t] + [[(1, y), (639, y)] for y in s])
    rays, _ = camera.unproject(border)
    pixels, seen = target.project(rays)
    inside = (pixels >= 0) & (pixels <= [target.width, target.height])
    return (seen & inside.all(axis=-1)).mean()


@pytest.mark.parametrize("camera", CAMERAS)
@pytest.mark.parametrize("knob", ["balance", "alpha"])
@pytest.mark.parametrize("size", [None, (320, 240), (500, 500)])
def test_zero_leaves_no_empty_pixel_and_is_tight(camera, knob, size):
    target = make_target(camera, **{knob: 0.0}, size=size)
    _, valid = map_pixels(camera, target)
    assert valid.all()
    fx, fy, cx, cy = target.params
    if camera is FISHEYE:  # ends at 120° instead
        assert 90 < target.hfov_deg < 120
        return
    wider = Camera("pinhole", [fx * 0.97, fy * 0.97, cx, cy], target.width, target.height)
    assert not map_pixels(camera, wider)[1].all()


@pytest.mark.parametrize("camera", [BARREL, PINCUSHION])
@pytest.mark.parametrize("knob", ["balance", "alpha"])
def test_one_keeps_the_whole_photo(camera, knob):
    assert kept(camera, make_target(camera, **{knob: 1.0})) == 1.0
    assert kept(camera, make_target(camera, **{knob: 0.5})) < 1.0


def test_balance_leaves_a_pinhole_camera_alone():
    camera = Camera("pinhole", [500.0, 510.0, 300.0, 250.0], 640, 480)
    for balance in (0.0, 0.4, 1.0):
        assert np.allclose(make_target(camera, balance=balance).params, camera.params, rtol=1e-9)


def test_alpha_is_opencvs_optimal_matrix():
    cv2 = pytest.importorskip("cv2")
    K = np.asarray(BARREL.K) - [[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]]
    for alpha in (0.0, 0.5, 1.0):
        theirs, _ = cv2.getOptimalNewCameraMatrix(K, np.array([-0.2, 0.05, 0, 0]), (640, 480), alpha)
        ours = make_target(BARREL, alpha=alpha).params
        # OpenCV samples the border at 9 points per side and takes pixel centres for the edge.
        assert np.allclose(ours[:2], [theirs[0, 0], theirs[1, 1]], rtol=0.01)
        assert np.allclose(ours[2:] - 0.5, [theirs[0, 2], theirs[1, 2]], atol=3)


@pytest.mark.parametrize("to", ["pinhole", "equidistant", "equisolid", "stereographic", "orthographic"])
def test_a_chosen_field_of_view_is_kept(to):
    target = make_target(FISHEYE, to, fov_deg=100.0, size=(400, 300))
    assert target.hfov_deg == pytest.approx(100.0)
    assert (target.width, target.height) == (400, 300)


@pytest.mark.parametrize("to", ["equidistant", "equisolid", "stereographic"])
def test_fisheyes_keep_the_cameras_field_of_view(to):
    centred = Camera("kb:4", [200.0, 200.0, 320.0, 240.0, 0.01, -0.002, 0.0, 0.0], 640, 480)
    assert make_target(centred, to).hfov_deg == pytest.approx(centred.hfov_deg)


def test_panoramas_cover_the_photo():
    target = make_target(FISHEYE, "equirectangular")
    rays, valid = FISHEYE.unproject(np.array([[1.0, 240], [639, 240], [320, 1], [320, 479]]))
    assert valid.all()
    assert target.project(rays)[1].all()
    assert make_target(FISHEYE, "equirectangular", fov_deg=360).vfov_deg == 180


@pytest.mark.parametrize(
    "options",
    [
        {"fov_deg": 180},
        {"fov_deg": -5},
        {"balance": 2},
        {"alpha": -1},
        {"to": "square"},
        {"to": "orthographic", "fov_deg": 200},
    ],
)
def test_impossible_wishes_are_refused(options):
    with pytest.raises(ModelError):
        make_target(FISHEYE, **options)
    off = Camera("pinhole", [500.0, 500.0, 900.0, 240.0], 640, 480)
    with pytest.raises(ModelError, match="alpha"):
        make_target(off)
