import numpy as np
import pytest
from cameras import pinhole_fields

import anylens
from anylens import Camera


@pytest.mark.parametrize(("model", "cells"), [("pinhole", 5), ("radial:1", 6), ("simple_pinhole", 4), ("kb:2", 8)])
def test_stated_intervals_cover_the_truth(model, cells):
    """500 fields with smooth errors: the 68 % interval of the FoV holds the truth 60 to 76 % of the time."""
    pixels, _, noisy, fov = pinhole_fields(500, 20, 1.0, seed=11, cells=cells, fov=(30, 100))
    fit = anylens.fit(pixels, noisy, model, width=640, height=640)
    for found, std in ((fit.camera.hfov_deg, fit.hfov_std_deg), (fit.camera.vfov_deg, fit.vfov_std_deg)):
        assert 0.60 <= np.mean(np.abs(found - fov) < std) <= 0.76


def test_white_noise_has_more_effective_rays_than_smooth_noise():
    pixels, rays, smooth, _ = pinhole_fields(20, 20, 1.0, seed=0)
    rng = np.random.default_rng(0)
    white = anylens.field_to_rays(anylens.rays_to_field(rays) + np.radians(0.7) * rng.standard_normal((20, 400, 2)))
    n = [np.median(anylens.fit(pixels, r, "pinhole", width=640, height=640).n_eff) for r in (white, smooth)]
    assert n[0] > 5 * n[1]


def test_covariance_is_in_the_users_parameters_and_pixels():
    pixels, _, noisy, _ = pinhole_fields(1, 20, 1.0, seed=2)
    small = anylens.fit(pixels, noisy[0], "pinhole", width=640, height=640)
    large = anylens.fit(pixels * 3, noisy[0], "pinhole", width=1920, height=1920)
    assert large.covariance == pytest.approx(9 * small.covariance, rel=1e-3)
    assert large.hfov_std_deg == pytest.approx(small.hfov_std_deg, rel=1e-3)
    sample = np.random.default_rng(0).multivariate_normal(small.camera.params, small.covariance, 4000)
    spread = np.std(Camera("pinhole", sample, 640, 640).hfov_deg)
    assert spread == pytest.approx(small.hfov_std_deg, rel=0.1)
