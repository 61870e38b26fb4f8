"""Box rooms through real lens models: camera and attitude recovered from a start that is 25 % off."""

import numpy as np
import pytest
from room import held, render
from wires import wires

from anylens import Camera, edges, evidence
from anylens.edges.gravity import angles, down_of

W, H = 800, 600
HELD = ((31, 8, 4), (-22, -12, -7))
TRUE = {
    "pinhole": ([520, W / 2, H / 2], ()),
    "radial:1": ([480, W / 2, H / 2, -0.12], (0.0,)),
    "kb:4": ([300, W / 2, H / 2, 0.02, -0.008, 0.002, -0.0003], (0.0, 0.0, 0.0, 0.0)),
    "eucm": ([340, W / 2, H / 2, 0.62, 1.1], (0.5, 1.0)),
}


def with_fov(model, coefs, hfov_deg):
    """A camera with these coefficients and this field of view."""
    shape = Camera(model, [300.0, W / 2, H / 2, *coefs], W, H)
    focal = np.linspace(-2.0, 2.5, 500)
    fov = np.asarray(evidence.with_log_focal(shape, focal).hfov_deg)
    return evidence.with_log_focal(shape, np.interp(-hfov_deg, -fov, focal))


def distortion(camera, theta):
    """h(ϑ) / h'(0): the shape of the profile, whatever the focal length."""
    k = np.asarray(camera.coefs)
    profile = camera.profile
    return np.asarray(profile.radius(theta, k) / profile.slope0(k))


@pytest.mark.parametrize("off", [0.75, 1.25])
@pytest.mark.parametrize("model", TRUE)
def test_box_rooms(model, off):
    params, plain = TRUE[model]
    camera = Camera(f"simple_{model}", params, W, H)
    yaw, pitch, roll = HELD[off > 1]
    view = render(camera, held(yaw, pitch, roll), seed=int(off > 1))
    start = with_fov(f"simple_{model}", plain, off * float(camera.hfov_deg))
    refined, found = edges.from_edges(view, start)
    assert float(refined.camera.hfov_deg) == pytest.approx(float(camera.hfov_deg), abs=0.5)
    theta = np.linspace(0.01, np.radians(float(camera.dfov_deg)) / 2, 60)
    assert np.abs(distortion(refined.camera, theta) / distortion(camera, theta) - 1).max() < 0.03
    assert np.degrees(angles(down_of(refined.frame)[0])) == pytest.approx([roll, pitch], abs=0.3)
    assert refined.converged
    assert abs(evidence.log_focal(refined.camera) - evidence.log_focal(camera)) < 3 * refined.std_log_focal
    assert found.share > 0.5


def test_the_radial_coefficient_itself_is_recovered():
    camera = Camera("simple_radial:1", TRUE["radial:1"][0], W, H)
    view = render(camera, held(31, 8, 4))
    refined, _ = edges.from_edges(view, Camera("simple_radial:1", [480, W / 2, H / 2, 0.0], W, H))
    assert refined.camera.named()["k1"] == pytest.approx(-0.12, rel=0.03)


def test_plumb_lines_alone_straighten_at_a_known_focal_length():
    camera = Camera("simple_radial:1", TRUE["radial:1"][0], W, H)
    segments = edges.detect(render(camera, held(31, 8, 4)))
    start = Camera("simple_radial:1", [480, W / 2, H / 2, 0.05], W, H)
    refined = edges.refine(start, segments, None, free_focal=False, steps=30)
    assert refined.camera.named()["k1"] == pytest.approx(-0.12, abs=0.006)
    assert refined.camera.named()["f"] == 480
    assert refined.covariance[0, 0] == 0
    assert 0 < refined.covariance[3, 3] < 0.05**2


def field_of(camera, count=12):
    u, v = np.meshgrid((np.arange(count) + 0.5) * W / count, (np.arange(count) + 0.5) * H / count)
    pixels = np.stack([u, v], axis=-1).reshape(-1, 2)
    return pixels, camera.unproject(pixels)[0]


def test_the_field_decides_where_edges_are_silent_and_shares_where_they_speak():
    camera = Camera("simple_pinhole", [520, W / 2, H / 2], W, H)
    biased = Camera("simple_pinhole", [560, W / 2, H / 2], W, H)
    field = edges.FieldTerm(*field_of(biased), std=0.05, n_eff=10)
    none = wires(camera, [], 0)
    silent = edges.refine(camera, none, None, field=field)
    assert silent.camera.named()["f"] == pytest.approx(560, rel=1e-3)
    directions = np.eye(3) @ held(33, 12, 5)
    segments = wires(camera, directions, 40, noise_deg=0.3)
    both = edges.refine(biased, segments, directions, field=field)
    assert 515 < both.camera.named()["f"] < 545
    assert both.std_log_focal < 0.7 * silent.std_log_focal  # the covariance shrinks accordingly
    trusted = edges.refine(biased, segments, directions, field=edges.FieldTerm(*field_of(biased), std=0.001, n_eff=100))
    assert trusted.camera.named()["f"] == pytest.approx(560, rel=2e-3)


def test_a_prior_on_the_focal_length_pulls_by_its_width():
    camera = Camera("simple_pinhole", [520, W / 2, H / 2], W, H)
    directions = np.eye(3) @ held(33, 12, 5)
    segments = wires(camera, directions, 40, noise_deg=0.3)
    truth = evidence.log_focal(camera)
    found = [
        evidence.log_focal(edges.refine(camera, segments, directions, log_focal=(truth + 0.1, std)).camera) - truth
        for std in (0.5, 0.03, 0.001)
    ]
    assert found[0] < found[1] < found[2]
    assert abs(found[0]) < 0.02
    assert found[2] == pytest.approx(0.1, abs=0.003)


def test_both_focal_lengths_keep_their_ratio_and_the_centre_may_be_freed():
    camera = Camera("pinhole", [520, 480, 420, 290], W, H)
    directions = np.eye(3) @ held(33, 12, 5)
    segments = wires(camera, directions, 80, noise_deg=0.05)
    start = Camera("pinhole", [520 * 1.05, 480 * 1.05, 400, 300], W, H)
    refined = edges.refine(start, segments, directions, free_centre=True, steps=40)
    p = refined.camera.named()
    assert p["fx"] / p["fy"] == pytest.approx(520 / 480)
    assert [p["fx"], p["cx"], p["cy"]] == pytest.approx([520, 420, 290], abs=6)
