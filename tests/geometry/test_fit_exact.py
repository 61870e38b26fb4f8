"""Exact rays in, exact parameters out."""

import numpy as np
import pytest
import torch
from cameras import MODELS, TWO_FOCALS, examples, grid

import anylens
from anylens import Camera


def scenes(camera: Camera):
    w, h = camera.width, camera.height
    yield camera
    yield camera.crop(0.3 * w, 0.1 * h, int(0.6 * w), int(0.7 * h))
    yield camera.crop(0.55 * w, 0.6 * h, int(0.4 * w), int(0.35 * h))  # the principal point is outside
    yield camera.stretch(1.3, 1.0)


def determined(camera: Camera) -> np.ndarray:
    """Parameters that the rays say something about: not β where α = 0."""
    names = list(camera.named())
    keep = np.ones(len(names), bool)
    if "beta" in names and camera.named()["alpha"] == 0:
        keep[names.index("beta")] = False
    return keep


@pytest.mark.parametrize("model", MODELS)
def test_exact_rays_give_exact_parameters(model):
    for example in examples(model):
        for camera in scenes(example):
            pixels = grid(camera.width, camera.height, 30, 30)
            rays, valid = camera.unproject(pixels)
            fit = anylens.fit(pixels, rays, camera.model, width=camera.width, height=camera.height, weights=valid)
            assert fit.converged
            found, _ = fit.camera.unproject(pixels)
            assert anylens.angle_between(found, rays)[valid].max() < 1e-9
            keep = determined(camera)
            error = np.abs(fit.camera.params - camera.params) / np.maximum(np.abs(camera.params), 1e-3)
            assert error[keep].max() < 1e-7, (camera, fit.camera)


