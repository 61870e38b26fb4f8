"""Several images of one camera, fields with gross outliers, and the choice of a model."""

import numpy as np
import pytest
from cameras import examples, grid, smooth_noise

import anylens
from anylens import Camera, View

TRUTH = Camera("simple_radial:1", [500.0, 320.0, 240.0, -0.1], 640, 480)


def noisy_field(rng, scale: float, n: int = 14):
    x = np.stack(np.meshgrid((np.arange(n) + 0.5) * 640 / n, (np.arange(n) + 0.5) * 480 / n), axis=-1).reshape(-1, 2)
    field = anylens.rays_to_field(TRUTH.unproject(x)[0])
    return x, anylens.field_to_rays(field * scale + smooth_noise(rng, n, 0.7))


def test_shared_is_better_than_single_and_names_the_outlier():
    rng = np.random.default_rng(0)
    single, shared, named = [], [], 0
    for _ in range(12):
        fields = [noisy_field(rng, 1 + 0.03 * rng.standard_normal()) for _ in range(6)]
        fields[2] = noisy_field(rng, 1.5)
        pixels, rays = zip(*fields)
        fit = anylens.fit_shared(pixels, rays, "simple_radial:1", width=640, height=480)
        named += fit.outliers == (2,)
        assert np.argmax(fit.rms_deg_per_image) == 2
        shared.append(abs(fit.camera.hfov_deg - TRUTH.hfov_deg))
        for i in (0, 1, 3, 4, 5):
            one = anylens.fit(pixels[i], rays[i], "simple_radial:1", width=640, height=480)
            single.append(abs(one.camera.hfov_deg - TRUTH.hfov_deg))
    assert named >= 11
    assert np.median(shared) < 0.75 * np.median(single)


def test_shared_over_crops_and_sizes_is_exact():
    views = [View(), View(scale=(0.5, 0.5)), View(offset=(100.0, 60.0)), View(scale=(0.25, 0.5), offset=(10.0, 0.0))]
    pixels, rays = [], []
    for i, view in enumerate(views):
        shared = grid(640, 480, 8 + i, 7)
        rays.append(TRUTH.unproject(shared)[0])
        pixels.append((shared - view.offset) * view.scale)
    fit = anylens.fit_shared(pixels, rays, "simple_radial:1", width=640, height=480, views=views)
    assert fit.camera.params == pytest.approx(TRUTH.params, rel=1e-8)
    assert fit.outliers == ()


def test_shared_bad_input():
    x, y = noisy_field(np.random.default_rng(0), 1.0)
    for args, message in ((([], []), "at least one"), (([x], [y, y]), "as many"), (([x, x[:5]], [y, y]), "Image 1")):
        with pytest.raises(anylens.FitError, match=message):
            anylens.fit_shared(*args, "pinhole", width=640, height=480)
    with pytest.raises(anylens.FitError, match="views"):
        anylens.fit_shared([x], [y], "pinhole", width=640, height=480, views=[])


@pytest.mark.parametrize("model", ["pinhole", "radial:1", "kb:2", "eucm"])
def test_ransac_survives_forty_percent_of_gross_outliers(model):
    rng = np.random.default_rng(1)
    camera = examples(model)[0]
    pixels = rng.uniform(0, 1, (400, 2)) * [camera.width, camera.height]
    rays = camera.unproject(pixels)[0]
    bad = rng.random(400) < 0.4
    rays[bad] = anylens.field_to_rays(rng.uniform(-1, 1, (bad.sum(), 2)))
    fit, inliers = anylens.fit_ransac(
        pixels, rays, model, width=camera.width, height=camera.height, threshold_deg=0.5, rng=rng
    )
    assert fit.camera.hfov_deg == pytest.approx(camera.hfov_deg, abs=0.2)
    assert inliers[~bad].mean() > 0.99
    assert inliers[bad].mean() < 0.05


@pytest.mark.parametrize(("truth", "wanted"), [
    (Camera("simple_pinhole", [500.0, 320.0, 240.0], 640, 480), {"simple_pinhole"}),
    (Camera("simple_radial:1", [420.0, 320.0, 240.0, -0.12], 640, 480), {"simple_radial:1", "simple_division:1"}),
    (Camera("simple_kb:1", [220.0, 320.0, 240.0, -0.02], 640, 480), {"simple_kb:2", "simple_eucm", "simple_kb:4"}),
])  # fmt: skip
def test_model_choice(truth, wanted):
    chosen = []
    for seed in range(8):
        pixels = grid(640, 480, 16, 16)
        noise = smooth_noise(np.random.default_rng(seed), 16, 0.3, cells=6)
        rays = anylens.field_to_rays(anylens.rays_to_field(truth.unproject(pixels)[0]) + noise)
        choice = anylens.select_model(pixels, rays, width=640, height=480)
        scores = [r.score for r in choice.ranking if not r.folds]
        assert scores == sorted(scores)
        chosen.append(choice.model)
    assert sum(c in wanted for c in chosen) >= 6, chosen
