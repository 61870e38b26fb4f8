"""Pictures and videos: files that open, of the right size, for every kind of camera."""

import json

import numpy as np
import pytest
from PIL import Image
from small_photos import make_photo

from anylens import Calibrator, Camera
from anylens.cli import complete_bare, main
from anylens.plotting.contours import choose_step, fitted_scale, scale_table

pytest.importorskip("matplotlib")


def is_picture(path):
    with Image.open(path) as picture:
        colours = len(np.unique(np.asarray(picture.convert("RGB").resize((80, 60))).reshape(-1, 3), axis=0))
        return picture.format == "PNG" and picture.width > 900 and colours > 100


@pytest.mark.parametrize("model", ["simple_pinhole", "kb:2", "simple_division:1"])
def test_plot_explains_one_photo(photo, network, tmp_path, model):
    out = tmp_path / "deep" / "why.png"
    assert main([str(photo), "--model", model, "--plot", str(out), "--weights", network]) == 0
    assert is_picture(out)


def test_plots_of_many_go_to_a_folder(network, tmp_path, capsys):
    files = [str(make_photo(tmp_path / f"{n}.jpg", level, *size)) for n, level, size in
             (("wide", 30, (160, 96)), ("tall", 120, (96, 128)))]  # fmt: skip
    assert main(["calibrate", *files, "--plot", str(tmp_path / "why"), "--weights", network]) == 0
    assert sorted(p.name for p in (tmp_path / "why").iterdir()) == ["tall.png", "wide.png"]
    assert main(["calibrate", *files, "--plot", str(tmp_path / "why.png"), "--weights", network]) == 2
    assert "folder" in capsys.readouterr().err


def test_plot_without_a_name():
    assert complete_bare(["calibrate", "a", "--plot"]) == ["calibrate", "a", "--plot", "anylens.png"]
    assert complete_bare(["calibrate", "--plot", "--json"]) == ["calibrate", "--plot", "anylens.png", "--json"]
    assert complete_bare(["calibrate", "--plot", "b.png"]) == ["calibrate", "--plot", "b.png"]
    assert complete_bare(["undistort", "--upright", "a.jpg"]) == ["undistort", "--upright", "roll", "a.jpg"]
    assert complete_bare(["undistort", "--upright", "full", "a"]) == ["undistort", "--upright", "full", "a"]


def test_rings_compare_shapes_at_one_scale(network):
    """The network's rings are brought to the camera's scale: a field of another scale but the same shape agrees."""
    assert [choose_step(a) for a in (8, 30, 60, 100, 175)] == [2, 5, 10, 20, 30]
    result = Calibrator(network)(np.full((96, 128, 3), 120, np.uint8), "simple_kb:1")
    short, long = (Camera("simple_kb:1", [f, 64, 48, 0.0], 128, 96) for f in (50, 80))
    free, final = scale_table(short, long)
    assert np.allclose(final, free * 50 / 80, atol=1e-6)
    assert np.isfinite(fitted_scale(result))


@pytest.fixture
def film(tmp_path):
    """Two seconds that grow brighter: the network reads a zoom."""
    cv2 = pytest.importorskip("cv2")
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 10, (128, 96))
    if not writer.isOpened():
        pytest.skip("this OpenCV writes no video")
    for i in range(20):
        writer.write(np.full((96, 128, 3), 60 + 5 * i, np.uint8))
    writer.release()
    return path


def test_a_video_has_one_camera(film, network, capsys, tmp_path):
    assert main([str(film), "--json", "--frames", "5", "--plot", str(tmp_path / "v.png"), "--weights", network]) == 0
    [row] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert row["file"] == str(film)
    assert row["frames"] == 5
    assert row["camera"]["width"] == 128
    assert is_picture(tmp_path / "v.png")


def test_per_frame_follows_a_zoom(film, network, capsys, tmp_path):
    words = [str(film), "--json", "--per-frame", "--frames", "6", "--plot", str(tmp_path / "zoom.png")]
    assert main([*words, "--weights", network]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 6
    assert rows[0]["file"].startswith(f"{film}#t=")
    fovs = [row["hfov_deg"] for row in rows]
    assert fovs == sorted(fovs, reverse=True)
    assert fovs[0] > fovs[-1] + 5
    assert is_picture(tmp_path / "zoom.png")


def test_videos_fail_by_name(tmp_path, network, capsys):
    (tmp_path / "broken.mp4").write_bytes(b"no film")
    assert main([str(tmp_path / "broken.mp4"), "--weights", network]) == 3
    assert main([str(tmp_path / "none.mp4"), "--weights", network]) == 3
    assert "no such file" in capsys.readouterr().err


def test_info_tells(capsys, network, tmp_path):
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Maker", "Camera"
    exif.get_ifd(0x8769)[0xA405] = 28
    photo = make_photo(tmp_path / "tagged.jpg", 100, exif=exif)
    assert main(["info", str(photo)]) == 0
    out = capsys.readouterr().out
    assert "28.0 mm" in out
    assert "Maker Camera" in out
    assert main(["info", network, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["network"] == "tiny"
    assert main(["info"]) == 0
    assert "example:room" in capsys.readouterr().out
    assert main(["info", str(tmp_path / "none.jpg")]) == 2
