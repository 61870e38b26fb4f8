"""Roll, pitch and horizon: signs, sizes and stated uncertainty."""

import numpy as np
import pytest
from room import held, render
from wires import wires

from anylens import Camera, edges, evidence
from anylens.edges.gravity import Gravity, angles

W, H = 640, 480
CAMERA = Camera("simple_pinhole", [480, W / 2, H / 2], W, H)


def looking(pitch, roll):
    down = held(0, pitch, roll).T @ np.array([0.0, 1.0, 0.0])
    return Gravity(down, roll, pitch, 1.0, 1.0)


@pytest.mark.parametrize(("pitch", "roll"), [(0, 0), (10, 0), (0, 10), (-25, 7), (30, -40)])
def test_angles_are_those_of_the_held_camera(pitch, roll):
    found = np.degrees(angles(looking(pitch, roll).down))
    assert found == pytest.approx([roll, pitch], abs=1e-9)


def test_signs_as_a_user_sees_them():
    up, clockwise = looking(10, 0), looking(0, 10)
    assert up.down[2] < 0  # looking up, down is behind
    line = up.horizon(CAMERA)
    assert (line[:, 1] > H / 2).all()  # and the horizon is below the middle
    line = clockwise.horizon(CAMERA)
    assert line[0, 0] < line[-1, 0]
    assert line[0, 1] > line[-1, 1]  # the camera turned clockwise: the scene turns the other way, its right side up
    assert clockwise.down[0] > 0


def test_the_horizon_is_straight_for_a_pinhole_and_leaves_the_view_when_looking_up():
    line = looking(5, 8).horizon(CAMERA)
    slope = np.polyfit(line[:, 0], line[:, 1], 1)
    assert np.abs(np.polyval(slope, line[:, 0]) - line[:, 1]).max() < 1e-6
    assert np.degrees(np.arctan(slope[0])) == pytest.approx(-8, abs=0.05)
    assert len(looking(60, 0).horizon(CAMERA)) == 0


def test_gravity_is_found_in_a_picture():
    view = render(CAMERA, held(30, 8, 4))
    found = edges.evidence(view, CAMERA).gravity
    assert found.roll_deg == pytest.approx(4, abs=0.5)
    assert found.pitch_deg == pytest.approx(8, abs=1.5)
    assert found.roll_std_deg < 2
    assert found.pitch_std_deg < 4


def test_stated_uncertainty_covers_and_follows_the_noise():
    inside, stds = [], []
    for seed in range(16):
        pitch, roll = np.random.default_rng(seed).uniform(-15, 15, 2)
        segments = wires(CAMERA, np.eye(3) @ held(35, pitch, roll), 12, seed, noise_deg=1.0, clutter=30)
        g = edges.evidence(segments, CAMERA, prior=evidence.normal(evidence.log_focal(CAMERA), 0.1)).gravity
        if g is not None:
            inside.append(
                abs(g.roll_deg - roll) < 2 * g.roll_std_deg and abs(g.pitch_deg - pitch) < 2 * g.pitch_std_deg
            )
            stds.append(g.roll_std_deg)
    clean = wires(CAMERA, np.eye(3) @ held(35, 5, 5), 60, 0, noise_deg=0.3)
    sure = edges.evidence(clean, CAMERA, prior=evidence.normal(evidence.log_focal(CAMERA), 0.1)).gravity
    assert len(inside) >= 8
    assert np.mean(inside) > 0.8
    assert sure.roll_std_deg < np.median(stds)
