"""`anylens collect` and photo crops: both readings of the focal length, orientation, doubts, privacy, exact
labels.
"""

import json
import math

import numpy as np
import pytest
from PIL import Image
from PIL.TiffImagePlugin import IFDRational

from anylens.cli import main
from anylens.data.collect.job import collect
from anylens.data.lensfun.database import Database
from anylens.data.photos import PhotoStore, list_photographs
from anylens.data.synthetic import box_world
from anylens.errors import ImageError

LENSFUN = Database(crops={("nikon corporation", "nikon d90"): 1.53, ("acme", "one"): 5.0})
SCENE = box_world(1024, 3)


def photo(path, index=0, size=(600, 450), orientation=1, gps=False, **tags):
    """A photograph written with EXIF; `index` picks the part of the scene it shows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = np.roll(SCENE, -90 * index, axis=1)[100:400, :400]
    image = Image.fromarray(part).resize(size)
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F], exif[0x0110] = tags.pop("maker", "Acme"), tags.pop("model", "One")
    if "software" in tags:
        exif[0x0131] = tags.pop("software")
    names = {
        "focal": 0x920A,
        "f35": 0xA405,
        "zoom": 0xA404,
        "plane_x": 0xA20E,
        "plane_y": 0xA20F,
        "unit": 0xA210,
        "pixel_x": 0xA002,
        "pixel_y": 0xA003,
        "rendered": 0xA401,
        "lens": 0xA434,
    }
    inner = exif.get_ifd(0x8769)
    for name, value in tags.items():
        inner[names[name]] = IFDRational(value).limit_rational(10000) if name in ("focal", "zoom") else value
        if name in ("focal", "zoom", "plane_x", "plane_y"):
            inner[names[name]] = IFDRational(round(value * 1000), 1000)
    if gps:
        exif.get_ifd(0x8825)[2] = (IFDRational(48), IFDRational(12), IFDRational(3))
    image.save(path, exif=exif, quality=92)
    return path


def fov(f35, width, height):
    """Horizontal field of view of a 35 mm equivalent by the diagonal."""
    return math.degrees(2 * math.atan(width / 2 / (f35 / 43.2666 * math.hypot(width, height))))


def only(folder, out, **options):
    result = collect([folder], out, LENSFUN, **options)
    return result, [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]


def test_both_readings_of_the_focal_length(tmp_path):
    photo(tmp_path / "in" / "tag.jpg", 0, f35=28)
    photo(tmp_path / "in" / "crop.jpg", 1, (600, 400), focal=35.0, maker="NIKON CORPORATION", model="NIKON D90")
    photo(
        tmp_path / "in" / "plane.jpg",
        2,
        (600, 400),
        focal=50.0,
        maker="X",
        model="Y",
        plane_x=100.0,
        plane_y=100.0,
        unit=3,
        pixel_x=360,
        pixel_y=240,
    )
    _, rows = only(tmp_path / "in", tmp_path / "out")
    f35 = {r["camera"]: r["f35"] for r in rows}
    assert f35 == {
        "Acme One": 28,
        "NIKON CORPORATION NIKON D90": pytest.approx(53.55, abs=0.01),
        "X Y": pytest.approx(50, abs=0.01),
    }
    for row in rows:
        assert row["hfov_deg"] == pytest.approx(fov(row["f35"], row["width"], row["height"]), abs=0.01)
        assert max(row["width"], row["height"]) == 288


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_is_applied(tmp_path, orientation):
    photo(tmp_path / "in" / "a.jpg", orientation=orientation, f35=28)
    _, (row,) = only(tmp_path / "in", tmp_path / "out")
    portrait = orientation >= 5
    assert (row["width"] < row["height"]) == portrait
    assert row["hfov_deg"] == pytest.approx(fov(28, *((216, 288) if portrait else (288, 216))), abs=0.01)
    upright = Image.open(tmp_path / "out" / row["file"]).convert("RGB")
    stored = np.asarray(Image.fromarray(SCENE[100:400, :400]).resize((288, 216)), float)
    turn = {
        1: stored,
        2: stored[:, ::-1],
        3: stored[::-1, ::-1],
        4: stored[::-1],
        5: stored.swapaxes(0, 1),
        6: np.rot90(stored, -1),
        7: stored.swapaxes(0, 1)[::-1, ::-1],
        8: np.rot90(stored),
    }
    assert np.abs(np.asarray(upright, float) - turn[orientation]).mean() < 8


@pytest.mark.parametrize(
    ("tags", "size", "word"),
    [
        ({}, (600, 450), "no focal length"),
        ({"f35": 28, "zoom": 2.0}, (600, 450), "digital zoom"),
        ({"f35": 28}, (600, 500), "cropped"),
        ({"f35": 28}, (600, 600), "cropped"),
        ({"f35": 28}, (900, 300), "panorama"),
        ({"f35": 28, "rendered": 6}, (600, 450), "panorama"),
        ({"f35": 28, "pixel_x": 3000, "pixel_y": 2000}, (600, 450), "cropped"),
        ({"f35": 100, "focal": 5.0}, (600, 450), "disagree"),
        ({"f35": 15, "lens": "8mm Fisheye"}, (600, 450), "fisheye"),
        ({"f35": 3}, (600, 450), "believable"),
        ({"f35": 28}, (200, 150), "smaller"),
    ],
)
def test_what_cannot_be_trusted_is_dropped_with_a_reason(tmp_path, tags, size, word):
    photo(tmp_path / "in" / "bad.jpg", 0, size, **tags)
    result, rows = only(tmp_path / "in", tmp_path / "out")
    assert not rows
    assert word in result.dropped[0][1]
    assert word in (tmp_path / "out" / "dropped.txt").read_text()


def test_copies_carry_no_metadata_and_editing_lowers_trust(tmp_path):
    photo(tmp_path / "in" / "trip" / "a.jpg", 0, f35=28, gps=True, software="Adobe Photoshop 22")
    _, (row,) = only(tmp_path / "in", tmp_path / "out")
    assert row["trust"] == "low"
    assert row["source"] == "trip"
    data = (tmp_path / "out" / row["file"]).read_bytes()
    copy = Image.open(tmp_path / "out" / row["file"])
    assert not dict(copy.getexif())
    assert b"EXIF" not in data
    assert b"Photoshop" not in data
    assert b"XMP" not in data


def test_near_duplicates_are_dropped_either_way_round(tmp_path):
    photo(tmp_path / "in" / "a.jpg", 0, f35=28)
    photo(tmp_path / "in" / "b.jpg", 0, (800, 600), f35=28)
    photo(tmp_path / "in" / "c.jpg", 0, f35=28, orientation=2)
    photo(tmp_path / "in" / "d.jpg", 4, f35=28)
    result, rows = only(tmp_path / "in", tmp_path / "out")
    assert len(rows) == 2
    assert sum("nearly the same" in why for _, why in result.dropped) == 2


def test_bad_files_are_listed_and_empty_folders_refused(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "text.jpg").write_text("no picture")
    whole = photo(tmp_path / "in" / "cut.jpg", 0, f35=28).read_bytes()
    (tmp_path / "in" / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    result, rows = only(tmp_path / "in", tmp_path / "out")
    assert not rows
    assert len(result.dropped) == 2
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "missing"):
        with pytest.raises(ImageError):
            collect([place], tmp_path / "o")


def test_the_command_line(tmp_path, capsys):
    for i in range(3):
        photo(tmp_path / "in" / f"s{i}" / "a.jpg", 3 * i, f35=24 + i)
    assert main(["collect", str(tmp_path / "in"), str(tmp_path / "out"), "--size", "320"]) == 0
    assert "3 photographs from 3 sources" in capsys.readouterr().out
    assert len(list_photographs(tmp_path / "out")) == 3
    store = PhotoStore(tmp_path / "out", tmp_path / "cache")
    assert store.picture(0).shape == (240, 320, 3)
    assert main(["collect", str(tmp_path / "in")]) == 2
