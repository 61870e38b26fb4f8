"""AE, RE, angles, e_f and e_c: by hand, and against a plain derivation without the package's cameras."""

import math

import numpy as np
import pytest

from anylens import Camera
from anylens.evaluation.metrics import ERRORS, Scorer, score
from anylens.evaluation.sample import Estimate, Sample
from anylens.evaluation.truth import fields_of_view, read_truth

W, H = 64, 48


def sample(truth, **more):
    w, h = int(truth.width), int(truth.height)
    angles = fields_of_view(truth)
    return Sample("a.jpg", None, w, h, truth, *angles, **more)


def pinhole(fx, fy=None, cx=W / 2, cy=H / 2):
    return Camera("pinhole", [fx, fy or fx, cx, cy], W, H)


TRUTHS = {
    "pinhole": ({}, "pinhole"),
    "radial": ({"k1": -0.1}, "radial"),
    "brown_conrady": ({"k1": -0.1, "k2": 0.02, "p1": 0.002, "p2": -0.003, "k3": 0.0}, "brown_conrady"),
    "rational": (
        {"k1": 0.2, "k2": 0.1, "p1": 1e-3, "p2": 0.0, "k3": 0.01, "k4": 0.3, "k5": 0.1, "k6": 0.0},
        "rational",
    ),
    "kb4": ({"k1": 0.01, "k2": -0.002, "k3": 0.001, "k4": 0.0}, "kb4"),
    "mei": ({"xi": 1.2, "k1": -0.05, "k2": 0.01, "p1": 1e-3, "p2": -1e-3}, "mei"),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_a_perfect_prediction_scores_zero(name):
    params, model = TRUTHS[name]
    truth = read_truth(model, {"fx": 60.0, "fy": 61.0, "cx": 31.0, "cy": 25.0, **params}, W, H)
    if isinstance(truth, Camera):
        [found] = score(sample(truth), [Estimate.of("a.jpg", truth)])
        assert all(found.errors[n] < 1e-9 for n in ERRORS), found
        assert not found.failed
    else:  # foreign models cannot be estimated exactly, but their own projection must be the inverse of their rays
        scorer = Scorer(sample(truth))
        again, inside = truth.project(scorer.rays)
        assert inside.all()
        assert scorer.valid.all()
        assert np.abs(again - scorer.points).max() < 1e-6


def test_brown_conrady_agrees_with_opencv():
    cv2 = pytest.importorskip("cv2")
    params, model = TRUTHS["rational"]
    truth = read_truth(model, {"fx": 60.0, "fy": 61.0, "cx": 31.0, "cy": 25.0, **params}, W, H)
    points = np.array([[3.0, 4.0], [50.5, 30.0], [31.0, 25.0]])
    K = np.array([[60.0, 0, 31.0], [0, 61.0, 25.0], [0, 0, 1]])
    k = np.array([params[n] for n in ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6")])
    rays, valid = truth.unproject(points)
    assert valid.all()
    back = cv2.projectPoints(rays.reshape(-1, 1, 3), np.zeros(3), np.zeros(3), K, k)[0].reshape(-1, 2)
    assert np.abs(back - points).max() < 1e-6


def test_mei_is_the_unified_model_then_brown_conrady():
    truth = read_truth("mei", {"fx": 60.0, "fy": 61.0, "cx": 31.0, "cy": 25.0, **TRUTHS["mei"][0]}, W, H)
    ray = np.array([0.3, -0.2, 0.7]) / np.linalg.norm([0.3, -0.2, 0.7])
    x, y = ray[0] / (ray[2] + 1.2), ray[1] / (ray[2] + 1.2)
    r2 = x * x + y * y
    rho = 1 - 0.05 * r2 + 0.01 * r2**2
    xd = x * rho + 2e-3 * x * y - 1e-3 * (r2 + 2 * x * x)
    yd = y * rho + 1e-3 * (r2 + 2 * y * y) - 2e-3 * x * y
    assert np.allclose(truth.project(ray[None])[0][0], [60 * xd + 31, 61 * yd + 25], atol=1e-9)


def test_errors_against_a_plain_derivation():
    true, found = pinhole(60.0, 62.0, 30.0, 25.0), pinhole(70.0, 66.0, 34.0, 22.0)
    ae, re = [], []
    for v in range(H):
        for u in range(W):
            a = np.array([(u + 0.5 - 30) / 60, (v + 0.5 - 25) / 62, 1.0])
            b = np.array([(u + 0.5 - 34) / 70, (v + 0.5 - 22) / 66, 1.0])
            cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
            ae.append(math.degrees(math.acos(min(1.0, cosine))))
            re.append(math.hypot(70 * a[0] + 34 - u - 0.5, 66 * a[1] + 22 - v - 0.5))
    [got] = score(sample(true), [Estimate.of("a.jpg", found)])
    assert got.errors["ae_deg"] == pytest.approx(np.mean(ae), abs=1e-6)
    assert got.errors["re_px"] == pytest.approx(np.mean(re), abs=1e-9)
    fov = lambda f, c, size: math.degrees(math.atan(c / f) + math.atan((size - c) / f))  # noqa: E731
    assert got.errors["hfov_deg"] == pytest.approx(abs(fov(70, 34, W) - fov(60, 30, W)))
    assert got.signed_deg == pytest.approx(fov(70, 34, W) - fov(60, 30, W))
    assert got.errors["vfov_deg"] == pytest.approx(abs(fov(66, 22, H) - fov(62, 25, H)))
    assert got.errors["e_f"] == pytest.approx(10 / 60)
    assert got.errors["e_c"] == pytest.approx(2 * max(4 / W, 3 / H))


def test_a_missing_estimate_is_infinite_and_angles_alone_are_not_ae():
    failed, angles = score(
        sample(pinhole(60.0)), [Estimate.failure("a.jpg", "no"), Estimate("a.jpg", hfov_deg=50.0, vfov_deg=40.0)]
    )
    assert failed.failed
    assert all(math.isinf(failed.errors[n]) for n in ERRORS)
    assert math.isnan(angles.errors["ae_deg"])
    assert angles.errors["hfov_deg"] == pytest.approx(abs(50 - math.degrees(2 * math.atan(32 / 60))))


def test_only_angles_are_scored_where_the_model_is_unknown():
    known = Sample("a.jpg", None, W, H, None, 60.0, 45.0)
    good, failed = score(known, [Estimate.of("a.jpg", pinhole(60.0)), Estimate.failure("a.jpg", "no")])
    assert math.isnan(good.errors["ae_deg"])
    assert good.errors["hfov_deg"] == pytest.approx(abs(60 - math.degrees(2 * math.atan(32 / 60))))
    assert math.isinf(failed.errors["vfov_deg"])


def test_only_jointly_valid_pixels_count():
    folding = Camera("radial:1", [40.0, 40.0, 32.0, 24.0, -0.3], W, H)  # monotone up to r = 0.70 only
    outer = Scorer(sample(folding))
    assert 0.2 < outer.valid.mean() < 0.99
    [got] = score(sample(folding), [Estimate.of("a.jpg", folding)])
    assert got.errors["ae_deg"] < 1e-6
    assert got.errors["re_px"] < 1e-6


def test_a_camera_of_another_size_is_scaled():
    [got] = score(sample(pinhole(60.0)), [Estimate.of("a.jpg", pinhole(60.0).resize(2 * W, 2 * H))])
    assert got.errors["re_px"] < 1e-9


def test_the_black_border_is_left_out():
    truth = Camera("kb:4", [20.0, 20.0, 32.0, 24.0, 0, 0, 0, 0], W, H)
    wrong_outside = Camera("kb:4", [20.0, 20.0, 32.0, 24.0, 0.0, 0.0, 0.0, 0.02], W, H)
    yy, xx = np.mgrid[0:H, 0:W]
    border = np.hypot(xx + 0.5 - 32, yy + 0.5 - 24) > 14
    with_it, without = (
        Scorer(sample(truth), border=b).score(Estimate.of("a.jpg", wrong_outside)).errors for b in (None, border)
    )
    assert without["ae_deg"] < 0.1 * with_it["ae_deg"]
    assert without["hfov_deg"] < 0.2 * with_it["hfov_deg"]


def test_coverage_of_the_interval():
    true = math.degrees(2 * math.atan(32 / 60))
    inside, outside = score(
        sample(pinhole(60.0)),
        [Estimate.of("a", pinhole(60.0), interval=(true - 1, true + 2)),
         Estimate.of("a", pinhole(60.0), interval=(true + 1, true + 2))],
    )  # fmt: skip
    assert inside.covered is True
    assert outside.covered is False
    assert inside.width_deg == pytest.approx(3)


@pytest.mark.parametrize("model", ["pinhole", "radial:1", "kb:4", "ucm"])
def test_a_coarse_grid_agrees_with_every_pixel(model):
    coefs = {"pinhole": [], "radial:1": [-0.05], "kb:4": [0.01, -0.01, 0.002, 0.0], "ucm": [0.8]}[model]
    truth = Camera(model, [400.0, 405.0, 330.0, 235.0, *coefs], 640, 480)
    found = Estimate.of("a.jpg", Camera("pinhole", [430.0, 430.0, 320.0, 240.0], 640, 480))
    full, coarse = (score(sample(truth), [found], grid)[0].errors["ae_deg"] for grid in ("full", 40))
    assert 1e-9 < abs(full - coarse) < 1e-3
