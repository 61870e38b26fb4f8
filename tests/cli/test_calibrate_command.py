"""`anylens PHOTO…`: what is printed, exit codes, and no traceback for anything that a user may do."""

import csv
import io
import json

import numpy as np
import pytest
from PIL import Image
from small_photos import make_photo

from anylens import Camera
from anylens.cli import main

KEYS = {"file", "ok", "camera", "hfov_deg", "vfov_deg", "hfov_std_deg", "vfov_std_deg", "hfov_interval_deg",
        "focal_35mm", "warnings", "ms"}  # fmt: skip


def run(capsys, *argv):
    code = main([str(a) for a in argv])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


def test_a_photo_alone_is_calibrated(capsys, photo, network):
    code, out, err = run(capsys, photo, "--weights", network)
    assert code == 0
    assert "one.jpg  128x96" in out
    assert "35 mm equivalent" in out
    assert err == ""  # quiet when piped


def test_json_lines_hold_the_contract(capsys, photo, network, tmp_path):
    second = make_photo(tmp_path / "two.png", 140)
    code, out, _ = run(capsys, "calibrate", photo, second, "nothere.jpg", "--json", "--weights", network)
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert [row["file"] for row in rows] == [str(photo), str(second), "nothere.jpg"]
    assert [row["ok"] for row in rows] == [True, True, False]
    assert set(rows[0]) >= KEYS
    assert "no such file" in rows[2]["error"]
    assert rows[0]["hfov_deg"] > rows[1]["hfov_deg"]  # the network reads brightness as focal length
    camera = Camera.from_dict(rows[0]["camera"])
    assert (camera.width, camera.height) == (128, 96)
    assert camera.hfov_deg == pytest.approx(rows[0]["hfov_deg"], abs=1e-3)
    low, high = rows[0]["hfov_interval_deg"]
    assert low < rows[0]["hfov_deg"] < high


def test_csv_and_table(capsys, photo, network, tmp_path):
    second = make_photo(tmp_path / "two.png", 140)
    _, out, _ = run(capsys, photo, second, "--csv", "--weights", network)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 2
    assert float(rows[0]["fx"]) == pytest.approx(float(rows[0]["fy"]))
    assert rows[1]["ok"] == "True"
    code, out, _ = run(capsys, photo, second, "--weights", network)
    assert code == 0
    assert len(out.splitlines()) >= 3
    assert "hfov" in out.splitlines()[0]


@pytest.mark.parametrize(("argv", "code"), [
    (["PHOTO"], 0), (["PHOTO", "missing.jpg"], 1), (["missing.jpg"], 3), (["PHOTO", "--known", "colour=1"], 2),
    (["PHOTO", "--known", "f=x"], 2), (["PHOTO", "--model", "pinhol"], 2), (["PHOTO", "--prior", "everything"], 2),
    (["PHOTO", "--exif", "perhaps"], 2), (["PHOTO", "--out", "a.xlsx"], 2), (["PHOTO", "--mask", "missing.png"], 2),
    (["PHOTO", "--json", "--csv"], 2), (["PHOTO", "--jobs", "-1"], 2), (["PHOTO", "--frames", "0"], 2),
    (["PHOTO", "--plot", "/dev/null/a.png"], 2), (["PHOTO", "--out", "/dev/null/a.csv"], 2), (["nothere"], 2),
    (["EMPTY"], 2), (["calibrate"], 2), (["PHOTO", "--nonsense"], 2), (["PHOTO", "--weights", "missing.onnx"], 2),
])  # fmt: skip
def test_exit_codes(capsys, photo, network, tmp_path, argv, code):
    (tmp_path / "empty").mkdir()
    words = [{"PHOTO": str(photo), "EMPTY": str(tmp_path / "empty")}.get(word, word) for word in argv]
    if "--weights" not in words and "calibrate" not in words:
        words += ["--weights", network]
    try:
        found, _, err = run(capsys, *words)
    except SystemExit as stop:  # the option parser's own
        found, err = stop.code, capsys.readouterr().err
    assert found == code
    assert code == 0 or err


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_damaged_network_is_one_error_not_one_per_photo(capsys, folder, tmp_path, jobs):
    (tmp_path / "bad.onnx").write_bytes(b"nothing")
    code, out, err = run(capsys, folder, "--json", "--jobs", jobs, "--weights", tmp_path / "bad.onnx")
    assert (code, out) == (2, "")
    assert "damaged" in err


def test_options_reach_the_estimate(capsys, photo, network):
    def camera(*options):
        _, out, _ = run(capsys, photo, "--json", "--weights", network, *options)
        return json.loads(out)

    plain = camera()
    assert camera("--known", "f=123.5")["camera"]["params"]["f"] == 123.5
    known = camera("--known", "cx=60", "--known", "hfov=70", "--model", "pinhole")
    assert known["camera"]["params"]["cx"] == 60
    assert known["hfov_deg"] == pytest.approx(70, abs=1e-3)
    assert camera("--model", "kb:2")["camera"]["model"] == "kb:2"
    assert camera("--prior", "none")["focal_35mm"] != plain["focal_35mm"]
    assert camera("--edited", "--model", "pinhole")["held"] == []
    assert "edges" not in camera("--edges", "off")["sources_35mm"]


def test_globs_folders_and_masks(capsys, folder, network, tmp_path):
    _, out, _ = run(capsys, folder / "set1" / "*.jpg", "--json", "--weights", network)
    assert [json.loads(line)["file"][-7:] for line in out.splitlines()] == [f"p{i:02}.jpg" for i in range(6, 12)]
    mask = np.zeros((96, 128), np.uint8)
    mask[:, :70] = 255
    Image.fromarray(mask).save(tmp_path / "mask.png")
    code, out, _ = run(
        capsys, folder / "set0" / "p00.jpg", "--json", "--mask", tmp_path / "mask.png", "--weights", network
    )
    assert code == 0
    assert json.loads(out)["ok"]


def test_examples_are_photos(capsys, network):
    code, out, _ = run(capsys, "example:room", "--json", "--weights", network)
    assert code == 0
    assert json.loads(out)["file"] == "example:room"
    code, _, err = run(capsys, "example:none")
    assert code == 2
    assert "There are" in err
