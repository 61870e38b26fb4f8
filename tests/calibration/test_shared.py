"""Several photos of one camera: one camera for all, sharper than each, and the one that does not belong is named."""

import numpy as np
import pytest
from exact_network import ExactNetwork, fitted_to, grey

from anylens import Calibrator, Camera, FitError, ImageError
from anylens.calibration.group import find_outliers, pool
from anylens.calibration.turning import from_shared, to_shared
from anylens.evidence import median, normal, std

CAMERA = Camera("simple_radial:1", [520.0, 320.0, 240.0, -0.1], 640, 480)


def run(photos, model="simple_radial:1", **how):
    how.setdefault("focal_std", 0.1)
    network = ExactNetwork(CAMERA, **how)
    return Calibrator(predictor=network)(photos, model, prior="none", edges=False, shared=True)


def test_one_camera_from_all_and_better_than_each():
    scales = (1.1, 0.92, 1.05, 0.95, 0.99, 1.0)
    found = run([grey(seed=i) for i in range(6)], scales=scales)
    assert len(found) == 6
    assert all(r.camera == found[0].camera for r in found)
    assert found[0].focal_px == pytest.approx(520, rel=0.02)
    alone = Calibrator(predictor=ExactNetwork(CAMERA, focal_std=0.1))(grey(), prior="none", edges=False)
    assert found[0].hfov_std_deg < 0.75 * alone.hfov_std_deg
    assert [r.outlier for r in found] == [False] * 6
    assert found[0].decided_by == "photos"


@pytest.mark.parametrize("count", [2, 6, 30])
def test_copies_of_a_photo_say_what_it_says_but_surer(count):
    """The population weighs as much beside many photos as beside one: neither drowned nor louder."""
    calibrator = Calibrator(predictor=ExactNetwork(CAMERA, focal_std=0.3))
    alone = calibrator(grey(), "simple_radial:1", prior="wide", edges=False)
    assert alone.focal_px < 0.95 * 520  # pulled by the prior
    found = calibrator([grey()] * count, "simple_radial:1", prior="wide", edges=False, shared=True)[0]
    assert found.focal_px == pytest.approx(alone.focal_px, rel=0.02)
    assert found.hfov_std_deg < alone.hfov_std_deg


@pytest.mark.parametrize("wrong", [1.9, 0.5])
def test_an_outlier_is_named_and_spoils_nothing(wrong):
    scales = (1.03, 0.97, wrong, 1.0, 1.01)
    found = run([grey(seed=i) for i in range(5)], scales=scales, focal_std=0.08)
    assert [r.outlier for r in found] == [False, False, True, False, False]
    assert found[0].focal_px == pytest.approx(520, rel=0.03)
    assert found[2].camera == found[0].camera
    assert found[2].warnings[0].startswith("outlier")
    assert found[2].to_dict()["outlier"] is True
    assert found[0].camera.named()["k1"] == pytest.approx(-0.1, abs=0.02)


def test_sizes_and_ways_up_may_differ():
    sizes = [(640, 480), (1280, 960), (480, 640), (960, 1280)]
    found = run([grey(w, h) for w, h in sizes])
    for result, (w, h) in zip(found, sizes):
        want = fitted_to(CAMERA, w, h)
        assert (result.camera.width, result.camera.height) == (w, h)
        assert np.allclose(np.asarray(result.camera.params), np.asarray(want.params), rtol=0.02, atol=5e-3)


def test_a_standing_photo_has_the_rays_of_a_lying_one():
    lying, standing = Calibrator(predictor=ExactNetwork(CAMERA)).observe([grey(640, 480), grey(480, 640)])
    alike = to_shared(standing, lying)
    assert (alike.width, alike.height) == (640, 480)
    true, _ = CAMERA.unproject(alike.pixels)
    assert np.allclose(alike.rays, np.asarray(true), atol=1e-9)
    assert from_shared(CAMERA, standing) == fitted_to(CAMERA, 480, 640)


def test_other_aspect_ratios_are_refused():
    with pytest.raises(FitError, match="one aspect ratio"):
        run([grey(640, 480), grey(640, 360)])
    with pytest.raises(ImageError, match="several"):
        run(grey())


def test_known_values_hold_for_the_group():
    network = ExactNetwork(CAMERA)
    found = Calibrator(predictor=network)([grey(), grey()], "simple_radial:1", known={"f": 600.5}, shared=True)
    assert found[0].camera.named()["f"] == 600.5


def test_auto_and_a_single_photo():
    assert run([grey(), grey(), grey()], "auto")[0].camera.model != "simple_pinhole"
    [one] = run([grey()])
    assert one.outlier is False


def test_pool_is_tempered_and_robust():
    same = [normal(0.3, 0.1)] * 16
    together = pool(same, [False] * 16)
    assert median(together) == pytest.approx(0.3, abs=0.01)
    assert 0.1 / 4 < std(together) < 0.1 / 1.5  # less than independent photos would give
    assert find_outliers([normal(0.3, 0.1), normal(1.3, 0.05)]) == [False, False]  # of two, none can be blamed
    far = [normal(0.3, 0.1)] * 4 + [normal(1.3, 0.05)]
    assert find_outliers(far) == [False] * 4 + [True]
    assert median(pool(far, [False] * 5)) == pytest.approx(0.3, abs=0.02)  # sums of plain normals would go to 0.9
    vague = [normal(0.3, 0.1)] * 4 + [normal(0.7, 0.6)]
    assert find_outliers(vague) == [False] * 5  # a photo that says little contradicts nobody
