"""`anylens convert` and `anylens models` as a user calls them."""

import json

import pytest

from anylens import Camera
from anylens.cli import main
from anylens.formats import read, write

CAMERA = Camera("kb:4", [300.0, 301.0, 320.0, 240.0, 0.01, -0.002, 0.0, 0.0], 640, 480)


@pytest.fixture
def camera_file(tmp_path):
    write(CAMERA, tmp_path / "camera.json")
    return tmp_path / "camera.json"


def test_show(camera_file, capsys):
    assert main(["convert", str(camera_file)]) == 0
    out = capsys.readouterr().out
    assert "kb:4" in out
    assert "640x480" in out


def test_convert_by_file_name_and_by_format(camera_file, tmp_path):
    assert main(["convert", str(camera_file), str(tmp_path / "cameras.bin")]) == 0
    assert read(tmp_path / "cameras.bin")[0].camera == CAMERA
    assert main(["convert", str(tmp_path / "cameras.bin"), str(tmp_path / "x.yaml"), "--to", "ros"]) == 0
    assert "equidistant" in (tmp_path / "x.yaml").read_text()
    assert read(tmp_path / "x.yaml")[0].camera == CAMERA


def test_a_model_that_does_not_fit_names_the_way_out_and_the_way_works(camera_file, tmp_path, capsys):
    out = tmp_path / "opencv.yaml"
    assert main(["convert", str(camera_file), str(out)]) == 2
    message = capsys.readouterr().err
    assert "OpenCV YAML cannot hold 'kb:4'" in message
    assert "Traceback" not in message
    model = message.split("--model ")[1].split(",")[0].rstrip(".\n")
    assert not out.exists()
    assert main(["convert", str(camera_file), str(out), "--model", model]) == 2  # 122° across: the corners fold over
    assert "corners" in capsys.readouterr().err
    assert main(["convert", str(camera_file), str(out), "--model", model, "--max-error", "inf"]) == 0
    assert "refitted as" in capsys.readouterr().out


def test_refit_chooses_a_model_of_the_format(tmp_path, capsys):
    write(Camera("division:1", [420.0, 419.0, 322.5, 238.0, -0.05], 640, 480), tmp_path / "c.json")
    assert main(["convert", str(tmp_path / "c.json"), str(tmp_path / "o.yaml"), "--refit"]) == 0
    assert "division:1 refitted as radial" in capsys.readouterr().out


def test_existing_files_are_not_replaced_unless_asked(camera_file, tmp_path, capsys):
    (tmp_path / "transforms.json").write_text("precious")
    assert main(["convert", str(camera_file), str(tmp_path / "transforms.json")]) == 2
    assert (tmp_path / "transforms.json").read_text() == "precious"
    assert main(["convert", str(camera_file), str(tmp_path / "transforms.json"), "--overwrite"]) == 0
    assert json.loads((tmp_path / "transforms.json").read_text())["camera_model"] == "OPENCV_FISHEYE"


@pytest.mark.parametrize(
    "arguments",
    [
        ["none.json"],
        ["none.json", "out.txt"],
        ["{file}", "out.xyz"],
        ["{file}", "out.txt", "--model", "nonsense"],
        ["{file}", "--from", "nonsense"],
        ["{file}", "--size", "12"],
        ["{file}", "--name", "other"],
        ["{file}", "out.txt", "--to", "nonsense"],
    ],
)
def test_bad_input_is_a_message_and_exit_code_2(camera_file, arguments, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["convert", *(a.format(file=camera_file) for a in arguments)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("anylens: ")
    assert "Traceback" not in error


def test_st_map_options(camera_file, tmp_path):
    assert main(["convert", str(camera_file), str(tmp_path / "m.exr"), "--direction", "distort", "--half"]) == 0
    assert (tmp_path / "m.exr").read_bytes()[:4] == b"\x76\x2f\x31\x01"


def test_models_lists_every_family_and_format(capsys):
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("pinhole", "radial:1..4", "eucm", "fx fy cx cy xi"))
    assert main(["models", "--json"]) == 0
    assert any(row["model"] == "ucm" for row in json.loads(capsys.readouterr().out))
    assert main(["models", "--formats"]) == 0
    assert "Kalibr" in capsys.readouterr().out


def test_a_foreign_camera_is_refitted_once_in_the_model_asked_for(tmp_path, capsys):
    (tmp_path / "cameras.txt").write_text("1 OPENCV 640 480 500 505 320 240 -0.1 0.02 0.0002 -0.0001\n")
    command = ["convert", str(tmp_path / "cameras.txt"), str(tmp_path / "out.json"), "--model", "division:2"]
    assert main(command) == 0
    [direct] = read(tmp_path / "cameras.txt", model="division:2")
    assert read(tmp_path / "out.json")[0].camera == direct.camera
    assert f"COLMAP OPENCV refitted as division:2: up to {direct.error:.3g} px off" in capsys.readouterr().out
