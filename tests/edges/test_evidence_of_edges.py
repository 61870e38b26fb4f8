"""The profile over the focal length: right where there is structure, silent where there is none."""

import numpy as np
import pytest
from pictures import MISLEADING, H, W
from room import held, render
from wires import wires

from anylens import Camera, edges, evidence
from anylens.edges.frames import polish
from anylens.edges.likelihood import Noise
from anylens.edges.rotations import rotation

AXES = np.eye(3)
CAMERAS = {
    "pinhole": Camera("simple_pinhole", [520, W / 2, H / 2], W, H),
    "stretched": Camera("pinhole", [520, 400, W / 2, H / 2], W, H),
    "radial": Camera("simple_radial:1", [450, W / 2, H / 2, -0.1], W, H),
    "fisheye": Camera("simple_kb:4", [240, W / 2, H / 2, 0.02, -0.01, 0.0, 0.0], W, H),
    "eucm": Camera("simple_eucm", [230, W / 2, H / 2, 0.6, 1.1], W, H),
}


@pytest.mark.parametrize("name", CAMERAS)
def test_the_focal_length_is_found_whatever_the_model(name):
    camera = CAMERAS[name]
    directions = AXES @ held(33, 12, 5)  # rows: the axes in the camera's frame
    segments = wires(camera, directions, 40, noise_deg=0.4, clutter=60)
    wrong = evidence.with_log_focal(camera, evidence.log_focal(camera) + 0.7)  # only the shape counts
    found = edges.evidence(segments, wrong, prior=evidence.flat())
    assert abs(evidence.median(found.log_prob) - evidence.log_focal(camera)) < 0.06
    low, high = evidence.interval(evidence.add(found.log_prob, evidence.prior()), 0.95)
    assert low < evidence.log_focal(camera) < high
    assert found.weight > 0.5
    assert 0.5 < found.share < 0.8  # 120 of 180 follow the axes
    assert np.allclose(found.frame @ found.frame.T, np.eye(3), atol=1e-6)
    assert np.linalg.det(found.frame) == pytest.approx(1)
    aligned = np.abs(found.frame @ directions.T).max(axis=1)
    assert np.degrees(np.arccos(np.minimum(aligned, 1))).max() < 2.5


def test_labels_follow_the_directions():
    camera = CAMERAS["pinhole"]
    directions = AXES @ held(33, 12, 5)
    found = edges.evidence(
        wires(camera, directions, 40), camera, prior=evidence.normal(evidence.log_focal(camera), 0.1)
    )
    assert (found.labels >= 0).mean() > 0.95
    assert np.bincount(found.labels[found.labels >= 0]).min() > 30


@pytest.mark.parametrize("picture", MISLEADING)
@pytest.mark.parametrize("off", [-0.25, 0.25])
def test_nothing_confident_and_wrong_without_structure(picture, off):
    camera = Camera("simple_pinhole", [W / 2 / np.tan(np.radians(30)), W / 2, H / 2], W, H)
    truth = evidence.log_focal(camera)
    network = evidence.normal(truth + off, 0.17)
    for belief in (network, None):
        found = edges.evidence(picture(), camera, prior=belief)
        assert np.isfinite(found.log_prob).all()
        assert np.isfinite(found.score).all()
        assert found.weight < 0.15
    together = evidence.add(network, edges.evidence(picture(), camera, prior=network).log_prob)
    assert abs(evidence.median(together) - (truth + off)) < 0.04
    assert evidence.std(together) > 0.9 * evidence.std(network)


def test_clutter_is_doubted_more_than_structure():
    camera = CAMERAS["pinhole"]
    directions = AXES @ held(33, 12, 5)
    told = [
        edges.evidence(wires(camera, directions, n, noise_deg=0.4, clutter=150 - 3 * n), camera).told
        for n in (0, 15, 45)
    ]
    assert told[0] < 0.1
    assert told[0] < told[1] < told[2]


def test_only_believed_focal_lengths_are_searched():
    camera = CAMERAS["pinhole"]
    segments = wires(camera, AXES @ held(33, 12, 5), 40, noise_deg=0.4)
    truth = evidence.log_focal(camera)
    narrow = edges.evidence(segments, camera, prior=evidence.normal(truth, 0.05))
    wide = edges.evidence(segments, camera, prior=evidence.flat())
    assert np.ptp(narrow.score[truth + 0.3 < evidence.CENTRES]) == 0  # continued, not searched
    assert np.ptp(wide.score[truth + 0.3 < evidence.CENTRES]) > 1
    near = np.abs(evidence.CENTRES - truth) < 0.1
    assert np.allclose(narrow.score[near], wide.score[near], rtol=0.02)


def test_the_answer_does_not_depend_on_the_call():
    view = render(CAMERAS["pinhole"], held(30, 8, 4))
    first, second = (edges.evidence(view, CAMERAS["pinhole"]) for _ in range(2))
    assert np.array_equal(first.log_prob, second.log_prob)


def test_few_segments_say_nothing():
    camera = CAMERAS["pinhole"]
    found = edges.evidence(wires(camera, AXES @ held(33, 12, 5), 2), camera)
    assert np.ptp(found.log_prob) == 0
    assert found.frame is None
    assert found.gravity is None
    assert found.n_segments == 6


def test_more_streets_than_two_are_found_below_the_frame():
    camera = CAMERAS["pinhole"]
    R = held(20, 5, 0)
    skew = np.array([np.sin(np.radians(55)), 0, np.cos(np.radians(55))])
    directions = np.concatenate([AXES, skew[None]]) @ R
    segments = wires(camera, directions, 40)
    found = edges.evidence(segments, camera, prior=evidence.normal(evidence.log_focal(camera), 0.05))
    more = edges.horizontals(found.camera, found.segments, found.frame)
    assert len(more) == 1
    rest = [d for d in directions if np.abs(found.frame @ d).max() < np.cos(np.radians(8))]
    assert len(rest) == 1
    assert abs(more[0] @ rest[0]) > np.cos(np.radians(2))


def test_polish_climbs_to_the_true_frame():
    camera = CAMERAS["pinhole"]
    directions = AXES @ held(33, 12, 5)
    from anylens.edges.circles import circles

    s = wires(camera, directions, 30, noise_deg=0.2)
    c = circles(camera, s.points[:, 1], s.chord)
    start = (directions @ rotation(np.array([0.02, -0.03, 0.025])).T)[None]
    noise, weight = Noise(), np.ones(len(s))
    before = polish(c, start, weight, noise, ()).score
    after = polish(c, start, weight, noise, (0.05, 0.03, 0.0175, 0.0175))
    assert after.score[0] > before[0] + 20
    assert np.abs(after.frames[0] - directions).max() < 0.004


def test_a_regular_scene_that_is_not_orthogonal_loses_against_a_sure_network():
    camera = CAMERAS["pinhole"]
    corner = np.radians(60)  # walls that do not meet at right angles, before a level camera
    walls = np.array([[np.sin(corner), 0.0, np.cos(corner)], [0.0, 0.0, 1.0]])
    segments = wires(camera, walls @ held(30, 0, 0), 100, noise_deg=0.3)
    truth = evidence.log_focal(camera)
    network = evidence.normal(truth, 0.06)
    found = edges.evidence(segments, camera, prior=evidence.flat())
    assert abs(found.log_focal - truth) > 0.25  # the edges are wrong, and sure of it
    assert found.weight > 0.5
    together = evidence.add(network, found.log_prob)
    assert abs(evidence.median(together) - truth) < 0.05
