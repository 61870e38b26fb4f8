"""A COLMAP database changed in place, with pycolmap as witness and a stand-in for the calibration."""

import sqlite3

import numpy as np
import pytest
from PIL import Image

from anylens import Camera, FitError, FormatError
from anylens.cli.colmap import focal_spread, set_cameras
from anylens.formats.colmap_database import Calibration, apply_changes, plan_change, read_cameras
from anylens.profiles import parse

pycolmap = pytest.importorskip("pycolmap")


def save(path, size=(64, 48), orientation=None):
    exif = Image.Exif()
    if orientation:
        exif[0x0112] = orientation
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "gray").save(path, exif=exif)


@pytest.fixture
def project(tmp_path):
    """Three cameras: one for a folder of two images, one alone, one whose image lies turned in its file."""
    images = tmp_path / "images"
    for name in ("a/1.jpg", "a/2.jpg", "b.jpg"):
        save(images / name)
    save(images / "turned.jpg", orientation=6)
    database = tmp_path / "database.db"
    db = pycolmap.Database.open(str(database))
    ids = [
        db.write_camera(pycolmap.Camera(model="SIMPLE_RADIAL", width=64, height=48, params=[77, 32, 24, 0]))
        for _ in range(3)
    ]
    for name, camera in (("a/1.jpg", ids[0]), ("a/2.jpg", ids[0]), ("b.jpg", ids[1]), ("turned.jpg", ids[2])):
        db.write_image(pycolmap.Image(name=name, camera_id=camera))
    db.close()
    return database, images


class Fake:
    """Answers with a camera whose numbers show what it was asked; remembers the photos."""

    def __init__(self, spread=0.01, fail=()):
        self.asked, self.spread, self.fail = [], spread, fail

    def __call__(self, photos, model):
        self.asked.append(([p.name for p in photos], model))
        if photos[0].name in self.fail:
            raise FitError("Nothing can be seen in it.")
        with Image.open(photos[0]) as picture:
            width, height = picture.size
            if picture.getexif().get(0x0112, 1) > 4:
                width, height = height, width
        names = parse(model).param_names
        values = {
            "f": 50.0,
            "fx": 50.0,
            "fy": 52.0,
            "cx": width / 2 + 1,
            "cy": height / 2 - 2,
            "k1": 0.01,
            "k2": 0.001,
            "xi": 0.5,
        }
        return Calibration(Camera(model, [values.get(n, 0.0) for n in names], width, height), self.spread)


def cameras_in(database):
    db = pycolmap.Database.open(str(database))
    found = {c.camera_id: c for c in db.read_all_cameras()}
    db.close()
    return found


def test_cameras_are_set_as_the_database_groups_them(project, capsys):
    database, images = project
    fake = Fake()
    assert set_cameras(database, images, fake) == 0
    assert fake.asked == [(["1.jpg", "2.jpg"], "simple_radial:1"), (["b.jpg"], "simple_radial:1"),
                          (["turned.jpg"], "simple_radial:1")]  # fmt: skip
    found = cameras_in(database)
    assert found[1].model.name == "SIMPLE_RADIAL"
    assert list(found[1].params) == [50.0, 33.0, 22.0, 0.01]
    assert found[1].has_prior_focal_length
    assert (found[1].width, found[1].height) == (64, 48)
    out = capsys.readouterr().out
    assert "SIMPLE_RADIAL [77 32 24 0] -> SIMPLE_RADIAL [50 33 22 0.01]" in out
    assert "3 of 3 cameras changed" in out


def test_a_turned_photo_gets_the_camera_of_its_file(project):
    """Upright, 48x64, its centre is (25, 30); it was turned clockwise, so in the file that is (30, 23)."""
    database, images = project
    set_cameras(database, images, Fake(), model="pinhole")
    turned = cameras_in(database)[3]
    assert (turned.width, turned.height) == (64, 48)
    assert list(turned.params) == [52.0, 50.0, 30.0, 23.0]


def test_pycolmap_projects_with_the_database_as_we_do(project):
    database, images = project
    set_cameras(database, images, Fake(), model="radial:2")
    camera = Fake()([images / "b.jpg"], "radial:2").camera
    points = np.array([[0.1, 0.2, 1.0], [-0.3, 0.1, 1.5]])
    assert np.abs(np.asarray(cameras_in(database)[2].img_from_cam(points)) - camera.project(points)[0]).max() < 1e-10


