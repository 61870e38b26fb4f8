import numpy as np
import pytest
import torch
from cameras import MODELS, TWO_FOCALS, examples, grid

import anylens
from anylens import Camera
from anylens.profiles import parse
from anylens.profiles.base import Forward

BEYOND_180 = ["kb:1", "kb:4", "ucm", "eucm", "ds", "division:1", "division:3", "ocam"]


@pytest.mark.parametrize("model", MODELS)
def test_round_trip_over_the_image(model):
    for camera in examples(model):
        pixels = grid(camera.width, camera.height)
        rays, valid = camera.unproject(pixels)
        assert valid.mean() > 0.5
        assert np.linalg.norm(rays, axis=-1) == pytest.approx(1)
        again, seen = camera.project(rays * np.random.default_rng(0).uniform(0.1, 9, (len(rays), 1)))
        assert seen[valid].all()
        assert again[valid] == pytest.approx(pixels[valid], abs=1e-7)


@pytest.mark.parametrize("model", TWO_FOCALS)
def test_domain_is_the_monotone_part(model):
    """Brute force: the radius rises up to ϑ_max and ends there (a fold, infinity, or the model's own limit)."""
    profile = parse(model).profile
    for camera in examples(model):
        k = camera.coefs
        top, r_max = (float(x[0]) for x in profile.limits(k))
        theta = np.linspace(0, top, 4001)[1:-1]
        r = profile.radius(theta, k)
        assert np.isfinite(r).all()
        assert (np.diff(r) > 0).all()
        assert r[-1] <= r_max
        if np.isfinite(r_max):
            assert profile.radius(np.array([top * (1 - 1e-10)]), k)[0] == pytest.approx(r_max, rel=1e-4)
        natural = {"pinhole": 90, "radial": 90, "fov": 90, "orthographic": 90}.get(profile.name, 180)
        if top < np.radians(natural) - 1e-6 and isinstance(profile, Forward):
            beyond = profile.radius(np.array([top + 1e-3]), k)[0]
            assert beyond < r_max if np.isfinite(r_max) else beyond < 0


@pytest.mark.parametrize("model", TWO_FOCALS)
def test_masks_at_the_end_of_the_domain(model):
    for camera in examples(model):
        top, r_max = (float(x[0]) for x in camera.profile.limits(camera.coefs))
        for factor, expected in ((1 - 1e-6, True), (1 + 1e-6, False)):
            if top * factor < np.pi:
                ray = np.array([[np.sin(top * factor), 0, np.cos(top * factor)]])
                assert camera.project(ray)[1][0] == expected
            if np.isfinite(r_max):
                pixel = camera.full[2:4] + np.array([camera.full[0] * r_max * factor, 0.0])
                rays, valid = camera.unproject(pixel[None])
                assert valid[0] == expected
                assert np.isfinite(rays).all()


def test_brown_conrady_does_not_return_the_wrong_side_of_its_fold():
    camera = Camera("radial:1", [500.0, 500.0, 320.0, 240.0, -0.3], 640, 480)
    fold = 500 * 2 / 3 / np.sqrt(0.9)
    rays, valid = camera.unproject(np.array([[320 + fold - 0.01, 240], [320 + fold + 0.01, 240], [320 + 900, 240]]))
    assert valid.tolist() == [True, False, False]
    assert np.degrees(np.arccos(rays[:, 2])).max() < 50


@pytest.mark.parametrize("model", BEYOND_180)
def test_220_degrees_round_trip(model):
    k = {"kb:1": [-0.01], "kb:4": [0.0035, 0.0007, -0.002, 0.0002], "ucm": [1.2], "eucm": [0.62, 1.1],
         "ds": [-0.2, 0.59], "division:1": [-0.2], "division:3": [-0.2, 0.0, -0.001],
         "ocam": [-0.36, 0.07, -0.05]}[model]  # fmt: skip
    camera = Camera(model, [200.0, 200.0, 400.0, 400.0, *k], 800, 800)
    theta = np.radians(np.linspace(0, 110, 200))
    rays = np.stack([np.sin(theta) * 0.6, np.sin(theta) * 0.8, np.cos(theta)], axis=-1)
    pixels, valid = camera.project(rays)
    assert valid.all()
    again, seen = camera.unproject(pixels)
    assert seen.all()
    assert np.degrees(anylens.angle_between(again, rays)).max() < 1e-9


