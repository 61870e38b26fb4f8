"""The focal length that EXIF gives, and when it is believed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from anylens import Camera, ModelError
from anylens.images import focal_from_exif, read_exif, read_photo, turn_camera
from anylens.images.exif import ExifTags
from anylens.images.sensors import crop_factor

from .pictures import encode, exif_block, scene

DIAGONAL = math.hypot(36, 24)


def test_the_35_mm_equivalent_counts_by_the_diagonal():
    tag = focal_from_exif(read_exif(exif_block(f35=26, focal=4.2)), 4032, 3024)
    assert tag.focal_px == pytest.approx(26 * 5040 / DIAGONAL)
    assert (tag.focal_35mm, tag.source, tag.trusted) == (26, "35 mm equivalent", True)
    upright = focal_from_exif(read_exif(exif_block(f35=26)), 3024, 4032)
    assert upright.focal_px == tag.focal_px


@pytest.mark.parametrize(("unit", "per_unit"), [(2, 25.4), (3, 10.0), (4, 1.0)])
def test_focal_plane_resolution_in_its_units(unit, per_unit):
    """A 36 x 24 mm sensor of 6000 x 4000 pixels, photo shrunk to half: f_px = 50 mm / 36 mm · 3000."""
    tags = read_exif(exif_block(focal=50.0, plane=6000 / 36 * per_unit, unit=unit, size=(6000, 4000)))
    tag = focal_from_exif(tags, 3000, 2000)
    assert tag.source == "focal-plane resolution"
    assert tag.focal_px == pytest.approx(50 / 36 * 3000, rel=1e-4)
    assert tag.focal_35mm == pytest.approx(50, rel=1e-4)
    assert tag.trusted


def test_a_listed_sensor_gives_the_focal_length():
    tag = focal_from_exif(read_exif(exif_block(focal=35.0, make="NIKON CORPORATION", model="NIKON D90")), 4288, 2848)
    assert tag.source == "sensor size"
    assert tag.focal_35mm == pytest.approx(35 * 1.53)
    assert focal_from_exif(read_exif(exif_block(focal=35.0, make="Acme", model="Unknown")), 4288, 2848) is None


@pytest.mark.parametrize(
    ("make", "model", "crop"),
    [
        ("Canon", "Canon EOS 5D Mark III", 1.0),
        ("Canon", "Canon EOS 600D", 1.61),
        ("NIKON CORPORATION", "NIKON D850", 1.0),
        ("NIKON CORPORATION", "NIKON D7000", 1.53),
        ("SONY", "ILCE-7M3", 1.0),
        ("SONY", "ILCE-6400", 1.53),
        ("OLYMPUS IMAGING CORP.", "E-M10", 2.0),
        ("Panasonic", "DMC-GH4", 2.0),
        ("Canon", "Canon EOS R50", 1.61),
        ("Canon", "Canon EOS R5", 1.0),
        ("Apple", "iPhone 12", None),
        ("", "", None),
    ],
)
def test_sensor_table(make, model, crop):
    assert crop_factor(make, model) == crop


@pytest.mark.parametrize(
    ("tags", "size", "doubt"),
    [
        ({"f35": 26}, (4000, 2250), "cropped"),
        ({"f35": 26}, (3000, 2700), "cropped"),
        ({"f35": 26, "size": (4032, 3024)}, (3000, 2000), "tags are for"),
        ({"f35": 26, "zoom": 2.0}, (4032, 3024), "digital zoom"),
        ({"f35": 26, "software": "Adobe Photoshop CS6 (Windows)"}, (4032, 3024), "edited"),
        ({"f35": 26, "rendered": 6}, (4032, 3024), "panorama"),
        (
            {"f35": 75, "focal": 50.0, "plane": 6000 / 36, "unit": 4, "size": (6000, 4000)},
            (6000, 4000),
            "disagree",
        ),
        ({"f35": 500, "focal": 4.2}, (4032, 3024), "cannot be equivalent"),
    ],
)
def test_doubts(tags, size, doubt):
    tag = focal_from_exif(read_exif(exif_block(**tags)), *size)
    assert not tag.trusted
    assert any(doubt in text for text in tag.doubts)


@pytest.mark.parametrize("software", ["14.4.2", "Ver.1.02", "G991BXXU3AUE1", "MediaTek Camera Application", ""])
def test_a_cameras_own_firmware_is_no_editor(software):
    assert focal_from_exif(read_exif(exif_block(f35=26, software=software)), 4032, 3024).trusted


@pytest.mark.parametrize("size", [(4032, 3024), (6000, 4000), (5472, 3648), (4288, 2848), (3872, 2592), (4608, 3456)])
def test_real_sensor_sizes_are_sensors(size):
    assert focal_from_exif(ExifTags(focal_35mm=35), *size).trusted


@given(
    st.lists(st.sampled_from([0x0112, 0x010F, 0x0131, 0x920A, 0xA405, 0xA404, 0xA002, 0xA20E, 0xA210]), max_size=6),
    st.lists(
        st.one_of(
            st.integers(),
            st.floats(),
            st.text(max_size=5),
            st.binary(max_size=5),
            st.none(),
            st.tuples(st.integers()),
        ),
        min_size=6,
        max_size=6,
    ),
)
@settings(max_examples=200, deadline=None)
def test_any_values_in_any_tag_give_sane_tags(tags, values):
    exif = Image.Exif()
    inner = exif.get_ifd(0x8769)
    for tag, value in zip(tags, values):
        (inner if tag > 0x9000 else exif)[tag] = value
    read = read_exif(exif)
    assert read.orientation in range(1, 9)
    assert all(math.isfinite(v) and v >= 0 for v in (read.focal_mm, read.focal_35mm, read.digital_zoom, read.plane_x))
    found = focal_from_exif(read, 640, 480)
    assert found is None or (math.isfinite(found.focal_px) and found.focal_px > 0)


def test_blocks_that_are_no_exif_are_empty():
    for block in (b"", b"Exif\0\0", b"nonsense", b"Exif\0\0II*\0\xff\xff\xff\xff", None):
        assert read_exif(block) == ExifTags()


def test_a_photo_carries_its_focal_length_and_group():
    data = encode(Image.fromarray(scene(400, 300)), "JPEG", exif=exif_block(6, f35=28, focal=4.0, make="A", model="B"))
    photo = read_photo(data)
    assert (photo.width, photo.height) == (300, 400)
    assert photo.focal.focal_px == pytest.approx(28 * 500 / DIAGONAL)
    assert photo.exif.group == "A|B||4|0x0"
    assert read_photo(scene()).focal is None
    assert ExifTags(make="A").group == ""


@pytest.mark.parametrize("orientation", range(1, 9))
def test_cameras_turn_with_their_pixels(orientation):
    """A pixel of the stored picture and its place in the upright one see rays of the same polar angle."""
    from anylens.images import turn_pixels

    stored = Camera("radial:1", [50.0, 55.0, 44.0, 30.0, -0.1], 96, 64)
    upright = turn_camera(stored, orientation)
    assert turn_camera(upright, orientation, back=True) == stored
    index = np.arange(96 * 64).reshape(64, 96)
    turned = turn_pixels(index, orientation)
    assert (upright.height, upright.width) == turned.shape
    y, x = np.divmod(index.ravel(), 96)
    ys, xs = np.divmod(np.argsort(turned.ravel()), turned.shape[1])
    before, _ = stored.unproject(np.stack([x + 0.5, y + 0.5], axis=-1))
    after, _ = upright.unproject(np.stack([xs + 0.5, ys + 0.5], axis=-1))
    assert np.abs(before[:, 2] - after[:, 2]).max() < 1e-12
    # x and y change places or sign, nothing else
    assert np.abs(np.sort(np.abs(before[:, :2])) - np.sort(np.abs(after[:, :2]))).max() < 1e-12
    with pytest.raises(ModelError):
        turn_camera(stored, 9)


def test_a_damaged_exif_block_does_not_lose_the_picture():
    block = b"Exif\0\0" + b"II*\0\x08\0\0\0" + b"\xff" * 40
    rgb = scene(96, 64)
    read = read_photo(encode(Image.fromarray(rgb), "JPEG", quality=95, exif=block)).rgb
    assert np.abs(read.astype(int) - rgb).mean() < 4
