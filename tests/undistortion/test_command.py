"""`anylens undistort` as a user calls it: files, folders, failures, exit codes."""

import json

import numpy as np
import pytest
from PIL import Image

from anylens import Camera
from anylens.cli import main
from anylens.formats import write

CAMERA = Camera("radial:1", [90.0, 90.0, 64.0, 48.0, -0.1], 128, 96)


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("a.jpg", "sub/b.png", "c.tif"):
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (96, 128, 3), dtype=np.uint8)).save(path)
    write(CAMERA, tmp_path / "camera.json")
    return tmp_path


def call(folder, *arguments):
    return main(["undistort", *arguments, "--camera", str(folder / "camera.json"), "--out", str(folder / "out")])


def test_a_folder_keeps_its_structure(folder, capsys):
    assert call(folder, str(folder / "photos")) == 0
    names = sorted(str(p.relative_to(folder / "out")) for p in (folder / "out").rglob("*") if p.is_file())
    assert names == ["a.jpg", "a.json", "c.json", "c.tif", "sub/b.json", "sub/b.png"]
    assert json.loads((folder / "out/sub/b.json").read_text())["model"] == "pinhole"
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_bad_files_are_named_and_the_others_are_done(folder, capsys):
    (folder / "photos/bad.jpg").write_bytes(b"nothing")
    Image.new("RGB", (100, 100)).save(folder / "photos/square.png")
    assert call(folder, str(folder / "photos")) == 1
    streams = capsys.readouterr()
    assert "bad.jpg" in streams.err
    assert "square.png" in streams.err
    assert "aspect" in streams.err
    assert "Traceback" not in streams.err
    assert len(streams.out.splitlines()) == 3
    assert call(folder, str(folder / "photos/bad.jpg")) == 3


@pytest.mark.parametrize(
    ("options", "model"),
    [
        (["--fov", "60"], "pinhole"),
        (["--to", "equisolid"], "simple_equisolid"),
        (["--to", "equirectangular", "--mask"], "equirectangular"),
        (["--alpha", "1", "--size", "64x48"], "pinhole"),
    ],
)
def test_targets(folder, options, model):
    assert call(folder, str(folder / "photos/a.jpg"), *options) == 0
    data = json.loads((folder / "out/a.json").read_text())
    assert data["model"] == model
    with Image.open(folder / "out/a.jpg") as picture:
        assert picture.size == (data["width"], data["height"])
    assert (folder / "out/a_mask.png").exists() == ("--mask" in options)


def test_into_the_camera_of_another_file(folder):
    other = Camera("kb:1", [70.0, 70.0, 40.0, 30.0, 0.0], 80, 60)
    write(other, folder / "other.json")
    assert call(folder, str(folder / "photos/a.jpg"), "--to", str(folder / "other.json")) == 0
    assert Camera.from_dict(json.loads((folder / "out/a.json").read_text())) == other


def test_a_photo_that_lies_turned_uses_the_camera_of_its_file(folder):
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (128, 96), "red").save(folder / "turned.jpg", exif=exif)
    assert call(folder, str(folder / "turned.jpg")) == 0
    data = json.loads((folder / "out/turned.json").read_text())
    assert (data["width"], data["height"]) == (96, 128)


def test_nothing_is_replaced_unless_asked(folder, capsys):
    assert call(folder, str(folder / "photos/a.jpg")) == 0
    assert call(folder, str(folder / "photos/a.jpg")) == 3
    assert "--overwrite" in capsys.readouterr().err
    assert call(folder, str(folder / "photos/a.jpg"), "--overwrite") == 0


@pytest.mark.parametrize("wish", ["--to square", "--fov 200", "--fov 0", "--size x", "--balance 3", "--alpha -1",
                                  "--quality 0", "--jobs -1", "--fov nan"])  # fmt: skip
def test_impossible_wishes_are_wrong_usage(folder, wish, capsys):
    assert call(folder, str(folder / "photos/a.jpg"), *wish.split()) == 2
    assert capsys.readouterr().err.startswith("anylens: ")


def test_no_photos_and_two_for_one_name(folder, capsys):
    (folder / "empty").mkdir()
    assert call(folder, str(folder / "empty")) == 2
    assert call(folder, str(folder / "photos/a.jpg"), str(folder / "photos/a.jpg")) == 2
    assert "both become" in capsys.readouterr().err


def test_the_photo_itself_is_never_the_output(folder):
    before = (folder / "photos/a.jpg").read_bytes()
    arguments = [
        str(folder / "photos/a.jpg"),
        "--camera",
        str(folder / "camera.json"),
        "--out",
        str(folder / "photos"),
    ]
    assert main(["undistort", *arguments]) == 3
    assert (folder / "photos/a.jpg").read_bytes() == before
    assert main(["undistort", *arguments, "--overwrite"]) == 3
    assert (folder / "photos/a.jpg").read_bytes() == before
