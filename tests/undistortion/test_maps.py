"""Maps between views: exact against the cameras themselves, half pixels, validity, every model and target."""

import numpy as np
import pytest

from anylens import Camera, ModelError
from anylens.profiles import models, parse
from anylens.undistortion import Equirectangular, make_target, map_pixels
from anylens.undistortion.maps import Mapping
from anylens.undistortion.targets import TARGETS

# The largest order of every family.
MODELS = [m for m in models() if not m.startswith("simple_") and m[-2:] not in (":1", ":2", ":3")]


def example(model):
    """The model's first example, scaled down so that the tests are quick."""
    profile = parse(model).profile
    size = 4 + len(profile.coefs)
    params, (w, h) = next((e for e in profile.examples if len(e[0]) == size), profile.examples[0])
    params = (*params, 0.0, 0.0, 0.0, 0.0)[:size]
    return Camera(model, np.array(params), w, h).resize(120, round(120 * h / w))


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("model", MODELS)
def test_the_map_leads_to_the_pixel_that_sees_the_same_ray(model, to):
    camera = example(model)
    target = make_target(camera, to)
    pixels, valid = map_pixels(camera, target)
    assert valid.any()
    x, y = np.meshgrid(np.arange(target.width) + 0.5, np.arange(target.height) + 0.5)
    wanted, _ = target.unproject(np.stack([x, y], axis=-1)[valid])
    seen, inside = camera.unproject(pixels[valid])
    assert inside.all()
    assert np.abs(wanted - seen).max() < 1e-7


@pytest.mark.parametrize("to", TARGETS[:-1])
@pytest.mark.parametrize("model", MODELS)
def test_the_quick_table_agrees_with_the_exact_map(model, to):
    camera = example(model)
    target = make_target(camera, to)
    mapping = Mapping(camera, target)
    u, v, valid = mapping.rows(0, target.height)
    exact, exists = map_pixels(camera, target)
    valid = np.ones_like(exists) if valid is None else valid
    assert (valid != exists).mean() < 0.01  # only on the very border
    both = valid & exists
    assert np.abs(np.stack([u, v], axis=-1) - exact)[both].max() < 3e-3


def test_most_maps_use_the_table():
    used = [Mapping(example(m), make_target(example(m), "pinhole")).table is not None for m in MODELS]
    assert np.mean(used) > 0.9


def test_rotation_turns_the_view():
    camera = Camera("kb:1", [60.0, 61.0, 64.0, 48.0, 0.01], 128, 96)
    a = np.radians(20)
    yaw = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    target = Camera("simple_pinhole", [100.0, 32.0, 24.0], 64, 48)
    pixels, valid = map_pixels(camera, target, yaw)
    centre, _ = camera.project(np.array([np.sin(a), 0, np.cos(a)]))
    # the target's axis falls between its four middle pixels
    assert np.allclose(pixels[23:25, 31:33].mean(axis=(0, 1)), centre, atol=0.05)
    assert valid.all()
    for bad in (np.eye(2), 2 * np.eye(3), np.diag([1, 1, -1])):
        with pytest.raises(ModelError):
            map_pixels(camera, target, bad)


def test_beyond_a_fold_there_is_nothing():
    """A lens that folds over at 33°: pixels that would come from beyond are marked, not invented."""
    camera = Camera("radial:1", [100.0, 100.0, 64.0, 48.0, -0.8], 128, 96)
    _, valid = map_pixels(camera, Camera("simple_pinhole", [40.0, 64.0, 48.0], 128, 96))
    x, y = np.meshgrid(np.arange(128) + 0.5, np.arange(96) + 0.5)
    r = np.hypot(x - 64, y - 48) / 40
    fold = 1 / np.sqrt(3 * 0.8)
    assert not valid[r > fold].any()
    assert valid[r < 0.9 * fold].all()
    quick = Mapping(camera, Camera("simple_pinhole", [40.0, 64.0, 48.0], 128, 96)).rows(0, 96)[2]
    assert (quick != valid).mean() < 0.01


def test_equirectangular_round_trip_and_limits():
    view = Equirectangular(360, 180)
    x, y = np.meshgrid(np.arange(360) + 0.5, np.arange(180) + 0.5)
    pixels = np.stack([x, y], axis=-1)
    rays, valid = view.unproject(pixels)
    back, seen = view.project(rays)
    assert valid.all()
    assert seen.all()
    assert np.abs(back - pixels).max() < 1e-9
    assert np.allclose(view.unproject(np.array([180.0, 90.0]))[0], [0, 0, 1])
    assert np.allclose(view.unproject(np.array([270.0, 90.0]))[0], [1, 0, 0])
    assert np.allclose(view.unproject(np.array([180.0, 180.0]))[0], [0, 1, 0])
    assert not Equirectangular(90, 90, 90, 90).project(np.array([[0.0, 0, -1]]))[1][0]
    with pytest.raises(ModelError):
        Equirectangular(10, 10, 400)
