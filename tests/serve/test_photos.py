"""/v1/calibrate answers what the command line prints; /v1/refit does without the network."""

import io
import json
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from running_service import network_runs

import anylens
from anylens.examples import example_path


def without_times(row, *more):
    return {name: value for name, value in row.items() if name not in ("ms", "file", "observation", "view", *more)}


def alike(a, b):
    """Equal, floats to 1e-4: a network on another number of threads adds up in another order."""
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(alike(a[name], b[name]) for name in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(alike, a, b))
    return b == pytest.approx(a, rel=1e-4, abs=1e-4) if isinstance(a, float) else a == b


def calibrate(service, *photos, **fields):
    files = [("photos", photo) for photo in photos] + [
        (name, (None, value))
        for name, values in fields.items()
        for value in (values if isinstance(values, list) else [values])
    ]
    answer = service.client.post("/v1/calibrate", files=files)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        ([], {}),
        (["--model", "kb:4", "--known", "hfov=65±3", "--known", "cx=470"],
         {"model": "kb:4", "known": ["hfov=65±3", "cx=470"]}),
        (["--edges", "off", "--prior", "none", "--edited", "--mirror"],
         {"edges": "off", "prior": "none", "edited": "on", "mirror": "true"}),
    ],
)  # fmt: skip
def test_answers_are_those_of_the_command_line(service, room, arguments, fields):
    command = [sys.executable, "-m", "anylens", "calibrate", str(example_path("room")), "--json", *arguments]
    line = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    [row] = calibrate(service, ("room.jpg", room), **fields)
    assert alike(without_times(row), without_times(line))
    assert row["file"] == "room.jpg"
    assert list(row) == list(line)


def test_a_bad_photo_has_its_reason_and_stops_no_other(service, room):
    rows = calibrate(service, ("note.jpg", b"Dear diary"), ("room.jpg", room), ("cut.jpg", room[:9000]))
    assert [row["ok"] for row in rows] == [False, True, False]
    assert rows[0]["error"] == "note.jpg: text, not a picture."
    assert "cut off" in rows[2]["error"]
    assert [row["file"] for row in rows] == ["note.jpg", "room.jpg", "cut.jpg"]


def test_shared_photos_get_one_camera_and_groups_without_tags(service, photos):
    turned = _with_exif(photos["street"], make="Secret Cameras", model="Hidden One", focal=24)
    rows = calibrate(service, ("a.jpg", photos["room"]), ("b.jpg", photos["room"]), ("c.jpg", turned), shared="all")
    assert rows[0]["camera"] == rows[1]["camera"]
    assert [row["group"] for row in rows] == ["camera 1", "camera 1", "camera 2"]
    [alone] = calibrate(service, ("c.jpg", turned), shared="by-exif")
    assert "Secret" not in json.dumps(alone)


def test_a_mask_hides_what_it_covers(service, room):
    white = io.BytesIO()
    Image.fromarray(np.full((72, 96), 255, np.uint8)).save(white, "PNG")
    answer = service.client.post(
        "/v1/calibrate", files=[("photos", ("r.jpg", room)), ("mask", ("m.png", white.getvalue()))]
    )
    assert "leaves 0.0% of the photo" in answer.json()["results"][0]["error"]


def test_another_model_needs_no_second_look(service, room):
    [first] = calibrate(service, ("room.jpg", room), keep="on")
    before = network_runs(service.client)
    ask = {"observations": [first["observation"]], "model": "kb:4", "known": {"hfov": [65, 3]}, "view": True}
    answer = service.client.post("/v1/refit", json=ask)
    [row] = answer.json()["results"]
    assert network_runs(service.client) == before
    direct = anylens.calibrate(room, "kb:4", known={"hfov": (65, 3)}).to_dict()
    assert alike(without_times(row), without_times(direct))
    assert row["view"]["profile"]["r"][0] == 0


def test_the_drawing_is_that_of_the_camera(service, photos):
    [row] = calibrate(service, ("f.jpg", photos["fisheye"]), view="on", model="kb:2")
    camera, view = anylens.Camera.from_dict(row["camera"]), row["view"]
    fx, cx, cy = (row["camera"]["params"][n] for n in ("fx", "cx", "cy"))
    theta = np.radians(np.interp(0.8, view["profile"]["r"], view["profile"]["theta_deg"]))
    pixel, _ = camera.project([[np.sin(theta), 0, np.cos(theta)]])
    assert np.allclose(pixel, [[cx + 0.8 * fx, cy]], atol=0.02)
    assert len(view["field"]["polar_deg"]) == len(view["field"]["x"]) * len(view["field"]["y"])
    assert view["horizon"]
    assert view["deviations"]["cx"] == 0
    assert view["deviations"]["k1"] > 0
    low, high = row["hfov_interval_deg"]
    assert 0.3 * (high - low) / row["hfov_deg"] < view["deviations"]["fx"] / fx < 3 * (high - low) / row["hfov_deg"]


def test_the_ranking_has_what_auto_takes_first(service, photos):
    [row] = calibrate(service, ("s.jpg", photos["fisheye"]), keep="on")
    ranking = service.client.post("/v1/rank", json={"observations": [row["observation"]]}).json()["ranking"]
    assert ranking[0]["model"] == row["camera"]["model"]
    assert [r.get("chosen", False) for r in ranking].count(True) == 1
    assert len(ranking) == 7


def test_what_is_not_kept_is_said(service):
    answer = service.client.post("/v1/refit", json={"observations": ["guess"]})
    assert answer.status_code == 404
    assert "Send the photo again" in answer.json()["error"]


def _with_exif(photo, make, model, focal):
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x0131] = make, model, "Photoshop of John Doe"
    exif.get_ifd(0x8769)[0xA405] = focal
    exif.get_ifd(0x8769)[0x920A] = 5.0
    exif.get_ifd(0x8825)[1], exif.get_ifd(0x8825)[2] = "N", (48.0, 8.0, 12.0)
    out = io.BytesIO()
    Image.open(io.BytesIO(photo)).save(out, "JPEG", exif=exif, quality=92)
    return out.getvalue()


def test_of_exif_only_the_focal_length_comes_back(service, room):
    tagged = _with_exif(room, "Secret Cameras", "Hidden One", 27)
    [row] = calibrate(service, ("tagged.jpg", tagged), view="on", keep="on")
    text = json.dumps(row)
    assert row["sources_35mm"]["exif"] == pytest.approx(27, rel=0.02)
    assert not any(word in text for word in ("Secret", "Hidden", "Photoshop", "John", "48.0"))
    assert any("counts less" in warning for warning in row["warnings"])
    picture = service.client.post("/v1/undistort", files={"photo": ("tagged.jpg", tagged)}).content
    assert len(Image.open(io.BytesIO(picture)).getexif()) == 0
    assert not any(word in picture for word in (b"Secret", b"Hidden", b"Photoshop"))
