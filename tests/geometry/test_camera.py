import json

import numpy as np
import pytest
from cameras import MODELS, examples, grid

import anylens
from anylens import Camera


def test_fov_of_a_pinhole():
    camera = Camera("pinhole", [320.0, 240.0, 320.0, 240.0], 640, 480)
    assert camera.hfov_deg == pytest.approx(90)
    assert camera.vfov_deg == pytest.approx(90)
    assert isinstance(camera.hfov_deg, float)
    assert camera.dfov_deg == pytest.approx(2 * np.degrees(np.arctan(np.sqrt(2))))


def test_fov_is_that_of_the_border_rays_even_when_the_principal_point_is_outside():
    camera = Camera("simple_pinhole", [500.0, 320.0, 240.0], 640, 480).crop(400, 0, 240, 480)
    assert camera.named()["cx"] == -80
    left, right = np.arctan(80 / 500), np.arctan(320 / 500)
    assert camera.hfov_deg == pytest.approx(np.degrees(right - left))


@pytest.mark.parametrize("model", MODELS)
def test_resized_cropped_and_stretched_cameras_see_the_same_rays(model):
    camera = examples(model)[0]
    pixels = grid(camera.width, camera.height, 7, 6)
    rays, valid = camera.unproject(pixels)
    w, h = camera.width, camera.height
    for other, moved in (
        (camera.resize(w // 2, h // 3), pixels * [w // 2 / w, h // 3 / h]),
        (camera.crop(10.5, 20, w // 2, h // 2), pixels - [10.5, 20]),
        (camera.stretch(2, 1), pixels * [2, 1]),
    ):
        assert other.unproject(moved)[0][valid] == pytest.approx(rays[valid], abs=1e-9)


def test_uneven_resize_of_one_focal_length_needs_two():
    camera = Camera("simple_kb:2", [300.0, 320.0, 240.0, 0.1, 0.0], 640, 480)
    assert camera.resize(320, 240).model == "simple_kb:2"
    assert camera.resize(320, 480).model == "kb:2"


@pytest.mark.parametrize("model", MODELS)
def test_json_there_and_back(model):
    for camera in examples(model):
        again = Camera.from_json(camera.to_json())
        assert again == camera
        assert json.loads(camera.to_json())["params"] == camera.named()
        assert Camera.from_dict(camera.to_dict()) == camera


def test_json_of_a_batch():
    camera = Camera("ucm", np.arange(10.0).reshape(2, 5) + 1, 64, 48)
    assert Camera.from_dict(camera.to_dict()) == camera


@pytest.mark.parametrize(
    "bad", [{}, {"model": "ucm"}, {"model": "ucm", "width": 1, "height": 1, "params": {"f": 2}}, [], "x"]
)
def test_bad_dict(bad):
    with pytest.raises(anylens.AnylensError):
        Camera.from_dict(bad)


def test_bad_parameters():
    with pytest.raises(anylens.AnylensError, match="takes 4 parameters"):
        Camera("pinhole", [1.0, 2.0, 3.0], 10, 10)
    with pytest.raises(anylens.AnylensError, match="size"):
        Camera("pinhole", [1.0, 1.0, 3.0, 3.0], 0, 10)
    with pytest.raises(anylens.AnylensError, match="shape"):
        Camera("pinhole", [1.0, 1.0, 3.0, 3.0], 10, 10).project(np.zeros((5, 2)))


def test_K_and_repr():
    camera = Camera("simple_pinhole", [500.0, 320.0, 240.0], 640, 480)
    assert camera.K.tolist() == [[500, 0, 320], [0, 500, 240], [0, 0, 1]]
    assert "f=500" in repr(camera)
    assert "65.24°" in repr(camera)


def test_single_points():
    camera = Camera("pinhole", [500.0, 500.0, 320.0, 240.0], 640, 480)
    pixel, valid = camera.project([0.0, 0.0, 2.0])
    assert pixel.tolist() == [320, 240]
    assert bool(valid)
    ray, _ = camera.unproject(np.array([320.0, 240.0]))
    assert ray.tolist() == [0, 0, 1]
    assert not camera.project(np.zeros(3))[1]


@pytest.mark.parametrize(("model", "target", "most"), [
    ("kb:4", "radial:4", np.inf), ("kb:4", "eucm", 2.0), ("radial:2", "kb:4", 3.0), ("ucm", "ds", 1e-6),
    ("ucm", "eucm", 1e-6),
    ("simple_pinhole", "fov", 1e-2), ("equidistant", "kb:1", 1e-8),
])  # fmt: skip
def test_convert_states_its_largest_pixel_error(model, target, most):
    camera = examples(model)[0]
    new, error = camera.convert(target)
    assert new.model == target
    pixels = grid(camera.width, camera.height, 31, 31)
    rays, valid = camera.unproject(pixels)
    there, seen = new.project(rays)
    found = np.linalg.norm(there - pixels, axis=-1)[valid & seen].max()
    assert found <= error * 1.1 + 1e-9
    assert error <= most


def test_convert_to_what_cannot_hold_it_is_infinite_or_large():
    camera = Camera("equidistant", [200.0, 200.0, 400.0, 400.0], 800, 800)  # 229° across
    assert camera.convert("pinhole")[1] == np.inf