@pytest.mark.parametrize(
    ("model", "theirs"), [("ucm", "EUCM"), ("kb:4", "OPENCV_FISHEYE"), ("radial:3", "FULL_OPENCV")]
)
def test_the_model_asked_for_is_set(project, model, theirs):
    database, images = project
    assert set_cameras(database, images, Fake(), model=model) == 0
    assert {c.model.name for c in cameras_in(database).values()} == {theirs}


def test_a_dry_run_changes_nothing(project, capsys):
    database, images = project
    before = database.read_bytes()
    assert set_cameras(database, images, Fake(), dry_run=True) == 0
    assert database.read_bytes() == before
    assert "would change" in capsys.readouterr().out


def test_the_prior_flag_needs_a_tight_interval(project):
    database, images = project
    set_cameras(database, images, Fake(spread=0.2))
    assert not any(c.has_prior_focal_length for c in cameras_in(database).values())
    set_cameras(database, images, Fake(spread=0.2), tight=0.25)
    assert all(c.has_prior_focal_length for c in cameras_in(database).values())


def test_failures_leave_their_camera_alone_and_show_in_the_exit_code(project, capsys):
    database, images = project
    (images / "turned.jpg").write_bytes(b"broken")
    assert set_cameras(database, images, Fake(fail=("b.jpg",))) == 1
    found = cameras_in(database)
    assert list(found[2].params) == list(found[3].params) == [77, 32, 24, 0]
    assert list(found[1].params) == [50.0, 33.0, 22.0, 0.01]
    errors = capsys.readouterr().err
    assert "Nothing can be seen" in errors
    assert "turned.jpg" in errors
    assert set_cameras(database, images, Fake(fail=("1.jpg", "b.jpg"))) == 3


def test_one_unreadable_photo_of_several_is_left_out(project):
    database, images = project
    (images / "a/1.jpg").unlink()
    fake = Fake()
    assert set_cameras(database, images, fake) == 0
    assert fake.asked[0][0] == ["2.jpg"]


def test_all_changes_or_none(project, monkeypatch):
    """The third update is refused by a trigger: the first two must be undone."""
    database, images = project
    link = sqlite3.connect(database)
    link.execute(
        "CREATE TRIGGER no BEFORE UPDATE ON cameras WHEN OLD.camera_id = 3 BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    link.commit()
    link.close()
    changes = [plan_change(c, images, Fake()) for c in read_cameras(database)]
    assert not any(c.error for c in changes)
    with pytest.raises(FormatError):
        apply_changes(database, changes)
    assert all(c.params == (77, 32, 24, 0) for c in read_cameras(database))


def test_photos_of_another_size_are_not_forced_on(project):
    database, images = project
    save(images / "b.jpg", (64, 64))
    assert set_cameras(database, images, Fake()) == 1
    assert cameras_in(database)[2].params[0] == 77


def test_what_is_no_database_is_a_format_error(tmp_path, project):
    database, images = project
    (tmp_path / "text.db").write_text("not a database, but long enough to look at\n" * 50)
    sqlite3.connect(tmp_path / "empty.db").close()
    for path in (tmp_path / "none.db", tmp_path / "text.db", tmp_path / "empty.db", tmp_path):
        with pytest.raises(FormatError):
            set_cameras(path, images, Fake())
    with pytest.raises(FormatError, match="folder"):
        set_cameras(database, tmp_path / "nowhere", Fake())
    with pytest.raises(FormatError, match="COLMAP cannot hold"):
        set_cameras(database, images, Fake(), model="ocam")
    assert not (tmp_path / "none.db").exists()


def test_verified_pairs_are_mentioned(project, capsys):
    database, images = project
    link = sqlite3.connect(database)
    link.execute("INSERT INTO two_view_geometries (pair_id, rows, cols, config) VALUES (1, 20, 2, 2)")
    link.commit()
    link.close()
    set_cameras(database, images, Fake())
    assert "match again" in capsys.readouterr().err


@pytest.mark.parametrize("model", ["simple_pinhole", "simple_kb:1"])
def test_focal_spread_of_a_field_of_view_interval(model):
    """Two cameras whose focal lengths differ by 10 % up and down span the interval."""
    params = [0.0, 50.0, 40.0, 0.02][: 3 if model == "simple_pinhole" else 4]
    wide, middle, narrow = (Camera(model, [f, *params[1:]], 100, 80) for f in (90.0, 100.0, 110.0))
    assert focal_spread(middle, (narrow.hfov_deg, wide.hfov_deg)) == pytest.approx(0.1)