@pytest.mark.parametrize(
    "model", ["pinhole", "radial:2", "kb:4", "ucm", "division:2", "woodscape", "ocam", "equisolid"]
)
def test_the_closed_form_alone_is_exact_where_the_rows_are_linear(model):
    camera = examples(model)[0]
    pixels = grid(camera.width, camera.height)
    rays, valid = camera.unproject(pixels)
    fit = anylens.fit(pixels, rays, model, width=camera.width, height=camera.height, weights=valid, refine=False)
    assert fit.camera.params == pytest.approx(camera.params, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("model", TWO_FOCALS)
def test_batches_equal_single_fits(model, library):
    camera = examples(model)[-1]
    params = camera.params[None] * (1 + 0.02 * np.arange(3)[:, None])
    params[:, 4:] = camera.params[4:]
    pixels = grid(camera.width, camera.height, 12, 10)
    rays, valid = Camera(model, params, camera.width, camera.height).unproject(pixels)
    size = {"width": camera.width, "height": camera.height}
    batch = anylens.fit(library(pixels), library(rays), model, **size, weights=library(valid))
    assert library.owns(batch.camera.params)
    for i in range(3):
        single = anylens.fit(pixels, rays[i], model, **size, weights=valid[i])
        assert library.numpy(batch.camera.params)[i][:4] == pytest.approx(single.camera.params[:4], rel=1e-6)
    assert library.numpy(batch.covariance).shape == (3, params.shape[1], params.shape[1])
    assert np.isfinite(library.numpy(batch.hfov_std_deg)).all()


def test_dtype_is_kept_and_accuracy_is_that_of_float64_inside():
    camera = examples("kb:4")[0]
    pixels = grid(camera.width, camera.height)
    rays = camera.unproject(pixels)[0]
    fit = anylens.fit(torch.from_numpy(pixels).float(), torch.from_numpy(rays).float(), "kb:4", width=512, height=512)
    assert fit.camera.params.dtype == torch.float32
    assert fit.camera.params.numpy()[:4] == pytest.approx(camera.params[:4], abs=1e-2)


@pytest.mark.parametrize("known", [
    {"f": 500.0}, {"fx": 510.0, "fy": 495.0}, {"fx": 500.0}, {"fy": 480.0}, {"aspect": 1.0}, {"cx": 320.0, "cy": 240.0},
    {"cx": 300.0}, {"cy": 250.0, "aspect": 1.02}, {"k1": -0.1}, {"f": 500.0, "cx": 320.0, "cy": 240.0, "k1": 0.05},
])  # fmt: skip
@pytest.mark.parametrize("model", ["radial:1", "kb:1", "division:1"])
def test_known_values_are_respected_exactly(model, known):
    pixels = grid(640, 480)
    rays = Camera("radial:1", [503.1, 498.7, 317.3, 244.9, -0.08], 640, 480).unproject(pixels)[0]
    fit = anylens.fit(pixels, rays, model, width=640, height=480, known=known)
    named = fit.camera.named()
    for name, value in known.items():
        if name == "f":
            assert named["fx"] == named["fy"] == value
        elif name == "aspect":
            assert named["fy"] / named["fx"] == pytest.approx(value, rel=1e-12)
        else:
            assert named[name] == value
    names = list(named)
    held = [names.index(n) for n in known if n in names]
    assert not fit.covariance[held].any()
    assert fit.cost <= fit.cost_closed_form


@pytest.mark.parametrize("model", TWO_FOCALS)
def test_known_truth_leaves_the_rest_exact(model):
    camera = examples(model)[0]
    pixels = grid(camera.width, camera.height)
    rays, valid = camera.unproject(pixels)
    truth = camera.named()
    for names in (("fx", "fy"), ("cx", "cy"), tuple(truth)[4:], tuple(truth)):
        fit = anylens.fit(pixels, rays, model, width=camera.width, height=camera.height, weights=valid,
                          known={n: truth[n] for n in names})  # fmt: skip
        assert fit.camera.params == pytest.approx(camera.params, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("model", ["pinhole", "radial:2", "kb:4", "simple_kb:2"])
def test_one_linear_step_for_all_intrinsics(model):
    camera = examples(model)[0]
    pixels = grid(camera.width, camera.height)
    rays, valid = camera.unproject(pixels)
    size = {"width": camera.width, "height": camera.height}
    fit = anylens.fit(pixels, rays, model, **size, weights=valid, joint=True, refine=False)
    assert fit.camera.params == pytest.approx(camera.params, rel=1e-7, abs=1e-8)
    with pytest.raises(anylens.FitError, match="one-step"):
        anylens.fit(pixels, rays, "ucm", **size, joint=True)


def test_weights_leave_rays_out():
    camera = examples("radial:2")[0]
    pixels = grid(camera.width, camera.height)
    rays = camera.unproject(pixels)[0]
    spoiled, keep = rays.copy(), np.ones(len(rays))
    spoiled[::3] = np.nan
    keep[::3] = 0
    for weights in (keep, keep.astype(bool)):
        fit = anylens.fit(pixels, spoiled, "radial:2", width=camera.width, height=camera.height, weights=weights)
        assert fit.camera.params == pytest.approx(camera.params, rel=1e-8)


def test_gradients_through_fit_and_refinement():
    camera = Camera("simple_radial:1", [500.0, 320.0, 240.0, -0.1], 640, 480)
    pixels = torch.from_numpy(grid(640, 480, 9, 8))
    field = anylens.rays_to_field(torch.from_numpy(camera.unproject(pixels.numpy())[0]))
    noise = 0.01 * torch.randn(field.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

    def focal(x):
        rays = anylens.field_to_rays(x)
        return anylens.fit(pixels, rays, "simple_radial:1", width=640, height=480).camera.params[0]

    x = (field + noise).requires_grad_()
    focal(x).backward()
    assert torch.isfinite(x.grad).all()
    direction = torch.randn(field.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    step = 1e-5
    with torch.no_grad():
        slope = (focal(x + step * direction) - focal(x - step * direction)) / (2 * step)
    assert float((x.grad * direction).sum()) == pytest.approx(float(slope), rel=0.02)
