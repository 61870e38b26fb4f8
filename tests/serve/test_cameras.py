"""/v1/fit, /v1/convert, /v1/undistort and /v1/models against the library."""

import io
import json

import numpy as np
import pytest
from PIL import Image

import anylens
from anylens.examples import example_camera
from anylens.formats import FORMATS, read
from anylens.undistortion import undistort

CAMERA = anylens.Camera("eucm", [400.0, 410.0, 330.0, 236.0, 0.6, 1.1], 640, 480)


def convert(service, content, **fields):
    files = [("camera", ("camera", content))] + [(name, (None, str(value))) for name, value in fields.items()]
    return service.client.post("/v1/convert", files=files)


def grid():
    x, y = np.meshgrid(np.linspace(5, 635, 16), np.linspace(5, 475, 12))
    pixels = np.stack([x.ravel(), y.ravel()], -1)
    return pixels, CAMERA.unproject(pixels)[0]


def test_rays_give_their_camera(service):
    pixels, rays = grid()
    ask = {"pixels": pixels.tolist(), "rays": rays.tolist(), "model": "eucm", "width": 640, "height": 480}
    answer = service.client.post("/v1/fit", json=ask).json()
    assert np.allclose(list(answer["camera"]["params"].values()), np.asarray(CAMERA.params), rtol=1e-5)
    assert answer["rms_deg"] < 1e-4


def test_a_field_over_the_image_needs_no_pixels(service):
    x, y = np.meshgrid((np.arange(20) + 0.5) * 32, (np.arange(15) + 0.5) * 32)
    field = anylens.rays_to_field(CAMERA.unproject(np.stack([x.ravel(), y.ravel()], -1))[0]).reshape(15, 20, 2)
    ask = {"field": field.tolist(), "model": "eucm", "width": 640, "height": 480, "known": {"cx": 330, "cy": 236}}
    answer = service.client.post("/v1/fit", json=ask).json()
    assert answer["camera"]["params"]["fx"] == pytest.approx(400, rel=1e-5)
    assert answer["deviations"]["cx"] == 0
    ranked = service.client.post("/v1/fit", json={**ask, "model": "auto"}).json()
    assert ranked["ranking"][0]["model"] == ranked["camera"]["model"]


@pytest.mark.parametrize(
    "change",
    [{"rays": None}, {"rays": [[1, 2]]}, {"pixels": "many"}, {"width": -3}, {"model": "lens"}, {"known": [1]},
     {"pixels": [[1, 2]], "rays": [[0, 0, 1]]}, {"weights": ["a"]}, {"rays": [[0, 0, {}]]}, {"colour": 3}],
)  # fmt: skip
def test_rays_that_make_no_sense_are_refused_with_a_reason(service, change):
    pixels, rays = grid()
    ask = {"pixels": pixels.tolist(), "rays": rays.tolist(), "model": "eucm", "width": 640, "height": 480, **change}
    answer = service.client.post("/v1/fit", json=ask)
    assert answer.status_code == 422, answer.text
    assert len(answer.json()["error"]) > 10


@pytest.mark.parametrize("name", [f.name for f in FORMATS.values() if f.writes])
def test_every_format_is_written_as_the_library_writes_it(service, name):
    camera = anylens.Camera("kb:4", [600.0, 600.0, 320.0, 240.0, 0.01, 0.0, 0.0, 0.0], 640, 480)
    answer = convert(service, camera.to_json(), to=name, refit="on", max_error=30)
    assert answer.status_code == 200, answer.text
    assert "attachment" in answer.headers["content-disposition"]
    if FORMATS[name].reads:
        [back] = read(answer.content, name)
        ray = np.array([[0.2, 0.1, 1.0]])
        off = np.abs(back.camera.project(ray)[0] - camera.project(ray)[0]).max()
        assert off < (30 if answer.headers.get("anylens-note") else 1e-3)
        assert answer.headers.get("anylens-note") or back.camera.model == "kb:4"


def test_files_are_read_and_shown(service):
    text = "# cameras\n1 OPENCV_FISHEYE 640 480 300 300 320 240 0.01 0 0 0\n2 PINHOLE 640 480 500 500 320 240\n"
    found = convert(service, text).json()["cameras"]
    assert [c["camera"]["model"] for c in found] == ["kb:4", "pinhole"]
    answer = convert(service, text, to="opencv")
    assert answer.status_code == 422
    assert "Give a name" in answer.json()["error"]
    assert convert(service, text, to="opencv", name="2").status_code == 200
    assert convert(service, b"\x00\x01nothing").status_code == 422


def test_a_path_is_text_and_not_opened(service, tmp_path):
    secret = tmp_path / "camera.json"
    secret.write_text(CAMERA.to_json())
    answer = convert(service, str(secret))
    assert answer.status_code == 422
    assert "looks like no camera format" in answer.json()["error"]


def test_undistortion_is_the_library_s(service, photos):
    camera = example_camera("street")
    files = {"photo": ("s.jpg", photos["street"]), "camera": ("c.json", camera.to_json()), "format": (None, "png"),
             "balance": (None, "0.5")}  # fmt: skip
    answer = service.client.post("/v1/undistort", files=files)
    pixels = np.asarray(Image.open(io.BytesIO(photos["street"])).convert("RGB"))
    direct = undistort(pixels, camera, balance=0.5)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(answer.content))), direct.image)
    assert json.loads(answer.headers["anylens-camera"]) == direct.camera.to_dict()
    alone = service.client.post("/v1/undistort", files={"photo": ("s.jpg", photos["street"])})
    assert Image.open(io.BytesIO(alone.content)).size == (900, 600)


def test_pictures_too_large_to_make_are_not_made(service, room):
    camera = anylens.Camera("simple_pinhole", [1e5, 1e5, 1e5], 200_000, 200_000)
    assert convert(service, camera.to_json(), to="stmap").status_code == 413
    camera = example_camera("room").to_json()
    files = {"photo": ("r.jpg", room), "camera": (None, camera), "size": (None, "90000x90000")}
    assert service.client.post("/v1/undistort", files=files).status_code == 413


def test_models_formats_and_limits_are_listed(service):
    answer = service.client.get("/v1/models").json()
    assert {row["model"] for row in answer["models"]} == set(anylens.models())
    assert {row["name"] for row in answer["formats"]} == set(FORMATS)
    assert answer["examples"] == ["fisheye", "room", "street"]
    assert answer["limits"]["max_photos"] == 32
