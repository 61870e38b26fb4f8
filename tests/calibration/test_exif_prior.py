"""The EXIF tag as evidence: a good one sharpens, a wrong one loses against clear evidence, and is named."""

import io

import pytest
from exact_network import ExactNetwork, grey
from PIL import Image

from anylens import Calibrator, Camera

TRUE_35MM = 28.0
CAMERA = Camera("simple_pinhole", [TRUE_35MM * 800 / 43.267, 320.0, 240.0], 640, 480)


def photo(focal_35mm, width=640, height=480, software=""):
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Maker", "Camera 1"
    if software:
        exif[0x0131] = software
    exif.get_ifd(0x8769)[0xA405] = focal_35mm
    stored = io.BytesIO()
    Image.fromarray(grey(width, height)).save(stored, "JPEG", exif=exif)
    return stored.getvalue()


def run(tag, focal_std=0.2, scales=(1.15,), **options):
    """The network believes in a focal length 13 % too short, with that standard deviation."""
    network = ExactNetwork(CAMERA, focal_std=focal_std, scales=scales)
    return Calibrator(predictor=network)(photo(tag), prior="none", edges=False, **options)


def test_a_good_tag_sharpens_the_answer_and_is_named():
    with_tag, without = run(28, focal_std=0.15), run(28, focal_std=0.15, exif="ignore")
    assert with_tag.focal_35mm == pytest.approx(28, rel=0.03)
    assert without.focal_35mm == pytest.approx(28 / 1.15, rel=0.03)
    assert with_tag.decided_by == "exif"
    assert with_tag.hfov_std_deg < 0.5 * without.hfov_std_deg
    assert not with_tag.warnings


def test_a_wrong_tag_loses_against_clear_evidence():
    found = run(85, focal_std=0.08, scales=(1.0,))
    assert found.focal_35mm == pytest.approx(28, rel=0.05)
    assert found.decided_by == "network"
    assert any("EXIF disagrees: the tag says 85 mm" in text for text in found.warnings)


def test_check_only_compares():
    agreeing, wrong = run(28, exif="check"), run(70, exif="check")
    plain = run(28, exif="ignore")
    assert agreeing.camera == wrong.camera == plain.camera
    assert not any("EXIF" in text for text in agreeing.warnings)
    assert any("EXIF disagrees" in text for text in wrong.warnings)
    assert not any("EXIF" in text for text in run(70, exif="ignore").warnings)


def test_a_doubtful_tag_counts_less():
    network = ExactNetwork(CAMERA, focal_std=0.2, scales=(1.15,))
    found = Calibrator(predictor=network)(photo(28, software="Adobe Photoshop 22"), prior="none", edges=False)
    good, none = run(28), run(28, exif="ignore")
    assert none.focal_35mm < found.focal_35mm < good.focal_35mm
    assert any("counts less" in text and "Photoshop" in text for text in found.warnings)


def test_the_tag_of_an_edited_photo_counts_less():
    whole, edited, none = run(28), run(28, edited=True), run(28, exif="ignore", edited=True)
    assert none.focal_35mm < edited.focal_35mm < whole.focal_35mm
    assert edited.decided_by == "network"