@pytest.mark.parametrize("model", MODELS)
def test_jacobians_against_autograd(model):
    for camera in examples(model)[:2]:
        pixels = torch.from_numpy(grid(camera.width, camera.height, 5, 4) * 0.9 + 3)
        params = torch.from_numpy(camera.params)
        valid = camera.unproject(pixels.numpy())[1]
        pixels = pixels[torch.from_numpy(valid)]

        def rays_of(p, x, camera=camera):
            return Camera(camera.model, p, camera.width, camera.height).unproject(x)[0]

        def pixels_of(p, x, camera=camera):
            return Camera(camera.model, p, camera.width, camera.height).project(x)[0]

        rays = rays_of(params, pixels)
        for of, at, jacobian in (
            (rays_of, pixels, camera.unproject_jacobian),
            (pixels_of, rays, camera.project_jacobian),
        ):
            by_point, by_params = jacobian(at.numpy())
            auto = torch.func.jacrev(of, argnums=0)(params, at).numpy()
            assert by_params == pytest.approx(auto, rel=1e-6, abs=1e-6 * (1 + np.abs(auto).max()))
            for i in range(len(at)):
                auto = torch.func.jacrev(of, argnums=1)(params, at[i : i + 1])[0, :, 0, :].numpy()
                assert by_point[i] == pytest.approx(auto, rel=1e-6, abs=1e-7 * (1 + np.abs(auto).max()))


@pytest.mark.parametrize("model", TWO_FOCALS)
def test_every_library_and_batches(model, library):
    camera = examples(model)[0]
    params = np.stack([camera.params, camera.params * 1.01])
    batch = Camera(model, library(params), camera.width, camera.height)
    pixels = grid(camera.width, camera.height, 6, 5)
    rays, valid = batch.unproject(library(pixels))
    assert library.owns(rays)
    assert tuple(rays.shape) == (2, 30, 3)
    single = Camera(model, params[1], camera.width, camera.height)
    alone, seen = single.unproject(pixels)
    assert (library.numpy(valid)[1] == seen).all()
    assert library.numpy(rays)[1][seen] == pytest.approx(alone[seen], abs=1e-9)
    back, _ = batch.project(rays)
    inside = library.numpy(valid)
    assert library.numpy(back)[inside] == pytest.approx(np.broadcast_to(pixels, (2, 30, 2))[inside], abs=1e-6)


def test_float32_stays_float32():
    camera = Camera("kb:4", torch.tensor([200.0, 200, 256, 256, 0, 0, 0, 0]), 512, 512)
    rays, _ = camera.unproject(torch.rand(7, 2) * 512)
    assert rays.dtype == torch.float32


@pytest.mark.parametrize(
    "bad", ["radial:0", "kb:9", "foo", "kb", "kb:", "pinhole:1", "simple_", "radial:01", "kb:-1", "", 3, None]
)
def test_malformed_ids(bad):
    with pytest.raises(anylens.AnylensError):
        Camera(bad, [1.0, 1.0, 1.0, 1.0], 10, 10)


def test_models_lists_every_id_once():
    assert len(set(MODELS)) == len(MODELS) == 2 * len(TWO_FOCALS)
    for wanted in ("pinhole", "radial:4", "kb:1", "ucm", "eucm", "division:2", "ds", "fov", "woodscape", "ocam",
                   "equidistant", "equisolid", "stereographic", "orthographic", "simple_kb:4"):  # fmt: skip
        assert wanted in MODELS
