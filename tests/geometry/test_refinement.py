"""The refined optimum against SciPy, and the traps that a plain Gauss-Newton falls into."""

import numpy as np
import pytest
from cameras import TWO_FOCALS, examples, pinhole_fields, smooth_noise
from scipy.optimize import least_squares

import anylens
from anylens import Camera
from anylens.profiles import parse

SIZE = 640


def scipy_fit(model: str, pixels, noisy, start: np.ndarray) -> Camera:
    """SciPy's bounded least squares on the same angles, from a start near the truth."""
    profile = parse(model).profile
    unit = np.array([start[0], start[1], SIZE, SIZE, *[1.0] * (len(start) - 4)])

    def residuals(z):
        rays = Camera(model, z * unit, SIZE, SIZE).unproject(pixels)[0]
        gap = noisy - rays
        length = np.linalg.norm(gap, axis=-1, keepdims=True)
        return (gap / np.maximum(length, 1e-12) * anylens.angle_between(rays, noisy)[:, None]).ravel()

    bounds = [(0.05, 20), (0.05, 20), (-5, 5), (-5, 5), *profile.coef_bounds()]
    low, high = (np.array(b) for b in zip(*bounds))
    z = np.clip(start / unit, low + 1e-6, np.where(np.isfinite(high), high - 1e-6, high))
    return Camera(model, least_squares(residuals, z, bounds=(low, high)).x * unit, SIZE, SIZE)


@pytest.mark.parametrize("model", TWO_FOCALS)
def test_traps_of_noisy_pinhole_fields(model):
    """200 noisy fields: nothing fails, no refinement ends above its closed form, and errors are those of SciPy."""
    pixels, rays, noisy, fov = pinhole_fields(200, 16, 1.0, seed=3)
    size = {"width": SIZE, "height": SIZE}
    closed = anylens.fit(pixels, noisy, model, **size, refine=False)
    fit = anylens.fit(pixels, noisy, model, **size)
    assert np.isfinite(fit.camera.params).all()
    assert (fit.cost <= closed.cost * (1 + 1e-9)).all()
    assert fit.cost_closed_form == pytest.approx(closed.cost)
    ours = np.degrees(anylens.angle_between(fit.camera.unproject(pixels)[0], rays)).mean(-1)
    few = range(6)
    theirs = []
    for i in few:
        f = SIZE / 2 / np.tan(np.radians(fov[i]) / 2)
        start = np.array([f, f, SIZE / 2, SIZE / 2, *parse(model).profile.start_coefs()])
        camera = scipy_fit(model, pixels, noisy[i], start)
        found = camera.unproject(pixels)[0]
        theirs.append(np.degrees(anylens.angle_between(found, rays[i])).mean())
        assert fit.cost[i] <= 1.01 * (anylens.angle_between(found, noisy[i]) ** 2).mean()
    assert np.median(ours[list(few)]) <= 1.15 * np.median(theirs)


@pytest.mark.parametrize("model", ["radial:2", "kb:4", "ucm", "eucm", "division:2", "ds", "fov", "woodscape", "ocam"])
def test_optimum_on_real_lenses_is_that_of_scipy(model):
    camera = examples(model)[0].resize(SIZE, SIZE)
    at = (np.arange(14) + 0.5) * SIZE / 14
    pixels = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    rays, valid = camera.unproject(pixels)
    pixels, rays = pixels[valid], rays[valid]
    noise = smooth_noise(np.random.default_rng(5), 14, 1.0)[valid]
    noisy = anylens.field_to_rays(anylens.rays_to_field(rays) + noise)
    theirs = scipy_fit(model, pixels, noisy, np.array(camera.params))
    cost = (anylens.angle_between(theirs.unproject(pixels)[0], noisy) ** 2).mean()
    fit = anylens.fit(pixels, noisy, model, width=SIZE, height=SIZE)
    assert fit.cost <= 1.01 * cost


def test_the_papers_five_undamped_steps_are_a_mode():
    pixels, _, noisy, _ = pinhole_fields(8, 12, 0.5, seed=0)
    plain = anylens.fit(pixels, noisy, "pinhole", width=SIZE, height=SIZE, refine=anylens.PAPER)
    damped = anylens.fit(pixels, noisy, "pinhole", width=SIZE, height=SIZE)
    assert (plain.iterations == 5).all()
    assert plain.cost == pytest.approx(damped.cost, rel=1e-4)


@pytest.mark.parametrize("loss", ["huber", "cauchy"])
def test_robust_losses_resist_outliers(loss):
    rng = np.random.default_rng(0)
    camera = Camera("simple_radial:1", [500.0, 320.0, 320.0, -0.1], SIZE, SIZE)
    pixels = rng.uniform(0, SIZE, (400, 2))
    rays = camera.unproject(pixels)[0]
    rays[:60] = anylens.field_to_rays(rng.uniform(-0.7, 0.7, (60, 2)))
    plain = anylens.fit(pixels, rays, "simple_radial:1", width=SIZE, height=SIZE).camera
    robust = anylens.fit(pixels, rays, "simple_radial:1", width=SIZE, height=SIZE, loss=loss, loss_scale_deg=0.2).camera
    truth = camera.hfov_deg
    assert abs(robust.hfov_deg - truth) < 0.3 < abs(plain.hfov_deg - truth)


def test_priors_pull_and_shrink():
    pixels, _, noisy, _ = pinhole_fields(1, 16, 1.0, seed=1)
    size = {"width": SIZE, "height": SIZE}
    free = anylens.fit(pixels, noisy[0], "simple_pinhole", **size)
    tight = anylens.fit(
        pixels, noisy[0], "simple_pinhole", **size, priors={"hfov_deg": (free.camera.hfov_deg + 5, 0.01)}
    )
    assert tight.camera.hfov_deg == pytest.approx(free.camera.hfov_deg + 5, abs=0.1)
    assert tight.hfov_std_deg < 0.5 * free.hfov_std_deg
    weak = anylens.fit(pixels, noisy[0], "simple_pinhole", **size, priors={"f": (100.0, 1e6)})
    assert weak.camera.params == pytest.approx(free.camera.params, rel=1e-4)
    centred = anylens.fit(pixels, noisy[0], "simple_pinhole", **size, priors={"cx": (320.0, 1e-3), "cy": (320.0, 1e-3)})
    assert centred.camera.params[1:] == pytest.approx([320, 320], abs=0.01)
    with pytest.raises(anylens.FitError, match="prior"):
        anylens.fit(pixels, noisy[0], "simple_pinhole", **size, priors={"w": (0, 1)})
