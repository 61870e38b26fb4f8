"""Level views: a camera held with roll and pitch, and the same camera made upright."""

import json

import numpy as np
import pytest
from PIL import Image
from tests.edges.room import held, render

from anylens import Camera
from anylens.cli import main
from anylens.formats import write
from anylens.undistortion import level_rotation, undistort

RADIAL = Camera("simple_radial:1", [420.0, 320.0, 240.0, -0.08], 640, 480)
ROLL, PITCH = 7.0, 12.0


def down(yaw=0.0, pitch=PITCH, roll=ROLL):
    return held(yaw, pitch, roll).T @ np.array([0.0, 1.0, 0.0])


def bent(view, rotation):
    """Image angles from the vertical, in degrees, of vertical edges of the room at several places of a level view."""
    room_to_photo = held(0, PITCH, ROLL).T
    x, y, z = np.meshgrid([-1.0, -0.5, 0.5, 1.0], [-0.3, 0.3], [3.0, 4.0])
    points = np.stack([x, y, z], -1).reshape(-1, 3)
    lower = points + np.array([0.0, 0.01, 0.0])
    (a, seen), (b, _) = (view.project(p @ room_to_photo.T @ rotation) for p in (points, lower))
    assert seen.all()
    return np.degrees(np.arctan2(*(b - a).T))


def test_full_makes_verticals_parallel_and_roll_alone_levels_the_middle():
    image = np.zeros((480, 640), dtype=np.uint8)
    full, roll = level_rotation(down(), "full"), level_rotation(down(), "roll")
    np.testing.assert_allclose(bent(undistort(image, RADIAL, rotation=full).camera, full), 0, atol=1e-6)
    lean = bent(undistort(image, RADIAL, rotation=roll).camera, roll)
    assert np.abs(lean).max() > 1  # verticals still meet
    np.testing.assert_allclose(lean, -lean.reshape(2, 4, 2)[:, ::-1].ravel(), atol=1e-6)  # alike on both sides
    assert np.abs(bent(RADIAL, np.eye(3))).max() > 5


@pytest.mark.parametrize("how", ["roll", "full"])
def test_balance_0_has_no_empty_pixel_and_balance_1_keeps_every_corner(how):
    image = np.full((480, 640), 200, dtype=np.uint8)
    turn = level_rotation(down(), how)
    tight = undistort(image, RADIAL, rotation=turn)
    assert tight.valid is None
    slightly_wider = undistort(image, RADIAL, rotation=turn, fov_deg=tight.camera.hfov_deg + 2)
    assert slightly_wider.valid is not None
    wide = undistort(image, RADIAL, rotation=turn, balance=1).camera
    corners, _ = RADIAL.unproject(np.array([[0, 0], [640, 0], [0, 480], [640, 480.0]]))
    pixels, _ = wide.project(corners @ turn)
    assert (pixels > -1e-6).all()
    assert (pixels <= np.array([640, 480]) + 1e-6).all()


def test_the_photos_middle_stays_in_the_middle():
    turn = level_rotation(down(), "full")
    view = undistort(np.zeros((480, 640), np.uint8), RADIAL, rotation=turn).camera
    middle, _ = RADIAL.unproject(np.array([[320.0, 240.0]]))
    np.testing.assert_allclose(view.project(middle @ turn)[0], [[320, 240]], atol=1e-9)


def test_a_panorama_covers_the_turned_photo():
    turn = level_rotation(down(), "full")
    view = undistort(np.zeros((480, 640), np.uint8), RADIAL, "equirectangular", rotation=turn).camera
    corners, _ = RADIAL.unproject(np.array([[0, 0], [640, 0], [0, 480], [640, 480.0]]))
    assert view.project(corners @ turn)[1].all()


@pytest.mark.parametrize("words", [["--upright"], ["--upright", "full"]])
def test_the_command_levels_a_room(tmp_path, capsys, words):
    picture = render(RADIAL, held(20, PITCH, ROLL), seed=3)
    Image.fromarray(picture).convert("RGB").save(tmp_path / "room.png")
    write(RADIAL, tmp_path / "c.json")
    out = tmp_path / "out"
    photo = str(tmp_path / "room.png")
    assert main(["undistort", photo, "--camera", str(tmp_path / "c.json"), "--out", str(out), *words]) == 0
    assert "not levelled" not in capsys.readouterr().out
    from anylens.edges import evidence
    from anylens.evidence import log_focal, normal

    camera = Camera.from_dict(json.loads((out / "room.json").read_text()))
    made = np.asarray(Image.open(out / "room.png").convert("L"))
    after = evidence(made, camera, prior=normal(log_focal(camera), 0.02)).gravity
    assert abs(after.roll_deg) < 0.5
    assert abs(after.pitch_deg - (0 if "full" in words else PITCH)) < 0.7


def test_a_photo_without_edges_is_left_as_it_is_and_said_so(tmp_path, capsys):
    Image.new("RGB", (640, 480), (90, 120, 150)).save(tmp_path / "sky.png")
    write(RADIAL, tmp_path / "c.json")
    arguments = [str(tmp_path / "sky.png"), "--camera", str(tmp_path / "c.json"), "--out", str(tmp_path / "out")]
    assert main(["undistort", *arguments, "--upright"]) == 0
    assert "not levelled" in capsys.readouterr().out
